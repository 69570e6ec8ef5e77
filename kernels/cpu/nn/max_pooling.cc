// MaxPool and its derivatives on the CPU.
//
// Step one gives for each window and channel the maximum; MaxPool is done then. The
// others ask in step two where it stood, and pass a number between that place and the
// window's:
//
//   MaxPoolGrad        from the window to the place: dx[place] += dy[window]
//   MaxPoolGradGrad    from the place to the window: the adjoint of MaxPoolGrad
//   MaxPoolWithArgmax  the place itself
//
// The first of several equal maxima counts, in the order of rows and then columns. NaN is
// larger than any number, as in numpy, so that a broken input shows in the result.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/maxpooling_op.cc
// Read next  kernels/cpu/nn/avg_pooling.cc

#include <algorithm>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/nhwc.h"
#include "kernels/cpu/nn/windows.h"
#include "minitf/base/stop.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// Equal, or both NaN: a bool, or a mask.
template <typename V>
auto Same(const V& a, const V& b) {
  return (a == b) | ((a != a) & (b != b));
}

// The maxima of channels [0, as many as V has) of `image`, over what `window` sees.
template <typename V, typename T>
V WindowMaximum(const Window& window, const T* image) {
  // LAB(10.7) begin: return them; NaN is larger than any number
  V max = Load<V>(image + window.taps()[0]);
  V nan = max;  // once it is NaN, it stays so; `max` alone would lose it or not see it
  for (const int64_t tap : window.taps().subspan(1)) {
    const V x = Load<V>(image + tap);
    max = x > max ? x : max;
    nan = x != x ? x : nan;
  }
  return nan != nan ? nan : max;
  // LAB(10.7) end
}

// x [N,H,W,C], y [N,P,Q,C].
template <typename T>
void MaxPool(const Conv2dGeometry& g, const T* x, T* y, ThreadPool& threads) {
  const auto work = [&](int64_t begin, int64_t end) {
    ForEachWindow(g, begin, end, [&](Window window, int64_t place) {
      const T* const image_x = x + window.image();
      T* const place_y = y + place * g.c;
      ForEachVector<T>(g.c, [&]<typename V>(int64_t c) {
        Store(WindowMaximum<V>(window, image_x + c), place_y + c);
      });
    });
  };
  threads.ParallelFor(g.n * g.places(), TapsOnImage(g) * g.c / 4, work);
}

// dx [N,H,W,C] from x [N,H,W,C] and dy [N,P,Q,C].
template <typename T>
void MaxPoolGrad(const Conv2dGeometry& g, const T* x, const T* dy, T* dx,
                 ThreadPool& threads) {
  const auto scatter = [&](Window window, int64_t place) {
    const T* const image_x = x + window.image();
    T* const image_dx = dx + window.image();
    const T* const place_dy = dy + place * g.c;
    ForEachVector<T>(g.c, [&]<typename V>(int64_t c) {
      const T* const image = image_x + c;
      T* const to = image_dx + c;
      const V gradient = Load<V>(place_dy + c);
      // LAB(10.8) begin: add `gradient` to `to`, at the first maximum of the window
      // After the first hit `rest` is 0, and later ones add 0. The maxima are computed
      // again from x, which has to be read in any case to find where they stand.
      const V max = WindowMaximum<V>(window, image);
      V rest = gradient;  // what is still to be given away
      for (const int64_t tap : window.taps()) {
        const auto hit = Same(Load<V>(image + tap), max);
        Store(V(Load<V>(to + tap) + (hit ? rest : V{})), to + tap);
        rest = hit ? V{} : rest;
      }
      // LAB(10.8) end
    });
  };
  // Windows may overlap inside of an image, so an image is the smallest piece.
  threads.ParallelPieces(
      g.n, g.places() * TapsOnImage(g) * g.c / 2,
      [&](int64_t begin, int64_t end) { ScatterWindows(g, begin, end, dx, scatter); });
}

// ddy [N,P,Q,C] from x [N,H,W,C] and ddx [N,H,W,C].
template <typename T>
void MaxPoolGradGrad(const Conv2dGeometry& g, const T* x, const T* ddx, T* ddy,
                     ThreadPool& threads) {
  const auto work = [&](int64_t begin, int64_t end) {
    ForEachWindow(g, begin, end, [&](Window window, int64_t place) {
      const T* const image_x = x + window.image();
      const T* const image_ddx = ddx + window.image();
      ForEachVector<T>(g.c, [&]<typename V>(int64_t c) {
        const T* const image = image_x + c;
        const T* const from = image_ddx + c;
        V found{};
        // LAB(10.9) begin: set it to what `from` has at the first maximum of the window
        // Backwards, so that the first of several maxima is the last that is taken.
        const V max = WindowMaximum<V>(window, image);
        for (const int64_t tap : Backwards{window.taps()}) {
          const auto hit = Same(Load<V>(image + tap), max);
          found = hit ? Load<V>(from + tap) : found;
        }
        // LAB(10.9) end
        Store(found, ddy + place * g.c + c);
      });
    });
  };
  threads.ParallelFor(g.n * g.places(), TapsOnImage(g) * g.c / 2, work);
}

