// Sum, Mean, Prod, EuclideanNorm, Max, Min, Any and All on the CPU.
//
// What is done along which axes stands in a plan (reduction_plan.h). Here are the loops
// over elements, and the kernel that runs the plan.
//
// Only a few types are summed as they are. The 16-bit floats are widened to float and
// rounded once at the end, integers become int64, which wraps around to the same result.
//
// Op         minitf/ops/math/reduction_ops.cc
// Compare    tensorflow/core/kernels/reduction_ops_sum.cc and its neighbours
// Read next  minitf/gradients/math/math_grad.cc

#include "kernels/cpu/math/reduction.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/cwise/cwise.h"
#include "kernels/cpu/math/reduction_plan.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// ---- What is computed -----------------------------------------------------------------

// A Reducer has four functions: Prepare is applied to each element, Join makes one of two
// numbers, starting with Identity, and Finish makes the result of the one that is left.
//
// A Reducer knows neither axes nor threads; the steps below call it on plain memory.

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
      return static_cast<T>(sum / static_cast<T>(count));
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
    // What is not a number stays. In these words, a vector of each takes three
    // instructions, of which only the first waits for x.
    const T larger = y > x ? y : x;
    return y != y ? y : larger;
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
    const T smaller = y < x ? y : x;
    return y != y ? y : smaller;
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

// ---- The kernel -----------------------------------------------------------------------

template <typename T>
using WideInteger = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>;

/// The type in which elements of T are joined. A sum of int8 wraps around at 128, and one
/// of float16 stops growing at 2048; in a wide type only the result has to fit. As all
/// narrow types are widened to a few, the loops are compiled for those few alone.
template <typename T>
using JoinType = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                    WideInteger<T>, ComputeType<T>>;

/// The loops over elements: all that depends on the op and the element type. J is the
/// JoinType of T.
struct ReductionLoops {
  DType join_type;
  void (*prepare)(const Tensor& input, Tensor* prepared);  ///< T to J; null: nothing
  void (*step)(const ReductionSizes&, const Tensor& x, Tensor* y, ThreadPool&);  ///< J
  void (*finish)(const Tensor& joined, int64_t count, Tensor* output);  ///< J to T
};

template <typename Reducer, typename T>
void Prepare(const Tensor& input, Tensor* prepared) {
  using J = JoinType<T>;
  const auto from = input.flat<T>();
  const auto to = prepared->mutable_flat<J>();
  if constexpr (kIsHalf<T>) {
    Widen(from.data(), to.data(), input.num_elements());
    for (J& element : to) element = Reducer::Prepare(element);
  } else {
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] = Reducer::Prepare(static_cast<J>(from[i]));
    }
  }
}

template <typename Reducer, typename J>
void Step(const ReductionSizes& sizes, const Tensor& x, Tensor* y, ThreadPool& threads) {
  ReduceMiddle<Reducer>(sizes, x.flat<J>().data(), y->mutable_flat<J>().data(), threads);
}

template <typename Reducer, typename T>
void Finish(const Tensor& joined, int64_t count, Tensor* output) {
  const auto from = joined.flat<JoinType<T>>();
  const auto to = output->mutable_flat<T>();
  if (std::is_integral_v<T> && count == 0) {
    // Of no elements the result is the identity: for Max the lowest number of T, while
    // `from` has the lowest of J, which T cannot hold.
    std::ranges::fill(to, Reducer::template Identity<T>());
    return;
  }
  StoreEach(joined.num_elements(), to.data(),
            [&](int64_t i) { return Reducer::Finish(from[i], count); });
}

class ReductionOp final : public OpKernel {
 public:
  ReductionOp(OpKernelConstruction* construction, const ReductionLoops& loops)
      : OpKernel(construction), loops_(loops) {
    OP_REQUIRES_OK(construction, construction->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    ReductionPlan plan = PlanReduction(input.shape(), ctx->host_input(1), keep_dims_);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, plan.output, &output));
    if (output->num_elements() == 0) return;
    if (input.num_elements() == 0) {
      // One step makes the result. Several would fill tensors of any size in between.
      plan.axes = {{0, {0}}, {output->num_elements(), {1}}};
    }

    Tensor joined = input;
    if (loops_.prepare != nullptr) {
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(loops_.join_type, input.shape(), &joined));
      loops_.prepare(input, &joined);
    }
    // One step after another, until no axis is left to reduce. Each makes a tensor of its
    // own, which is smaller than the one before and freed after the next step.
    while (std::ranges::any_of(plan.axes, IsReduced)) {
      const ReductionSizes sizes = NextStep(&plan.axes);
      Tensor y;  // [outer,inner]
      OP_REQUIRES_OK(
          ctx, ctx->allocate_temp(loops_.join_type, {sizes.outer, sizes.inner}, &y));
      loops_.step(sizes, joined, &y, ctx->threads());
      joined = std::move(y);
    }
    loops_.finish(joined, plan.num_reduced, output);
  }

 private:
  const ReductionLoops loops_;
  bool keep_dims_ = false;
};

template <typename Reducer, typename T>
void RegisterReductionOf(const Kernel& kernel) {
  using J = JoinType<T>;
  constexpr bool is_squared = std::is_same_v<Reducer, EuclideanNorm>;
  // The squares are added up as in any sum.
  using Joiner = std::conditional_t<std::is_base_of_v<Sum, Reducer>, Sum, Reducer>;
  ReductionLoops loops = {DTypeOf<J>(), nullptr, Step<Joiner, J>, Finish<Reducer, T>};
  if constexpr (is_squared) {
    loops.prepare = Prepare<EuclideanNorm, T>;
  } else if constexpr (!std::is_same_v<T, J>) {
    loops.prepare = Prepare<Plain, T>;
  }
  KernelRegistrar(kernel, [loops](OpKernelConstruction* construction) {
    return std::make_unique<ReductionOp>(construction, loops);
  });
}

template <typename Reducer, typename... Ts>
void RegisterReduction(const std::string& op, Types<Ts...>) {
  const Kernel kernel = Kernel(op).HostMemory("reduction_indices").HostMemoryIfInt32("T");
  (RegisterReductionOf<Reducer, Ts>(Kernel(kernel).Type<Ts>("T")), ...);
}

[[maybe_unused]] const bool kReductionRegistered = [] {
  constexpr auto ordered = RealTypes{} + SignedTypes{} + UnsignedTypes{};
  constexpr auto numbers = ordered + ComplexTypes{};
  RegisterReduction<Sum>("Sum", numbers);
  RegisterReduction<Mean>("Mean", numbers);
  RegisterReduction<Prod>("Prod", numbers);
  RegisterReduction<EuclideanNorm>("EuclideanNorm", numbers);
  RegisterReduction<Max>("Max", ordered);
  RegisterReduction<Min>("Min", ordered);
  RegisterReductionOf<Any, bool>(Kernel("Any").HostMemory("reduction_indices"));
  RegisterReductionOf<All, bool>(Kernel("All").HostMemory("reduction_indices"));
  return true;
}();

}  // namespace
}  // namespace minitf
