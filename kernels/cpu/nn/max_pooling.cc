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
// larger than any number, as in numpy, so that a broken input shows in the result. All
// loops run along the channels, which lie side by side.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/maxpooling_op.cc
// Read next  kernels/cpu/nn/avg_pooling.cc

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/nhwc.h"
#include "kernels/cpu/conv/patches.h"
#include "minitf/base/stop.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

template <typename T>
constexpr T Lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::lowest();
}

// Equal, or both NaN.
template <typename T>
bool Same(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}

// max [C] = the maxima of the window at (p,q) of `image` [H,W,C]. The condition is made
// with | and not ||, and chooses between two values: without a jump the compiler computes
// many channels in one instruction. The loops below are written in the same way.
template <typename T>
void WindowMaximum(const Conv2dGeometry& g, const T* image, int64_t p, int64_t q,
                   T* __restrict max) {
  std::fill_n(max, g.c, Lowest<T>());
  ForEachTap(g, p, q, [&](int64_t pixel, int64_t) {
    const T* __restrict x = image + pixel * g.c;
    for (int64_t c = 0; c < g.c; ++c) {
      max[c] = ((x[c] > max[c]) | (x[c] != x[c])) ? x[c] : max[c];
    }
  });
}

// x [N,H,W,C], y [N,P,Q,C].
template <typename T>
void MaxPool(const Conv2dGeometry& g, const T* x, T* y, ThreadPool& threads) {
  const auto work = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* image = x + i / g.places() * g.h * g.w * g.c;
      WindowMaximum(g, image, i % g.places() / g.q, i % g.q, y + i * g.c);
    }
  };
  threads.ParallelFor(g.n * g.places(), TapsOnImage(g) * g.c / 4, work);
}

// dx [N,H,W,C] from x [N,H,W,C] and dy [N,P,Q,C]. Only the first of several maxima gets
// dy: after the first hit `rest` is 0, and later ones add 0. The maxima are computed
// again from x, which has to be read in any case to find where they stand.
template <typename T>
void MaxPoolGrad(const Conv2dGeometry& g, const T* x, const T* dy, T* dx,
                 ThreadPool& threads) {
  const int64_t image_size = g.h * g.w * g.c;
  // Windows may overlap inside of an image, so an image is the smallest piece.
  const auto work = [&](int64_t begin, int64_t end) {
    std::fill(dx + begin * image_size, dx + end * image_size, T(0));
    std::vector<T> scratch(2 * g.c);
    T* __restrict max = scratch.data();
    T* __restrict rest = max + g.c;  // what is still to be given away
    for (int64_t i = begin * g.places(); i < end * g.places(); ++i) {
      const int64_t image = i / g.places() * image_size;
      const int64_t p = i % g.places() / g.q;
      const int64_t q = i % g.q;
      if (q == 0) StopIfAsked();
      WindowMaximum(g, x + image, p, q, max);
      std::copy_n(dy + i * g.c, g.c, rest);
      ForEachTap(g, p, q, [&](int64_t pixel, int64_t) {
        const T* __restrict from = x + image + pixel * g.c;
        T* __restrict to = dx + image + pixel * g.c;
        for (int64_t c = 0; c < g.c; ++c) {
          const bool hit = Same(from[c], max[c]);
          to[c] += hit ? rest[c] : T(0);
          rest[c] = hit ? T(0) : rest[c];
        }
      });
    }
  };
  threads.ParallelPieces(g.n, g.places() * TapsOnImage(g) * g.c / 2, work);
}

// ddy [N,P,Q,C] from x [N,H,W,C] and ddx [N,H,W,C].
template <typename T>
void MaxPoolGradGrad(const Conv2dGeometry& g, const T* x, const T* ddx, T* ddy,
                     ThreadPool& threads) {
  const auto work = [&](int64_t begin, int64_t end) {
    std::vector<T> scratch(2 * g.c);
    T* __restrict max = scratch.data();
    T* __restrict found = max + g.c;  // 1 where the maximum has been met
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / g.places() * g.h * g.w * g.c;
      const int64_t p = i % g.places() / g.q;
      const int64_t q = i % g.q;
      WindowMaximum(g, x + image, p, q, max);
      std::fill_n(found, g.c, T(0));
      T* __restrict to = ddy + i * g.c;
      ForEachTap(g, p, q, [&](int64_t pixel, int64_t) {
        const T* __restrict at = x + image + pixel * g.c;
        const T* __restrict from = ddx + image + pixel * g.c;
        for (int64_t c = 0; c < g.c; ++c) {
          const bool hit = Same(at[c], max[c]) & (found[c] == T(0));
          to[c] = hit ? from[c] : to[c];
          found[c] = hit ? T(1) : found[c];
        }
      });
    }
  };
  threads.ParallelFor(g.n * g.places(), TapsOnImage(g) * g.c / 2, work);
}

