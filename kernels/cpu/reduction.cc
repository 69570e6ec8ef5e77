// Sum, Mean, Prod, EuclideanNorm, Max, Min, Any and All on the CPU.
//
// Neighbouring axes that are all reduced, or all kept, are one axis in memory, so a shape
// comes down to axes of the two kinds in turn. Each reduced one takes a step, the last
// first:
//
//   [8,5,5,32] over axes 0,1,2   ->  [200,32] over 0     one step
//   [8,5,5,32] over axes 0,2     ->  [8,5,5,32] over 2, then [8,5,32] over 0
//
// Only a few types are summed as they are. The 16-bit floats are widened to float and
// rounded once at the end, integers become int64, which wraps around to the same result.
//
// Op         minitf/ops/reduction_ops.cc
// Compare    tensorflow/core/kernels/reduction_ops_sum.cc and its neighbours
// Read next  minitf/gradients/math_grad.cc

#include "kernels/cpu/reduction.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/arithmetic.h"
#include "kernels/cpu/cwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// ---- What is computed
// ------------------------------------------------------------------ A Reducer joins two
// numbers; Finish makes the result from what all were joined to.

// Prepare is what happens to each element first.

struct Plain {
  template <typename T>
  static T Prepare(T x) {
    return x;
  }
  template <typename T>
  static T Finish(T joined, int64_t) {
    return joined;
  }
};

struct Sum : Plain {
  template <typename T>
  static T Identity() {
    return T(0);
  }
  template <typename T>
  static T Join(T x, T y) {
    return WrapAdd(x, y);
  }
};

struct Mean : Sum {
  template <typename T>
  static T Finish(T sum, int64_t count) {
    if constexpr (std::is_integral_v<T>) {
      return count == 0 ? T(0) : static_cast<T>(sum / static_cast<T>(count));
    } else if constexpr (kIsComplex<T>) {
      return sum / static_cast<typename T::value_type>(count);
    } else {
      return sum / static_cast<T>(count);
    }
  }
};

struct EuclideanNorm : Sum {
  template <typename T>
  static T Prepare(T x) {
    if constexpr (kIsComplex<T>) {
      return x * std::conj(x);
    } else {
      return WrapMultiply(x, x);
    }
  }
  template <typename T>
  static T Finish(T sum, int64_t) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(std::sqrt(static_cast<double>(sum)));
    } else {
      return std::sqrt(sum);
    }
  }
};

struct Prod : Plain {
  template <typename T>
  static T Identity() {
    return T(1);
  }
  template <typename T>
  static T Join(T x, T y) {
    return WrapMultiply(x, y);
  }
};

struct Max : Plain {
  template <typename T>
  static T Identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <typename T>
  static T Join(T x, T y) {
    return x >= y || x != x ? x : y;  // what is not a number stays
  }
};

struct Min : Plain {
  template <typename T>
  static T Identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <typename T>
  static T Join(T x, T y) {
    return x <= y || x != x ? x : y;
  }
};

struct Any : Plain {
  template <typename T>
  static T Identity() {
    return false;
  }
  template <typename T>
  static T Join(T x, T y) {
    return x || y;
  }
};

struct All : Plain {
  template <typename T>
  static T Identity() {
    return true;
  }
  template <typename T>
  static T Join(T x, T y) {
    return x && y;
  }
};

// ---- Along which axes
// ------------------------------------------------------------------

struct MergedAxis {
  int64_t size;
  bool is_reduced;
};

// What a call reduces: the shape of the result, and the axes of the input, merged.
struct ReductionPlan {
  Shape output;
  std::vector<MergedAxis> axes;  // reduced and kept ones in turn
  int64_t num_reduced = 1;       // elements of the input for one of the output
};

void AddAxis(std::vector<MergedAxis>* axes, int64_t size, bool is_reduced) {
  if (size == 1) return;
  if (!axes->empty() && axes->back().is_reduced == is_reduced) {
    axes->back().size *= size;
  } else {
    axes->push_back({size, is_reduced});
  }
}

