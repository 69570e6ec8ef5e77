// Training ops: one step of an optimiser, in place.
//
// Each takes handles to the variable and to what the optimiser remembers about it (its
// slots), some scalars, and the gradient g = dL/dvar. All of them have one shape.
//
// Kernels    kernels/cpu/state/training.cc
// Compare    tensorflow/core/ops/training_ops.cc
// Read next  minitf/gradients/array/array_grad.cc

#include "minitf/base/text.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/ops/variable_shape.h"

namespace minitf {
namespace {

// Which inputs of a training op are what: handles first, then scalars, the gradient, and
// in a sparse op the indices of its rows behind it.
struct Inputs {
  int variables = 0;
  int gradient = 0;
  bool is_sparse = false;
};

void TrainingShape(InferenceContext* ctx, const Inputs& inputs) {
  const PartialShape& gradient = ctx->input(inputs.gradient);
  for (int i = 0; i < inputs.variables; ++i) {
    const PartialShape variable = VariableShapeOf(ctx, i);
    const PartialShape expected =
        inputs.is_sparse ? GatheredShape(variable, ctx->input(inputs.gradient + 1), 0, 0)
                         : variable;
    Require(expected.IsCompatibleWith(gradient), "a variable of shape ", variable,
            " needs a gradient of shape ", expected, ", got ", gradient);
  }
  for (int i = inputs.variables; i < ctx->num_inputs(); ++i) {
    if (i == inputs.gradient) continue;
    const bool is_indices = inputs.is_sparse && i == inputs.gradient + 1;
    ctx->WithRank(i, is_indices ? 1 : 0, StrCat("input ", i));
  }
}

// `variables`, `scalars` and the gradient are inputs, in the order of `inputs`. An input
// "indices" behind the gradient makes the op sparse.
OpDefBuilder TrainingOp(const std::string& name,
                        const std::vector<std::string>& variables,
                        const std::vector<std::string>& others,
                        const std::string& gradient, const std::string& doc) {
  OpDefBuilder builder(name);
  for (const std::string& variable : variables) builder.Input(variable + ": resource");
  Inputs inputs{static_cast<int>(variables.size())};
  for (size_t i = 0; i < others.size(); ++i) {
    const bool is_indices = others[i] == "indices";
    builder.Input(others[i] + (is_indices ? ": Tindices" : ": T"));
    inputs.is_sparse = inputs.is_sparse || is_indices;
    if (others[i] == gradient) inputs.gradient = inputs.variables + static_cast<int>(i);
  }
  builder.Attr("T: {half, bfloat16, float, double}");
  if (inputs.is_sparse) builder.Attr("Tindices: {int32, int64}");
  builder.Attr("use_locking: bool = false")
      .SetIsStateful()
      .SetReleasesInputs()
      .SetShapeFn([inputs](InferenceContext* ctx) { TrainingShape(ctx, inputs); })
      .Doc(doc);
  return builder;
}

const OpRegistrar kTrainingOps[] = {
    TrainingOp("ResourceApplyGradientDescent", {"var"}, {"alpha", "delta"}, "delta",
               "var -= alpha * delta"),
    TrainingOp("ResourceApplyMomentum", {"var", "accum"}, {"lr", "grad", "momentum"},
               "grad",
               "accum = accum * momentum + g; var -= lr * accum. With use_nesterov, "
               "var -= lr * (g + momentum * accum).")
        .Attr("use_nesterov: bool = false"),
    TrainingOp("ResourceApplyAdam", {"var", "m", "v"},
               {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
               "grad",
               "m += (g - m) * (1 - beta1); v += (g * g - v) * (1 - beta2); "
               "var -= lr_t * m / (sqrt(v) + epsilon), where lr_t = lr * "
               "sqrt(1 - beta2_power) / (1 - beta1_power). With use_nesterov, "
               "beta1 * m + (1 - beta1) * g stands for the last m.")
        .Attr("use_nesterov: bool = false"),
    TrainingOp("ResourceApplyAdagrad", {"var", "accum"}, {"lr", "grad"}, "grad",
               "accum += g * g, unless update_slots is false; "
               "var -= lr * g / sqrt(accum)")
        .Attr("update_slots: bool = true"),
    TrainingOp("ResourceApplyRMSProp", {"var", "ms", "mom"},
               {"lr", "rho", "momentum", "epsilon", "grad"}, "grad",
               "ms += (g * g - ms) * (1 - rho); "
               "mom = mom * momentum + lr * g / sqrt(ms + epsilon); var -= mom"),
    TrainingOp("ResourceApplyCenteredRMSProp", {"var", "mg", "ms", "mom"},
               {"lr", "rho", "momentum", "epsilon", "grad"}, "grad",
               "As ResourceApplyRMSProp, with mg += (g - mg) * (1 - rho) and "
               "ms - mg * mg in place of ms under the root."),
    TrainingOp("ResourceApplyAdadelta", {"var", "accum", "accum_update"},
               {"lr", "rho", "epsilon", "grad"}, "grad",
               "accum += (g * g - accum) * (1 - rho); "
               "update = g * sqrt(accum_update + epsilon) / sqrt(accum + epsilon); "
               "accum_update += (update * update - accum_update) * (1 - rho); "
               "var -= lr * update"),
    TrainingOp("ResourceApplyFtrl", {"var", "accum", "linear"},
               {"grad", "lr", "l1", "l2", "lr_power"}, "grad",
               "With p(a) = a ^ -lr_power: "
               "linear += g - (p(accum + g * g) - p(accum)) / lr * var; "
               "accum += g * g; var = (sign(linear) * l1 - linear) / "
               "(p(accum) / lr + 2 * l2) where |linear| > l1, and 0 elsewhere."),
    TrainingOp("ResourceApplyFtrlV2", {"var", "accum", "linear"},
               {"grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"}, "grad",
               "As ResourceApplyFtrl, with g + 2 * l2_shrinkage * var in place of g in "
               "what is added to linear first."),
    TrainingOp("ResourceApplyProximalGradientDescent", {"var"},
               {"alpha", "l1", "l2", "delta"}, "delta",
               "x = var - alpha * delta; var = sign(x) * max(|x| - alpha * l1, 0) / "
               "(1 + alpha * l2)"),
    TrainingOp("ResourceApplyProximalAdagrad", {"var", "accum"},
               {"lr", "l1", "l2", "grad"}, "grad",
               "accum += g * g; the rest as ResourceApplyProximalGradientDescent does "
               "it, with alpha = lr / sqrt(accum)."),
};

// ---- Rows only ------------------------------------------------------------------------

// The op that does to some rows what its dense counterpart does to all.
OpDefBuilder SparseOp(const std::string& name, const std::vector<std::string>& variables,
                      const std::vector<std::string>& others) {
  return TrainingOp("ResourceSparseApply" + name, variables, others, "grad",
                    "What ResourceApply" + name +
                        " does, to the rows `indices` of the variables only; row i of "
                        "grad is for row indices[i].");
}

const OpRegistrar kSparseTrainingOps[] = {
    SparseOp("Momentum", {"var", "accum"}, {"lr", "grad", "indices", "momentum"})
        .Attr("use_nesterov: bool = false"),
    SparseOp("Adagrad", {"var", "accum"}, {"lr", "grad", "indices"})
        .Attr("update_slots: bool = true"),
    SparseOp("RMSProp", {"var", "ms", "mom"},
             {"lr", "rho", "momentum", "epsilon", "grad", "indices"}),
    SparseOp("CenteredRMSProp", {"var", "mg", "ms", "mom"},
             {"lr", "rho", "momentum", "epsilon", "grad", "indices"}),
    SparseOp("Adadelta", {"var", "accum", "accum_update"},
             {"lr", "rho", "epsilon", "grad", "indices"}),
    SparseOp("Ftrl", {"var", "accum", "linear"},
             {"grad", "indices", "lr", "l1", "l2", "lr_power"}),
    SparseOp("FtrlV2", {"var", "accum", "linear"},
             {"grad", "indices", "lr", "l1", "l2", "l2_shrinkage", "lr_power"}),
    SparseOp("ProximalGradientDescent", {"var"},
             {"alpha", "l1", "l2", "grad", "indices"}),
    SparseOp("ProximalAdagrad", {"var", "accum"}, {"lr", "l1", "l2", "grad", "indices"}),
};

}  // namespace
}  // namespace minitf