// y [N,P,Q,C] and the places of its numbers in x [N,H,W,C]. The places are counted in the
// whole batch if `in_batch`, else in each image.
template <typename T, typename Index>
void MaxPoolWithArgmax(const Conv2dGeometry& g, const T* x, bool in_batch, T* y,
                       Index* argmax) {
  for (int64_t i = 0; i < g.n * g.places(); ++i) {
    const int64_t image = i / g.places() * g.h * g.w * g.c;
    const int64_t p = i % g.places() / g.q;
    const int64_t q = i % g.q;
    if (q == 0) StopIfAsked();
    T* max = y + i * g.c;
    Index* place = argmax + i * g.c;
    WindowMaximum(g, x + image, p, q, max);
    std::fill_n(place, g.c, Index{-1});
    ForEachTap(g, p, q, [&](int64_t pixel, int64_t) {
      for (int64_t c = 0; c < g.c; ++c) {
        const int64_t here = image + pixel * g.c + c;
        if (place[c] >= 0 || !Same(x[here], max[c])) continue;
        place[c] = static_cast<Index>(in_batch ? here : here - image);
      }
    });
  }
}

void CheckPooled(const Conv2dGeometry& g, const Tensor& tensor, const char* what) {
  Require(g.output_shape() == PartialShape(tensor.shape()), what, " has shape ",
          tensor.shape(), ", but the pooled images have shape ", g.output_shape());
}

// ---- Kernels --------------------------------------------------------------------------

template <typename T>
class MaxPoolOp final : public OpKernel {
 public:
  explicit MaxPoolOp(OpKernelConstruction* construction)
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
    MaxPool(g.WithDepthAsColumns(), images.flat<Sum>().data(),
            result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, y);
  }

 private:
  const PoolAttrs attrs_;
};

template <typename T>
class MaxPoolGradOp final : public OpKernel {
 public:
  explicit MaxPoolGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);   // [N,H,W,C], or [N,C,H,W]
    const Tensor& dy = ctx->input(2);  // [N,P,Q,C], or [N,C,P,Q]
    const auto g = Conv2dGeometry::OfPool(x.shape(), attrs_);
    CheckPooled(g, ctx->input(1), "orig_output");
    CheckPooled(g, dy, "grad");
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &dx));
    if (dx->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = ToNhwc(x, g.format);
    const Tensor gradient = ToNhwc(dy, g.format);
    Tensor result = NhwcBuffer(*dx, g.format);
    MaxPoolGrad(g.WithDepthAsColumns(), images.flat<Sum>().data(),
                gradient.flat<Sum>().data(), result.mutable_flat<Sum>().data(),
                ctx->threads());
    StoreNhwc(result, g.format, dx);
  }

 private:
  const PoolAttrs attrs_;
};

template <typename T>
class MaxPoolGradGradOp final : public OpKernel {
 public:
  explicit MaxPoolGradGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);    // [N,H,W,C], or [N,C,H,W]
    const Tensor& ddx = ctx->input(2);  // of the same shape
    const auto g = Conv2dGeometry::OfPool(x.shape(), attrs_);
    CheckPooled(g, ctx->input(1), "orig_output");
    Require(ddx.shape() == x.shape(), "grad has shape ", ddx.shape(),
            ", but the images have shape ", x.shape());
    Tensor* ddy = nullptr;  // [N,P,Q,C], or [N,C,P,Q]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &ddy));
    if (ddy->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = ToNhwc(x, g.format);
    const Tensor gradient = ToNhwc(ddx, g.format);
    Tensor result = NhwcBuffer(*ddy, g.format);
    MaxPoolGradGrad(g.WithDepthAsColumns(), images.flat<Sum>().data(),
                    gradient.flat<Sum>().data(), result.mutable_flat<Sum>().data(),
                    ctx->threads());
    StoreNhwc(result, g.format, ddy);
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
  RegisterKernel<MaxPoolOp<T>>(Kernel("MaxPool").Type<T>("T"));
  RegisterKernel<MaxPoolGradOp<T>>(Kernel("MaxPoolGrad").Type<T>("T"));
  RegisterKernel<MaxPoolGradGradOp<T>>(Kernel("MaxPoolGradGrad").Type<T>("T"));
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
