// AvgPool and its gradient on the CPU.
//
// The mean is over those numbers of the window that are inside of the image: padding is
// neither added nor counted. So at the border a window shares its gradient out among
// fewer numbers.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/avgpooling_op.cc
// Read next  kernels/cpu/nn/bias.cc

#include <algorithm>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/nhwc.h"
#include "kernels/cpu/conv/patches.h"
#include "minitf/base/stop.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// How many taps of the window at (p,q) are inside of the image. Padding does not count,
// in the mean as in its gradient: at the border fewer numbers are averaged.
int64_t TapsInside(const Conv2dGeometry& g, int64_t p, int64_t q) {
  return TapRange::OfRows(g, p).size() * TapRange::OfColumns(g, q).size();
}

// x [N,H,W,C], y [N,P,Q,C].
template <typename T>
void AvgPool(const Conv2dGeometry& g, const T* x, T* y, ThreadPool& threads) {
  const auto work = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t p = i % g.places() / g.q;
      const int64_t q = i % g.q;
      const T* image = x + i / g.places() * g.h * g.w * g.c;
      T* __restrict mean = y + i * g.c;
      std::fill_n(mean, g.c, T(0));
      ForEachTap(g, p, q, [&](int64_t pixel, int64_t) {
        const T* __restrict from = image + pixel * g.c;
        for (int64_t c = 0; c < g.c; ++c) mean[c] += from[c];
      });
      const T count(TapsInside(g, p, q));
      for (int64_t c = 0; c < g.c; ++c) mean[c] /= count;
    }
  };
  threads.ParallelFor(g.n * g.places(), TapsOnImage(g) * g.c / 4, work);
}

// dx [N,H,W,C] from dy [N,P,Q,C].
template <typename T>
void AvgPoolGrad(const Conv2dGeometry& g, const T* dy, T* dx, ThreadPool& threads) {
  const int64_t image_size = g.h * g.w * g.c;
  // Windows may overlap inside of an image, so an image is the smallest piece.
  const auto work = [&](int64_t begin, int64_t end) {
    std::fill(dx + begin * image_size, dx + end * image_size, T(0));
    for (int64_t i = begin * g.places(); i < end * g.places(); ++i) {
      const int64_t p = i % g.places() / g.q;
      const int64_t q = i % g.q;
      if (q == 0) StopIfAsked();
      T* image = dx + i / g.places() * image_size;
      const T* __restrict from = dy + i * g.c;
      const T count(TapsInside(g, p, q));
      ForEachTap(g, p, q, [&](int64_t pixel, int64_t) {
        T* __restrict to = image + pixel * g.c;
        for (int64_t c = 0; c < g.c; ++c) to[c] += from[c] / count;
      });
    }
  };
  threads.ParallelPieces(g.n, g.places() * TapsOnImage(g) * g.c / 4, work);
}

template <typename T>
class AvgPoolOp final : public OpKernel {
 public:
  explicit AvgPoolOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C], or [N,C,H,W]
    const auto g = Conv2dGeometry::OfPool(x.shape(), attrs_);
    Tensor* y = nullptr;  // [N,P,Q,C], or [N,C,P,Q]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &y));
    if (y->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = ToNhwc(x, g.format);
    Tensor result = NhwcBuffer(*y, g.format);
    AvgPool(g.WithDepthAsColumns(), images.flat<Sum>().data(),
            result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, y);
  }

 private:
  const PoolAttrs attrs_;
};

template <typename T>
class AvgPoolGradOp final : public OpKernel {
 public:
  explicit AvgPoolGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->host_input(0);  // [4]: the sizes of x
    const Tensor& dy = ctx->input(1);          // [N,P,Q,C], or [N,C,P,Q]
    const Shape x_shape = ShapeFromSizes(sizes, "orig_input_shape");
    const auto g = Conv2dGeometry::OfPool(x_shape, attrs_);
    CheckOutputGradient(g, dy.shape());
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x_shape, &dx));
    if (dx->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor gradient = ToNhwc(dy, g.format);
    Tensor result = NhwcBuffer(*dx, g.format);
    AvgPoolGrad(g.WithDepthAsColumns(), gradient.flat<Sum>().data(),
                result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, dx);
  }

 private:
  const PoolAttrs attrs_;
};

const bool kAvgPoolingRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<AvgPoolOp<T>>(Kernel("AvgPool").Type<T>("T"));
  RegisterKernel<AvgPoolGradOp<T>>(
      Kernel("AvgPoolGrad").HostMemory("orig_input_shape").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
