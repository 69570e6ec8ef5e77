// AvgPool and its gradient on the CPU.
//
// The mean is over those numbers of the window that are inside of the image: padding is
// neither added nor counted.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/avgpooling_op.cc
// Read next  kernels/cpu/nn/bias.cc

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/nhwc.h"
#include "kernels/cpu/nn/windows.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// x [N,H,W,C], y [N,P,Q,C].
template <typename T>
void AvgPool(const Conv2dGeometry& g, const T* x, T* y, ThreadPool& threads) {
  const auto work = [&](int64_t begin, int64_t end) {
    ForEachWindow(g, begin, end, [&](Window window, int64_t place) {
      const T* const image_x = x + window.image();
      ForEachVector<T>(g.c, [&]<typename V>(int64_t c) {
        const T* const image = image_x + c;
        // LAB(10.10) begin: write the means of these channels to y + place * g.c + c
        V sum{};
        for (const int64_t tap : window.taps()) sum += Load<V>(image + tap);
        Store(V(sum / T(window.taps().size())), y + place * g.c + c);
        // LAB(10.10) end
      });
    });
  };
  threads.ParallelFor(g.n * g.places(), TapsOnImage(g) * g.c / 4, work);
}

// dx [N,H,W,C] from dy [N,P,Q,C].
template <typename T>
void AvgPoolGrad(const Conv2dGeometry& g, const T* dy, T* dx, ThreadPool& threads) {
  const auto scatter = [&](Window window, int64_t place) {
    T* const image_dx = dx + window.image();
    ForEachVector<T>(g.c, [&]<typename V>(int64_t c) {
      T* const image = image_dx + c;
      // LAB(10.10) begin: add to the window's pixels their parts of dy + place * g.c + c
      const V share = Load<V>(dy + place * g.c + c) / T(window.taps().size());
      for (const int64_t tap : window.taps()) {
        Store(V(Load<V>(image + tap) + share), image + tap);
      }
      // LAB(10.10) end
    });
  };
  // Windows may overlap inside of an image, so an image is the smallest piece.
  threads.ParallelPieces(
      g.n, g.places() * TapsOnImage(g) * g.c / 4,
      [&](int64_t begin, int64_t end) { ScatterWindows(g, begin, end, dx, scatter); });
}

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
  RegisterKernel<PoolOp<T, AvgPool<SumType<T>>>>(Kernel("AvgPool").Type<T>("T"));
  RegisterKernel<AvgPoolGradOp<T>>(
      Kernel("AvgPoolGrad").HostMemory("orig_input_shape").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
