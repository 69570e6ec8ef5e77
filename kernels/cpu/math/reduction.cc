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

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
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

// ---- What is computed ----------------------------------------------------------------

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
    // NaN stays: if y is NaN, x > y is false and y is taken; if x is, the last line sees
    // it. Written so, vectors take two instructions, a comparison and a larger-of-two.
    const T larger = x > y ? x : y;
    return x != x ? x : larger;
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
    const T smaller = x < y ? x : y;
    return x != x ? x : smaller;
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

// ---- Loops in plain memory -----------------------------------------------------------

// Any reduction is made of steps of one form: x [outer,length,inner] is reduced along
// its middle axis to y [outer,inner]. Two things decide how well a step does:
//
//   speed      vector instructions need neighbours that do not wait for each other. If
//              inner is large, these are neighbouring columns; if it is small, a few rows
//              together make up as many independent sums (lanes)
//   exactness  a sum of 10^7 numbers, one added to the next, loses the small ones. Rows
//              are summed in chunks, and then the sums of the chunks: the error grows
//              with the length of a chunk, not with that of the axis
//
// Chunks also are what threads share. Their size follows from the shape alone, so the
// result is the same for any number of threads.

constexpr int64_t kLanes = 32;          // two vectors of 16 floats
constexpr int64_t kChunk = 8192;        // elements that one thread reduces at a time
constexpr int64_t kMinChunkRows = 64;   // so that the results of chunks are few
constexpr int64_t kColumnBlock = 2048;  // results that stay in the first cache

// y [columns] = the first `columns` of each of `rows` rows, which lie `inner` apart.
template <typename Reducer, typename T>
void ReduceColumns(const T* x, int64_t rows, int64_t inner, int64_t columns, T* y) {
  std::fill_n(y, columns, Reducer::template Identity<T>());
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const T* a = x + row * inner;
    const T* b = a + inner;
    const T* c = b + inner;
    const T* d = c + inner;
    for (int64_t i = 0; i < columns; ++i) {
      const T first = Reducer::Join(a[i], b[i]);
      const T second = Reducer::Join(c[i], d[i]);
      y[i] = Reducer::Join(y[i], Reducer::Join(first, second));
    }
  }
  for (; row < rows; ++row) {
    const T* a = x + row * inner;
    for (int64_t i = 0; i < columns; ++i) {
      y[i] = Reducer::Join(y[i], a[i]);
    }
  }
}

// Makes one row of lanes [kWidth / inner,inner]: the second half joins the first, until
// `inner` are left. So many numbers are joined at a time, where one row after the other
// would wait for the one before. Requires: kWidth is inner times a power of two.
template <typename Reducer, int64_t kWidth, typename T>
void FoldLanes(int64_t inner, T* lanes) {
  if (kWidth <= inner) return;
  if constexpr (kWidth > 1) {
    constexpr int64_t kHalf = kWidth / 2;
    if constexpr (std::is_floating_point_v<T> && kHalf > 1) {
      // Vectors by name: what the compiler makes of the loop takes four times as long.
      using Half [[gnu::vector_size(kHalf * sizeof(T))]] = T;
      Half first, second;
      std::memcpy(&first, lanes, sizeof(Half));
      std::memcpy(&second, lanes + kHalf, sizeof(Half));
      first = Reducer::Join(first, second);
      std::memcpy(lanes, &first, sizeof(Half));
    } else {
      for (int64_t i = 0; i < kHalf; ++i) {
        lanes[i] = Reducer::Join(lanes[i], lanes[kHalf + i]);
      }
    }
    FoldLanes<Reducer, kHalf>(inner, lanes);
  }
}

// Asks for what comes soon. The processor does so itself, but not from one page to the
// next, nor far enough ahead where there is more to do than to add.
constexpr int64_t kAhead = 512;  // elements

template <typename T>
void PrefetchLines(const T* x, int64_t count) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t i = 0; i < count; i += kLine) __builtin_prefetch(x + i);
}

