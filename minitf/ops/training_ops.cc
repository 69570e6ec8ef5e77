// Training ops: one step of an optimiser, in place.
//
// Each takes handles to the variable and to what the optimiser remembers about it (its
// slots), some scalars, and the gradient g = dL/dvar. All of them have one shape.
//
// Kernels    kernels/cpu/training.cc
// Compare    tensorflow/core/ops/training_ops.cc
// Read next  minitf/gradients/array_grad.cc

#include "minitf/base/text.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Handles are scalars, and so is all else but the gradient.
void TrainingShape(InferenceContext* ctx, int gradient) {
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    if (i != gradient) ctx->WithRank(i, 0, StrCat("input ", i));
  }
}

// `variables`, `scalars` and the gradient are inputs, in the order of `inputs`.
OpDefBuilder TrainingOp(const std::string& name,
                        const std::vector<std::string>& variables,
                        const std::vector<std::string>& others,
                        const std::string& gradient, const std::string& doc) {
  OpDefBuilder builder(name);
  for (const std::string& variable : variables) builder.Input(variable + ": resource");
  int gradient_index = 0;
  for (size_t i = 0; i < others.size(); ++i) {
    builder.Input(others[i] + ": T");
    if (others[i] == gradient) gradient_index = static_cast<int>(variables.size() + i);
  }
  builder.Attr("T: {half, bfloat16, float, double}")
      .Attr("use_locking: bool = false")
      .SetIsStateful()
      .SetShapeFn(
          [gradient_index](InferenceContext* ctx) { TrainingShape(ctx, gradient_index); })
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
};

}  // namespace
}  // namespace minitf
