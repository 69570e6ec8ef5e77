// Training ops on the CPU: an optimiser's formulas, over pieces that stay in the cache.
//
// A step reads and writes every variable once, and does little arithmetic with it: memory
// is the limit. So the formulas, three or four for each optimiser, all run on one piece
// of a few thousand elements before the next piece is fetched; the pieces are shared out
// among threads.
//
// Op         minitf/ops/state/training_ops.cc
// Compare    tensorflow/core/kernels/training_ops.cc
// Read next  kernels/cpu/state/locked_variables.h

#include <algorithm>
#include <array>
#include <string>

#include "kernels/cpu/array/gather.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/state/locked_variables.h"
#include "kernels/cpu/state/training_rules.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// float16 and bfloat16 are computed as floats, a piece at a time: exact in between, and
// the formulas exist only for float and double.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

constexpr int64_t kPieceSize = 2048;

// Applies `rule` to `count` elements of the variables and the gradient. Narrow types are
// widened into arrays on the stack, one for each variable and one for the gradient.
template <typename T, typename Rule>
void ApplyToPiece(const Rule& rule, const std::array<T*, kMaxVariables>& variables,
                  const T* gradient, int64_t count, const Scalars<Computed<T>>& scalars) {
  if constexpr (std::is_same_v<T, Computed<T>>) {
    rule.Apply(Piece<T>{variables, gradient, count, scalars});
  } else {
    std::array<std::array<float, kPieceSize>, kMaxVariables + 1> wide;
    Piece<float> piece{{}, wide[kMaxVariables].data(), count, scalars};
    Widen(gradient, wide[kMaxVariables].data(), count);
    for (int i = 0; i < Rule::kVariables; ++i) {
      piece.variables[i] = wide[i].data();
      Widen(variables[i], wide[i].data(), count);
    }
    rule.Apply(piece);
    for (int i = 0; i < Rule::kVariables; ++i) {
      Narrow(wide[i].data(), variables[i], count);
    }
  }
}

// Applies `rule` to the first `count` elements that `variables` and `gradient` point to,
// a piece at a time. Pieces are for this thread only.
template <typename T, typename Rule>
void ApplyToRow(const Rule& rule, std::array<T*, kMaxVariables> variables,
                const T* gradient, int64_t count, const Scalars<Computed<T>>& scalars) {
  for (int64_t first = 0; first < count; first += kPieceSize) {
    const int64_t size = std::min(kPieceSize, count - first);
    ApplyToPiece(rule, variables, gradient + first, size, scalars);
    for (int k = 0; k < Rule::kVariables; ++k) variables[k] += size;
  }
}

// What dense and sparse updates share. A sparse op has the inputs of the dense one, with
// the indices of the rows behind the gradient.
template <typename T, typename Rule, bool kIsSparse>
class TrainingOp : public OpKernel {
 public:
  explicit TrainingOp(OpKernelConstruction* construction)
      : OpKernel(construction), rule_(construction->attrs()) {
    for (const ArgDef& input : construction->op().inputs) names_.push_back(input.name);
  }

 protected:
  // Those of the dense op.
  Scalars<Computed<T>> ScalarsOf(OpKernelContext* ctx) const {
    Scalars<Computed<T>> scalars{};
    for (int i = Rule::kVariables; i < ctx->num_inputs(); ++i) {
      if (i == Rule::kGradient || (kIsSparse && i == kIndices)) continue;
      const Tensor& scalar = ctx->input(i);
      Require(scalar.rank() == 0, names_[i], " is not a scalar: ", scalar.shape());
      const int place = kIsSparse && i > kIndices ? i - 1 : i;
      scalars[place] = static_cast<Computed<T>>(scalar.scalar<T>());
    }
    if constexpr (requires { Rule::Check(scalars); }) Rule::Check(scalars);
    return scalars;
  }

  static std::array<T*, kMaxVariables> ElementsOf(LockedVariables* variables) {
    std::array<T*, kMaxVariables> elements{};
    for (int i = 0; i < Rule::kVariables; ++i) {
      elements[i] = variables->MutableElements<T>(i).data();
    }
    return elements;
  }

  static constexpr int kIndices = Rule::kGradient + 1;

  Rule rule_;
  std::vector<std::string> names_;  // of the inputs
};

