// ArgMax and ArgMin on the CPU: where the largest and the smallest element stands.
//
// The input is seen as [outer, axis, inner]. For one outer index all inner places are
// searched side by side, so that memory is read in order whatever the axis.
//
// Of several equal elements the first counts. A NaN is larger than every number for
// ArgMax, and smaller for ArgMin, so that it is not overlooked.
//
// Op         minitf/ops/math_ops.cc
// Compare    tensorflow/core/kernels/argmax_op.cc
// Read next  kernels/cpu/broadcast_gradient_args.cc

#include <complex>
#include <vector>

#include "kernels/cpu/arithmetic.h"
#include "kernels/cpu/eigen_view.h"
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
    return Rank(best) < Rank(x) || (x != x && best == best);
  }
};

struct Smaller {
  template <typename T>
  static bool Beats(const T& x, const T& best) {
    return Rank(x) < Rank(best) || (x != x && best == best);
  }
};

// x is [axis, inner], places is [inner].
template <typename T, typename Order, typename Index>
void Search(const T* x, int64_t axis, int64_t inner, Index* places) {
  std::fill_n(places, inner, Index{0});
  for (int64_t i = 1; i < axis; ++i) {
    for (int64_t j = 0; j < inner; ++j) {
      const T& best = x[places[j] * inner + j];
      if (Order::Beats(x[i * inner + j], best)) places[j] = static_cast<Index>(i);
    }
  }
}

template <typename T, typename Order>
class ArgOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [outer..., axis, inner...]
    const Tensor& dimension = ctx->input(1);
    OP_REQUIRES(ctx, dimension.num_elements() == 1,
                errors::InvalidArgument("dimension must be a scalar, its shape is ",
                                        dimension.shape()));
    const int axis = NormalizedAxis(IntegersOf(dimension)[0], x.rank());
    const int64_t axis_size = x.dim(axis);
    OP_REQUIRES(ctx, axis_size > 0,
                errors::InvalidArgument("Reduction axis ", axis, " is empty in shape ",
                                        x.shape()));
    std::vector<int64_t> sizes = x.shape().ToVector();
    sizes.erase(sizes.begin() + axis);
    Tensor* places = nullptr;  // [outer..., inner...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &places));

    int64_t outer = 1;
    for (int i = 0; i < axis; ++i) outer *= x.dim(i);
    if (places->num_elements() == 0) return;
    const int64_t inner = places->num_elements() / outer;
    const auto search = [&](auto* to) {
      const T* from = x.flat<T>().data();
      ctx->threads().ParallelFor(outer, axis_size * inner,
                                 [&](int64_t begin, int64_t end) {
                                   for (int64_t i = begin; i < end; ++i) {
                                     Search<T, Order>(from + i * axis_size * inner,
                                                      axis_size, inner, to + i * inner);
                                   }
                                 });
    };
    if (places->dtype() == DType::kInt64)
      return search(places->mutable_flat<int64_t>().data());
    search(places->mutable_flat<int32_t>().data());
  }
};

template <typename... Ts>
bool RegisterAll() {
  (RegisterKernel<ArgOp<Ts, Larger>>(Kernel("ArgMax").On(Device::kCpu).Type<Ts>("T")),
   ...);
  (RegisterKernel<ArgOp<Ts, Smaller>>(Kernel("ArgMin").On(Device::kCpu).Type<Ts>("T")),
   ...);
  return true;
}

const bool kIsRegistered =
    RegisterAll<bfloat16, float16, float, double, uint8_t, int8_t, uint16_t, int16_t,
                uint32_t, int32_t, uint64_t, int64_t, complex64, complex128>();

}  // namespace
}  // namespace minitf
