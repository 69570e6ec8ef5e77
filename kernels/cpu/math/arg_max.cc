// ArgMax and ArgMin on the CPU: where the largest and the smallest element stands.
//
// The input is seen as [outer, axis, inner]. For one outer index all inner places are
// searched side by side, so that memory is read in order whatever the axis.
//
// Of several equal elements the first counts. A NaN is neither larger nor smaller than
// any number, so it is chosen only where there is nothing else.
//
// Op         minitf/ops/math/math_ops.cc
// Compare    tensorflow/core/kernels/argmax_op.cc
// Read next  kernels/cpu/math/broadcast_gradient_args.cc

#include <complex>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/cwise/cwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Complex numbers are ordered by their absolute value.
template <typename T>
auto Rank(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::norm(x);
  } else {
    return x;
  }
}

struct Larger {
  template <typename T>
  static bool Beats(const T& x, const T& best) {
    return Rank(best) < Rank(x) || (best != best && x == x);
  }
};

struct Smaller {
  template <typename T>
  static bool Beats(const T& x, const T& best) {
    return Rank(x) < Rank(best) || (best != best && x == x);
  }
};

// x is [axis, inner], places is [inner].
using SearchFn = void (*)(const void* x, int64_t axis, int64_t inner, void* places);

template <typename T, typename Order, typename Index>
void Search(const void* x, int64_t axis, int64_t inner, void* places) {
  const T* from = static_cast<const T*>(x);
  auto* to = static_cast<Index*>(places);
  std::fill_n(to, inner, Index{0});
  for (int64_t i = 1; i < axis; ++i) {
    for (int64_t j = 0; j < inner; ++j) {
      const T& best = from[to[j] * inner + j];
      if (Order::Beats(from[i * inner + j], best)) to[j] = static_cast<Index>(i);
    }
  }
}

class ArgOp final : public OpKernel {
 public:
  ArgOp(OpKernelConstruction* construction, SearchFn to_int32, SearchFn to_int64)
      : OpKernel(construction), to_int32_(to_int32), to_int64_(to_int64) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [outer..., axis, inner...]
    const Tensor& dimension = ctx->host_input(1);
    const int axis = NormalizedAxis(IntegerOf(dimension, "dimension"), x.rank());
    const int64_t axis_size = x.dim(axis);
    OP_REQUIRES(ctx, axis_size > 0,
                errors::InvalidArgument("Reduction axis ", axis, " is empty in shape ",
                                        x.shape()));
    std::vector<int64_t> sizes = x.shape().ToVector();
    sizes.erase(sizes.begin() + axis);
    Tensor* places = nullptr;  // [outer..., inner...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &places));
    if (places->num_elements() == 0) return;

    int64_t outer = 1;
    for (int i = 0; i < axis; ++i) outer *= x.dim(i);
    const int64_t inner = places->num_elements() / outer;
    const auto x_step = axis_size * inner * static_cast<int64_t>(SizeOf(x.dtype()));
    const auto places_step = inner * static_cast<int64_t>(SizeOf(places->dtype()));
    const SearchFn search = places->dtype() == DType::kInt64 ? to_int64_ : to_int32_;
    const auto* from = static_cast<const char*>(x.data());
    auto* to = static_cast<char*>(places->mutable_data());
    ctx->threads().ParallelFor(outer, axis_size * inner, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        search(from + i * x_step, axis_size, inner, to + i * places_step);
      }
    });
  }

 private:
  const SearchFn to_int32_;
  const SearchFn to_int64_;
};

template <typename Order, typename T>
void RegisterArgOp(const char* op) {
  KernelRegistrar(Kernel(op).HostMemory("dimension").Type<T>("T"),
                  [](OpKernelConstruction* construction) {
                    return std::make_unique<ArgOp>(construction,
                                                   Search<T, Order, int32_t>,
                                                   Search<T, Order, int64_t>);
                  });
}

const bool kArgMaxRegistered = ForTypes(OrderedTypes{}, []<typename T>() {
  RegisterArgOp<Larger, T>("ArgMax");
  RegisterArgOp<Smaller, T>("ArgMin");
});

}  // namespace
}  // namespace minitf