template <typename T, typename Rule>
class ApplyOp final : public TrainingOp<T, Rule, false> {
 public:
  using TrainingOp<T, Rule, false>::TrainingOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& gradient = ctx->input(Rule::kGradient);
    const Scalars<Computed<T>> scalars = this->ScalarsOf(ctx);
    LockedVariables variables(ctx, Rule::kVariables, DTypeOf<T>());
    variables.RequireShapeOf(gradient, this->names_[Rule::kGradient]);
    const auto elements = this->ElementsOf(&variables);

    const T* g = gradient.flat<T>().data();
    const int64_t total = gradient.num_elements();
    const int64_t pieces = (total + kPieceSize - 1) / kPieceSize;
    ctx->threads().ParallelFor(pieces, kPieceSize, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kPieceSize;
      std::array<T*, kMaxVariables> at = elements;
      for (int k = 0; k < Rule::kVariables; ++k) at[k] += first;
      ApplyToRow(this->rule_, at, g + first, std::min(end * kPieceSize, total) - first,
                 scalars);
    });
  }
};

// Row i of the gradient is for row indices[i] of the variables; other rows stay as they
// are. One row after another: an index may come twice.
template <typename T, typename Rule>
class SparseApplyOp final : public TrainingOp<T, Rule, true> {
 public:
  using TrainingOp<T, Rule, true>::TrainingOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& gradient = ctx->input(Rule::kGradient);  // [n,row...]
    const Tensor& indices = ctx->input(this->kIndices);    // [n]
    const Scalars<Computed<T>> scalars = this->ScalarsOf(ctx);
    LockedVariables variables(ctx, Rule::kVariables, DTypeOf<T>());
    const Tensor& value = variables[0].value;  // [rows,row...]
    variables.RequireShapeOf(value, this->names_[0]);
    Require(indices.rank() == 1, "indices must be a vector, not ", indices.shape());
    const PartialShape expected = GatheredShape(value.shape(), indices.shape(), 0, 0);
    Require(expected.IsCompatibleWith(gradient.shape()), "grad must have shape ",
            expected, " for indices ", indices.shape(), " of a variable of shape ",
            value.shape(), ", got ", gradient.shape());
    const std::vector<int64_t> rows = CheckedIndices(indices, value.dim(0));
    if (gradient.num_elements() == 0) return;

    const int64_t row_size = value.num_elements() / value.dim(0);
    const auto elements = this->ElementsOf(&variables);
    const T* g = gradient.flat<T>().data();
    for (const int64_t row : rows) {
      std::array<T*, kMaxVariables> at = elements;
      for (int k = 0; k < Rule::kVariables; ++k) at[k] += row * row_size;
      ApplyToRow(this->rule_, at, g, row_size, scalars);
      g += row_size;
    }
  }
};

template <template <typename, typename> typename Op, typename Rule>
void RegisterForAllTypes(const std::string& op) {
  ForTypes(RealTypes{},
           [&]<typename T>() { RegisterKernel<Op<T, Rule>>(Kernel(op).Type<T>("T")); });
}

// Registers ResourceApplyX and ResourceSparseApplyX.
template <typename Rule>
void RegisterRule(const std::string& name) {
  RegisterForAllTypes<ApplyOp, Rule>("ResourceApply" + name);
  RegisterForAllTypes<SparseApplyOp, Rule>("ResourceSparseApply" + name);
}

const bool kRulesAreRegistered = [] {
  RegisterForAllTypes<ApplyOp, GradientDescent>("ResourceApplyGradientDescent");
  RegisterForAllTypes<ApplyOp, Adam>("ResourceApplyAdam");
  RegisterRule<Momentum>("Momentum");
  RegisterRule<Adagrad>("Adagrad");
  RegisterRule<RmsProp>("RMSProp");
  RegisterRule<CenteredRmsProp>("CenteredRMSProp");
  RegisterRule<Adadelta>("Adadelta");
  RegisterRule<Ftrl>("Ftrl");
  RegisterRule<FtrlV2>("FtrlV2");
  RegisterRule<ProximalGradientDescent>("ProximalGradientDescent");
  RegisterRule<ProximalAdagrad>("ProximalAdagrad");
  return true;
}();

}  // namespace
}  // namespace minitf