// y [inner] = `rows` rows of `inner` <= kLanes / 2 elements, reduced. A group of rows is
// taken together, so that there are up to kLanes independent sums. `Inner` is int64_t, or
// a type that says the number: then no lane is in memory.
template <typename Reducer, typename T, typename Inner>
void ReduceNarrowRows(const T* x, int64_t rows, Inner inner, T* y) {
  const int64_t group = kLanes / inner;
  if (2 * rows < group) return ReduceColumns<Reducer>(x, rows, inner, inner, y);
  const int64_t width = group * inner;
  T lanes[kLanes];
  std::fill_n(lanes, kLanes, Reducer::template Identity<T>());
  int64_t row = 0;
  if (width == kLanes) {  // a width that is known makes the lanes registers
    for (; row + 4 * group <= rows; row += 4 * group, x += 4 * kLanes) {
      PrefetchLines(x + kAhead, 4 * kLanes);  // maybe nothing is there
      for (int64_t i = 0; i < kLanes; ++i) {
        // Only the last Join waits for what was joined before.
        const T first = Reducer::Join(x[i], x[kLanes + i]);
        const T second = Reducer::Join(x[2 * kLanes + i], x[3 * kLanes + i]);
        lanes[i] = Reducer::Join(lanes[i], Reducer::Join(first, second));
      }
    }
  }
  for (; row + group <= rows; row += group, x += width) {
    for (int64_t i = 0; i < width; ++i) {
      lanes[i] = Reducer::Join(lanes[i], x[i]);
    }
  }
  for (int64_t i = 0; i < (rows - row) * inner; ++i) {
    lanes[i] = Reducer::Join(lanes[i], x[i]);
  }
  if (width == kLanes) {
    FoldLanes<Reducer, kLanes>(inner, lanes);
    std::copy_n(lanes, inner, y);
  } else {
    ReduceColumns<Reducer>(lanes, group, inner, inner, y);
  }
}

// Reduces x [outer,length,inner] to y [outer,inner]. An axis of length 0 gives the
// reducer's identity. Of a Reducer, Identity and Join are used.
template <typename Reducer, typename T>
void ReduceMiddle(const ReductionSizes& s, const T* x, T* y, ThreadPool& threads) {
  const int64_t chunk_rows =
      std::max(kMinChunkRows, kChunk / std::max<int64_t>(s.inner, 1));
  const int64_t chunks = std::max<int64_t>((s.length + chunk_rows - 1) / chunk_rows, 1);
  const int64_t blocks = (s.inner + kColumnBlock - 1) / kColumnBlock;
  const bool is_narrow = s.inner <= kLanes / 2;

  // Each unit of work is a chunk of rows and a block of columns.
  std::unique_ptr<T[]> partial;  // [outer,chunks,inner]
  if (chunks > 1) partial.reset(new T[s.outer * chunks * s.inner]);
  T* results = chunks > 1 ? partial.get() : y;
  const auto reduce_units = [&](int64_t begin, int64_t end) {
    // Counted, since three divisions take longer than a short row.
    int64_t block = begin % blocks;
    int64_t chunk = begin / blocks % chunks;
    int64_t o = begin / blocks / chunks;
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t column = block * kColumnBlock;
      const int64_t first_row = chunk * chunk_rows;
      const int64_t rows = std::min(chunk_rows, s.length - first_row);
      const int64_t columns = std::min(kColumnBlock, s.inner - column);
      const T* from = x + (o * s.length + first_row) * s.inner + column;
      T* to = results + (o * chunks + chunk) * s.inner + column;
      if (s.inner == 1) {
        ReduceNarrowRows<Reducer>(from, rows, std::integral_constant<int64_t, 1>(), to);
      } else if (is_narrow) {
        ReduceNarrowRows<Reducer>(from, rows, s.inner, to);
      } else {
        ReduceColumns<Reducer>(from, rows, s.inner, columns, to);
      }
      if (++block < blocks) continue;
      block = 0;
      if (++chunk < chunks) continue;
      chunk = 0;
      ++o;
    }
  };
  const int64_t unit_cost =
      std::min(chunk_rows, s.length) * std::min(s.inner, kColumnBlock) / 4 + 5;
  threads.ParallelFor(s.outer * chunks * blocks, unit_cost, reduce_units);

  if (chunks > 1) {
    ReduceMiddle<Reducer>(ReductionSizes{s.outer, chunks, s.inner}, results, y, threads);
  }
}

// ---- The kernel ----------------------------------------------------------------------

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