// Throws InvalidArgument for an axis that is not there, or is given twice.
ReductionPlan PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims) {
  Require(axes.rank() <= 1, "the axes must be a scalar or a vector, their shape is ",
          axes.shape());
  std::vector<bool> is_reduced(input.rank(), false);
  for (const int64_t axis : IntegersOf(axes)) {
    const int normalized = NormalizedAxis(axis, input.rank());
    Require(!is_reduced[normalized], "axis ", axis, " is given twice");
    is_reduced[normalized] = true;
  }
  ReductionPlan plan;
  std::vector<int64_t> output;
  for (int axis = 0; axis < input.rank(); ++axis) {
    const int64_t size = input.dim(axis);
    if (is_reduced[axis]) plan.num_reduced *= size;
    if (!is_reduced[axis]) output.push_back(size);
    if (is_reduced[axis] && keep_dims) output.push_back(1);
    AddAxis(&plan.axes, size, is_reduced[axis]);
  }
  plan.output = Shape(output);
  return plan;
}

// Takes the last reduced axis, and those behind it, out of `axes`.
ReductionSizes NextStep(std::vector<MergedAxis>* axes) {
  ReductionSizes sizes;
  size_t last = axes->size() - 1;
  while (!(*axes)[last].is_reduced) sizes.inner *= (*axes)[last--].size;
  sizes.length = (*axes)[last].size;
  for (size_t i = 0; i < last; ++i) sizes.outer *= (*axes)[i].size;

  axes->resize(last);
  AddAxis(axes, sizes.inner, false);
  return sizes;
}

// ---- The kernel
// ------------------------------------------------------------------------

template <typename T>
using WideInteger = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>;

/// The type in which elements of T are joined.
template <typename T>
using JoinType = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                    WideInteger<T>, ComputeType<T>>;

template <typename Reducer, typename T>
class ReductionOp final : public OpKernel {
 public:
  explicit ReductionOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    ReductionPlan plan = PlanReduction(input.shape(), ctx->input(1), keep_dims_);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, plan.output, &output));
    if (output->num_elements() == 0) return;

    const Tensor joined = Reduce(ctx, Prepared(ctx, input), &plan.axes);
    const auto from = joined.flat<J>();
    const auto to = output->mutable_flat<T>();
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] = static_cast<T>(Reducer::Finish(from[i], plan.num_reduced));
    }
  }

 private:
  using J = JoinType<T>;

  // The elements of `input` as J, prepared.
  static Tensor Prepared(OpKernelContext* ctx, const Tensor& input) {
    constexpr bool is_squared = std::is_base_of_v<EuclideanNorm, Reducer>;
    if constexpr (std::is_same_v<T, J> && !is_squared) return input;
    Tensor result;
    ThrowIfError(ctx->allocate_temp(DTypeOf<J>(), input.shape(), &result));
    const auto from = input.flat<T>();
    const auto to = result.mutable_flat<J>();
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] = Reducer::Prepare(static_cast<J>(from[i]));
    }
    return result;
  }

  // One step after another, until no axis is left to reduce.
  static Tensor Reduce(OpKernelContext* ctx, Tensor x, std::vector<MergedAxis>* axes) {
    while (std::ranges::any_of(*axes, &MergedAxis::is_reduced)) {
      const ReductionSizes sizes = NextStep(axes);
      Tensor y;  // [outer,inner]
      ThrowIfError(ctx->allocate_temp(DTypeOf<J>(), {sizes.outer, sizes.inner}, &y));
      ReduceMiddle<Reducer>(sizes, x.flat<J>().data(), y.mutable_flat<J>().data(),
                            ctx->threads());
      x = std::move(y);
    }
    return x;
  }

  bool keep_dims_ = false;
};

template <typename Reducer, typename... Ts>
void RegisterReduction(const std::string& op, Types<Ts...>) {
  (RegisterKernel<ReductionOp<Reducer, Ts>>(Kernel(op).Type<Ts>("T")), ...);
}

[[maybe_unused]] const bool kRegistered = [] {
  constexpr auto ordered = RealTypes{} + SignedTypes{} + UnsignedTypes{};
  constexpr auto numbers = ordered + ComplexTypes{};
  RegisterReduction<Sum>("Sum", numbers);
  RegisterReduction<Mean>("Mean", numbers);
  RegisterReduction<Prod>("Prod", numbers);
  RegisterReduction<EuclideanNorm>("EuclideanNorm", numbers);
  RegisterReduction<Max>("Max", ordered);
  RegisterReduction<Min>("Min", ordered);
  RegisterKernel<ReductionOp<Any, bool>>(Kernel("Any"));
  RegisterKernel<ReductionOp<All, bool>>(Kernel("All"));
  return true;
}();

}  // namespace
}  // namespace minitf
