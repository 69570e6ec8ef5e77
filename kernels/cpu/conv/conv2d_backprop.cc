// The gradients of Conv2D: the ops, and the tier "im2col" of both.
//
// Forward, for the matrix X of all patches, Y = X W. A small change of W or X changes L
// by
//
//   <dY, X dW>  =  <X' dY, dW>      so dL/dW = X' dY
//   <dY, dX W>  =  <dY W', dX>      so dL/dX = dY W'
//
// where the prime is the transpose. dL/dW is the gradient of the filters. dL/dX is that
// of the patches; a pixel stands in many of them, so its gradient is their sum:
// scattering, the adjoint of gathering. Both are again convolutions, though they are not
// computed so here: that of the input is one of dy, spread out by the stride, with
// the filters turned by 180 degrees and C and K exchanged; that of the filters is one of
// x with dy.
//
//   x = A B C     w = X Y     y = A X + B Y     dL/dA = a X     dL/dX = A a + B b
//       (one row)                 B X + C Y     dL/dB = a Y + b X
//     dy = a b                                  dL/dC = b Y     dL/dY = B a + C b
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/conv_grad_input_ops.cc, conv_grad_filter_ops.cc:
//            Conv2DCustomBackpropInputOp, Conv2DCustomBackpropFilterOp
// Read next  kernels/cpu/conv/depthwise_conv2d.cc

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/nhwc.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "minitf/base/stop.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

template <typename T>
void InputGradientIm2col(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                         ThreadPool& threads) {
  const int64_t image_size = g.h * g.w * g.c;
  const int64_t patch_size = g.patch_size();
  if (g.places() * g.k * patch_size == 0) {
    return std::fill_n(dx, g.n * image_size, T(0)), void();
  }
  const Matrix<T> turned = ConstMatrixView<T>(w, patch_size, g.k).transpose();
  const StridedMatrix<T> filters = {turned.data(), patch_size, 1};  // [K,R*S*C]
  const bool in_place = PatchesArePixels(g);
  const int64_t block = PatchesAtATime<T>(g);

  // Patches overlap inside of an image, so an image is the smallest piece for a thread.
  const auto work = [&](int64_t begin, int64_t end) {
    Matrix<T> scratch(in_place ? 0 : block, patch_size);
    if (!in_place) std::fill(dx + begin * image_size, dx + end * image_size, T(0));
    const int64_t last = end * g.places();
    for (int64_t first = begin * g.places(); first < last; first += block) {
      StopIfAsked();
      const int64_t count = std::min(block, last - first);
      T* patches = in_place ? dx + first * g.c : scratch.data();
      MultiplyPacked<T>({count, g.k, patch_size},
                        MatrixPanels<T>({dy + first * g.k, g.k, 1}), filters, patches,
                        nullptr);
      if (!in_place) ScatterPatches(g, patches, first, first + count, dx);
    }
  };
  threads.ParallelPieces(g.n, g.places() * patch_size * g.k / 16, work);
}

template <typename T>
void FilterGradientIm2col(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                          ThreadPool& threads) {
  const int64_t all_places = g.n * g.places();
  const int64_t patch_size = g.patch_size();
  const bool in_place = PatchesArePixels(g);
  const int64_t block = PatchesAtATime<T>(g);

  // Every place adds to the same dW. So each piece of the places has a sum of its own,
  // which one thread computes without locks; at the end they are added in a fixed order,
  // which makes the result the same at every run.
  const int64_t pieces =
      std::clamp<int64_t>(all_places / block, 1, threads.num_threads());
  std::vector<Matrix<T>> sums(pieces);
  const auto sum_piece = [&](int64_t piece) {
    sums[piece] = Matrix<T>::Zero(patch_size, g.k);
    Matrix<T> scratch(in_place ? 0 : block, patch_size);
    const int64_t last = all_places * (piece + 1) / pieces;
    for (int64_t first = all_places * piece / pieces; first < last; first += block) {
      StopIfAsked();
      const int64_t count = std::min(block, last - first);
      const T* patches = in_place ? x + first * g.c : scratch.data();
      if (!in_place) GatherPatches(g, x, first, first + count, scratch.data());
      const MatrixPanels<T> turned({patches, 1, patch_size}, !in_place);
      MultiplyPacked<T>({patch_size, count, g.k, true}, turned,
                        {dy + first * g.k, g.k, 1}, sums[piece].data(), nullptr);
    }
  };
  threads.ParallelFor(pieces, all_places * patch_size * g.k / 16 / pieces,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) sum_piece(i);
                      });

  MatrixView<T> result(dw, patch_size, g.k);
  result = sums[0];
  for (int64_t piece = 1; piece < pieces; ++piece) result += sums[piece];
}

template void InputGradientIm2col<float>(const Conv2dGeometry&, const float*,
                                         const float*, float*, ThreadPool&);
template void InputGradientIm2col<double>(const Conv2dGeometry&, const double*,
                                          const double*, double*, ThreadPool&);
template void FilterGradientIm2col<float>(const Conv2dGeometry&, const float*,
                                          const float*, float*, ThreadPool&);