// y [N,P,Q,C] and the places of its numbers in x [N,H,W,C]. The places are counted in the
// whole batch if `in_batch`, else in each image.
template <typename T, typename Index>
void MaxPoolWithArgmax(const Conv2dGeometry& g, const T* x, bool in_batch, T* y,
                       Index* argmax) {
  ForEachWindow(g, 0, g.n * g.places(), [&](Window window, int64_t place) {
    if (place % g.q == 0) StopIfAsked();
    const T* const image = x + window.image();
    for (int64_t c = 0; c < g.c; ++c) {
      const T max = WindowMaximum<T>(window, image + c);
      y[place * g.c + c] = max;
      // LAB(10.9) begin: write where the first maximum stands to argmax[place * g.c + c]
      const auto is_max = [&](int64_t tap) { return Same(image[tap + c], max); };
      const int64_t first = *std::ranges::find_if(window.taps(), is_max) + c;
      argmax[place * g.c + c] =
          static_cast<Index>(in_batch ? window.image() + first : first);
      // LAB(10.9) end
    }
  });
}

void CheckPooled(const Conv2dGeometry& g, const Tensor& tensor, const char* what) {
  Require(g.output_shape() == PartialShape(tensor.shape()), what, " has shape ",
          tensor.shape(), ", but the pooled images have shape ", g.output_shape());
}

// ---- Kernels --------------------------------------------------------------------------

// MaxPoolGrad, to the images, or MaxPoolGradGrad, to the windows, by kLoops.
template <typename T, auto kLoops, bool kToImages>
class MaxPoolDerivativeOp final : public OpKernel {
 public:
  explicit MaxPoolDerivativeOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);       // [N,H,W,C], or [N,C,H,W]
    const Tensor& pooled = ctx->input(1);  // [N,P,Q,C], or [N,C,P,Q]
    const Tensor& from = ctx->input(2);    // as `pooled`, or as x
    const auto g = Conv2dGeometry::OfPool(x.shape(), attrs_);
    CheckPooled(g, pooled, "orig_output");
    if constexpr (kToImages) {
      CheckPooled(g, from, "grad");
    } else {
      Require(from.shape() == x.shape(), "grad has shape ", from.shape(),
              ", but the images have shape ", x.shape());
    }
    Tensor* to = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, (kToImages ? x : pooled).shape(), &to));
    if (to->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = ToNhwc(x, g.format);
    const Tensor numbers = ToNhwc(from, g.format);
    Tensor result = NhwcBuffer(*to, g.format);
    kLoops(g.WithDepthAsColumns(), images.flat<Sum>().data(), numbers.flat<Sum>().data(),
           result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, to);
  }

 private:
  const PoolAttrs attrs_;
};

template <typename T, typename Index>
class MaxPoolWithArgmaxOp final : public OpKernel {
 public:
  explicit MaxPoolWithArgmaxOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::Of(construction->attrs())) {
    OP_REQUIRES_OK(construction,
                   construction->GetAttr("include_batch_in_index", &in_batch_));
    OP_REQUIRES(construction, attrs_.window_c == 1,
                errors::Unimplemented("Pooling across depth gives no argmax."));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C]
    const auto g = Conv2dGeometry::OfPool(x.shape(), attrs_);
    Tensor* y = nullptr;       // [N,P,Q,C]
    Tensor* argmax = nullptr;  // [N,P,Q,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &y));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, y->shape(), &argmax));
    if (y->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = Widened(x);
    Tensor result = NhwcBuffer(*y, g.format);
    MaxPoolWithArgmax(g, images.flat<Sum>().data(), in_batch_,
                      result.mutable_flat<Sum>().data(),
                      argmax->mutable_flat<Index>().data());
    StoreNhwc(result, g.format, y);
  }

 private:
  const PoolAttrs attrs_;
  bool in_batch_ = false;
};

const bool kMaxPoolingRegistered = ForTypes(NhwcTypes{}, []<typename T>() {
  RegisterKernel<PoolOp<T, MaxPool<SumType<T>>>>(Kernel("MaxPool").Type<T>("T"));
  using Sum = SumType<T>;
  RegisterKernel<MaxPoolDerivativeOp<T, MaxPoolGrad<Sum>, true>>(
      Kernel("MaxPoolGrad").Type<T>("T"));
  RegisterKernel<MaxPoolDerivativeOp<T, MaxPoolGradGrad<Sum>, false>>(
      Kernel("MaxPoolGradGrad").Type<T>("T"));
});
const bool kArgmaxRegistered = ForTypes(RealTypes{}, []<typename T>() {
  const Kernel kernel = Kernel("MaxPoolWithArgmax").Type<T>("T");
  RegisterKernel<MaxPoolWithArgmaxOp<T, int32_t>>(
      Kernel(kernel).Type<int32_t>("Targmax"));
  RegisterKernel<MaxPoolWithArgmaxOp<T, int64_t>>(
      Kernel(kernel).Type<int64_t>("Targmax"));
});

}  // namespace
}  // namespace minitf
