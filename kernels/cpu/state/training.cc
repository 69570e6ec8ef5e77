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
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
      piece.v[i] = wide[i].data();
      Widen(variables[i], wide[i].data(), count);
    }
    rule.Apply(piece);
    for (int i = 0; i < Rule::kVariables; ++i) {
      Narrow(wide[i].data(), variables[i], count);
    }
  }
}

// Applies formulas to `count` elements: those of the variables from `at` on, and those of
// the gradient from `from` on.
using ApplyFormulas = std::function<void(int64_t at, int64_t from, int64_t count)>;

// The formulas of a rule for elements of one type. Nothing else of a training op depends
// on the rule or the type, so all of that is compiled once.
class Formulas {
 public:
  Formulas(int num_variables, int gradient, DType dtype)
      : num_variables(num_variables), gradient(gradient), dtype(dtype) {}
  virtual ~Formulas() = default;

  // Throws InvalidArgument where the formulas make no sense for such numbers.
  virtual void Check(const Scalars<const Tensor*>& scalars) const = 0;

  // What may be called while `variables` are held.
  virtual ApplyFormulas For(LockedVariables* variables, const Tensor& gradient,
                            const Scalars<const Tensor*>& scalars) const = 0;

  const int num_variables;
  const int gradient;  // its index among the inputs
  const DType dtype;
};

template <typename T, typename Rule>
class FormulasOf final : public Formulas {
 public:
  explicit FormulasOf(const Attrs& attrs)
      : Formulas(Rule::kVariables, Rule::kGradient, DTypeOf<T>()), rule_(attrs) {}

  void Check(const Scalars<const Tensor*>& scalars) const override {
    if constexpr (requires { Rule::Check(Numbers(scalars)); }) {
      Rule::Check(Numbers(scalars));
    }
  }

  ApplyFormulas For(LockedVariables* variables, const Tensor& gradient,
                    const Scalars<const Tensor*>& scalars) const override {
    std::array<T*, kMaxVariables> elements{};
    for (int i = 0; i < Rule::kVariables; ++i) {
      elements[i] = variables->MutableElements<T>(i).data();
    }
    return [this, elements, g = gradient.flat<T>().data(), numbers = Numbers(scalars)](
               int64_t at, int64_t from, int64_t count) {
      for (int64_t done = 0; done < count; done += kPieceSize) {
        std::array<T*, kMaxVariables> piece = elements;
        for (int i = 0; i < Rule::kVariables; ++i) piece[i] += at + done;
        ApplyToPiece(rule_, piece, g + from + done, std::min(kPieceSize, count - done),
                     numbers);
      }
    };
  }

 private:
  static Scalars<Computed<T>> Numbers(const Scalars<const Tensor*>& scalars) {
    Scalars<Computed<T>> numbers{};
    for (size_t i = 0; i < scalars.size(); ++i) {
      if (scalars[i]) numbers[i] = static_cast<Computed<T>>(scalars[i]->scalar<T>());
    }
    return numbers;
  }

  const Rule rule_;
};

// What dense and sparse updates share. A sparse op has the inputs of the dense one, with
// the indices of the rows behind the gradient.
class TrainingOp : public OpKernel {
 public:
  TrainingOp(OpKernelConstruction* construction, std::unique_ptr<Formulas> formulas,
             bool is_sparse)
      : OpKernel(construction),
        formulas_(std::move(formulas)),
        gradient_(formulas_->gradient),
        indices_(is_sparse ? gradient_ + 1 : -1) {
    for (const ArgDef& input : construction->op().inputs) names_.push_back(input.name);
  }

 protected:
  // By their indices in the dense op; null where that has no scalar.
  Scalars<const Tensor*> ScalarsOf(OpKernelContext* ctx) const {
    Scalars<const Tensor*> scalars{};
    int place = formulas_->num_variables;
    for (int i = place; i < ctx->num_inputs(); ++i) {
      if (i == indices_) continue;
      if (i != gradient_) {
        const Tensor& scalar = ctx->input(i);
        Require(scalar.rank() == 0, names_[i], " is not a scalar: ", scalar.shape());
        scalars[place] = &scalar;
      }
      ++place;
    }
    formulas_->Check(scalars);
    return scalars;
  }

  const std::unique_ptr<const Formulas> formulas_;
  const int gradient_;              // of the inputs
  const int indices_;               // of the inputs; -1 in a dense op
  std::vector<std::string> names_;  // of the inputs
};

class ApplyOp final : public TrainingOp {
 public:
  ApplyOp(OpKernelConstruction* construction, std::unique_ptr<Formulas> formulas)
      : TrainingOp(construction, std::move(formulas), false) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& gradient = ctx->input(gradient_);
    const auto scalars = ScalarsOf(ctx);
    LockedVariables variables(ctx, formulas_->num_variables, formulas_->dtype);
    variables.RequireShapeOf(gradient, names_[gradient_]);
    const ApplyFormulas apply = formulas_->For(&variables, gradient, scalars);

    const int64_t total = gradient.num_elements();
    const int64_t pieces = (total + kPieceSize - 1) / kPieceSize;
    ctx->threads().ParallelFor(pieces, kPieceSize, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kPieceSize;
      apply(first, first, std::min(end * kPieceSize, total) - first);
    });
  }
};

// Row i of the gradient is for row indices[i] of the variables; other rows stay as they
// are. One row after another: an index may come twice.
class SparseApplyOp final : public TrainingOp {
 public:
  SparseApplyOp(OpKernelConstruction* construction, std::unique_ptr<Formulas> formulas)
      : TrainingOp(construction, std::move(formulas), true) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& gradient = ctx->input(gradient_);  // [n,row...]
    const Tensor& indices = ctx->input(indices_);    // [n]
    const auto scalars = ScalarsOf(ctx);
    LockedVariables variables(ctx, formulas_->num_variables, formulas_->dtype);
    const Tensor& value = variables[0].value;  // [rows,row...]
    variables.RequireShapeOf(value, names_[0]);
    Require(indices.rank() == 1, "indices must be a vector, not ", indices.shape());
    const PartialShape expected = GatheredShape(value.shape(), indices.shape(), 0, 0);
    Require(expected.IsCompatibleWith(gradient.shape()), "grad must have shape ",
            expected, " for indices ", indices.shape(), " of a variable of shape ",
            value.shape(), ", got ", gradient.shape());
    const std::vector<int64_t> rows = CheckedIndices(indices, value.dim(0));
    if (gradient.num_elements() == 0) return;

    const int64_t row_size = value.num_elements() / value.dim(0);
    const ApplyFormulas apply = formulas_->For(&variables, gradient, scalars);
    for (size_t i = 0; i < rows.size(); ++i) {
      apply(rows[i] * row_size, i * row_size, row_size);
    }
  }
};

template <typename Op, typename Rule>
void RegisterForAllTypes(const std::string& op) {
  ForTypes(RealTypes{}, [&]<typename T>() {
    KernelRegistrar(Kernel(op).Type<T>("T"), [](OpKernelConstruction* construction) {
      return std::make_unique<Op>(
          construction, std::make_unique<FormulasOf<T, Rule>>(construction->attrs()));
    });
  });
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