template void FilterGradientIm2col<double>(const Conv2dGeometry&, const double*,
                                           const double*, double*, ThreadPool&);

namespace {

// What both gradients share. For DepthwiseConv2dNative, each channel is a group.
class Conv2DBackpropOp : public OpKernel {
 public:
  Conv2DBackpropOp(OpKernelConstruction* construction, std::string_view tier,
                   bool is_depthwise)
      : OpKernel(construction),
        attrs_(Conv2dAttrs::Of(construction->attrs())),
        tier_(tier),
        is_depthwise_(is_depthwise) {}

 protected:
  Conv2dGeometry GeometryOf(const Shape& x, const Shape& w) const {
    const auto of = is_depthwise_ ? Conv2dGeometry::OfDepthwise : Conv2dGeometry::Of;
    return of(x, w, attrs_);
  }

  const Conv2dAttrs attrs_;
  const std::string_view tier_;  // empty: the fastest
  const bool is_depthwise_;
};

// Sum is the type in which it is computed, whatever the tensors are made of.
template <typename Sum>
class Conv2DBackpropInputOp final : public Conv2DBackpropOp {
 public:
  using Conv2DBackpropOp::Conv2DBackpropOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->host_input(0);  // [4]: the sizes of x; or [2]: H and W
    const Tensor& w = ctx->input(1);           // [R,S,C/G,K]
    const Tensor& dy = ctx->input(2);          // [N,P,Q,K], or [N,K,P,Q]
    const Shape given = ShapeFromSizes(sizes, "input_sizes");
    const Shape x_shape =
        is_depthwise_
            ? given
            : Conv2dInputShape(given, w.shape(), dy.shape(), attrs_.format).ToShape();
    const Conv2dGeometry g = GeometryOf(x_shape, w.shape());
    CheckOutputGradient(g, dy.shape());
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x_shape, &dx));
    if (dx->num_elements() == 0) return;

    const Tensor filters = Widened(w);
    const Tensor gradient = ToNhwc(dy, g.format);
    Tensor result = NhwcBuffer(*dx, g.format);
    const Conv2dTier tier = ChooseConv2d(tier_, Conv2dPart::kInputGradient, g);
    const auto compute = tier == Conv2dTier::kNaive      ? InputGradientNaive<Sum>
                         : tier == Conv2dTier::kDirect   ? InputGradientDirect<Sum>
                         : tier == Conv2dTier::kWinograd ? InputGradientWinograd<Sum>
                                                         : InputGradientIm2col<Sum>;
    compute(g, filters.flat<Sum>().data(), gradient.flat<Sum>().data(),
            result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, dx);
  }
};

template <typename Sum>
class Conv2DBackpropFilterOp final : public Conv2DBackpropOp {
 public:
  using Conv2DBackpropOp::Conv2DBackpropOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);           // [N,H,W,C], or [N,C,H,W]
    const Tensor& sizes = ctx->host_input(1);  // [4]: the sizes of w
    const Tensor& dy = ctx->input(2);          // [N,P,Q,K], or [N,K,P,Q]
    const Shape w_shape = ShapeFromSizes(sizes, "filter_sizes");
    const Conv2dGeometry g = GeometryOf(x.shape(), w_shape);
    CheckOutputGradient(g, dy.shape());
    Tensor* dw = nullptr;  // [R,S,C/G,K]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, w_shape, &dw));
    if (dw->num_elements() == 0) return;

    const Tensor images = ToNhwc(x, g.format);
    const Tensor gradient = ToNhwc(dy, g.format);
    Tensor result = WideBuffer(*dw);
    const Conv2dTier tier = ChooseConv2d(tier_, Conv2dPart::kFilterGradient, g);
    const auto compute = tier == Conv2dTier::kNaive    ? FilterGradientNaive<Sum>
                         : tier == Conv2dTier::kDirect ? FilterGradientDirect<Sum>
                                                       : FilterGradientIm2col<Sum>;
    compute(g, images.flat<Sum>().data(), gradient.flat<Sum>().data(),
            result.mutable_flat<Sum>().data(), ctx->threads());
    StoreWide(result, dw);
  }
};

template <template <typename> class Op>
bool RegisterBackprop(const std::string& ending, const char* sizes) {
  return ForTypes(RealTypes{}, [&]<typename T>() {
    const auto add = [&](const std::string& op, std::string_view tier,
                         bool is_depthwise) {
      const Kernel kernel = Kernel(op + ending).HostMemory(sizes).Type<T>("T");
      KernelRegistrar(Kernel(kernel).Label(tier), [=](OpKernelConstruction* c) {
        return std::make_unique<Op<SumType<T>>>(c, tier, is_depthwise);
      });
    };
    for (const char* tier : {"", "naive", "im2col", "direct", "winograd"}) {
      add("Conv2DBackprop", tier, false);
    }
    add("DepthwiseConv2dNativeBackprop", "", true);
  });
}
const bool kBackpropRegistered[] = {
    RegisterBackprop<Conv2DBackpropInputOp>("Input", "input_sizes"),
    RegisterBackprop<Conv2DBackpropFilterOp>("Filter", "filter_sizes")};

}  // namespace
}  // namespace minitf
