// The gradients of Conv2D: the ops Conv2DBackpropInput and Conv2DBackpropFilter.
//
// Both are again convolutions, though they need not be computed so: that of the input is
// one of dy, spread out by the stride, with the filters turned by 180 degrees and C and K
// exchanged; that of the filters is one of x with dy. Each has several tiers:
//
//   naive     conv2d_naive_gradients.cc
//   im2col    conv2d_im2col_gradients.cc
//   direct    conv2d_turned.cc, conv2d_filter_gradient.cc
//   winograd  conv2d_turned.cc, of the input alone; and winograd2x2, winograd5x5
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/conv_grad_input_ops.cc, conv_grad_filter_ops.cc
// Read next  kernels/cpu/conv/conv2d_naive_gradients.cc

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/nhwc.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

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
    ComputeConv2d(tier_, Conv2dPart::kInputGradient, g, DTypeOf<Sum>(), ctx->threads(),
                  [&](Conv2dTier tier) {
                    FunctionOf(tier)(g, filters.flat<Sum>().data(),
                                     gradient.flat<Sum>().data(),
                                     result.mutable_flat<Sum>().data(), ctx->threads());
                  });
    StoreNhwc(result, g.format, dx);
  }

 private:
  static std::function<decltype(InputGradientNaive<Sum>)> FunctionOf(Conv2dTier tier) {
    const auto by = [](auto* convolve) {
      return std::bind_front(InputGradientTurned<Sum>, convolve);
    };
    switch (tier) {
      case Conv2dTier::kNaive: return InputGradientNaive<Sum>;
      case Conv2dTier::kDirect: return by(Conv2dDirect<Sum>);
      case Conv2dTier::kWinograd: return by(Conv2dWinograd<Sum>);
      case Conv2dTier::kWinograd2x2: return by(Conv2dWinograd2x2<Sum>);
      case Conv2dTier::kWinograd5x5: return by(Conv2dWinograd5x5<Sum>);
      default: return InputGradientIm2col<Sum>;
    }
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
    ComputeConv2d(tier_, Conv2dPart::kFilterGradient, g, DTypeOf<Sum>(), ctx->threads(),
                  [&](Conv2dTier tier) {
                    FunctionOf(tier)(g, images.flat<Sum>().data(),
                                     gradient.flat<Sum>().data(),
                                     result.mutable_flat<Sum>().data(), ctx->threads());
                  });
    StoreWide(result, dw);
  }

 private:
  static auto FunctionOf(Conv2dTier tier) {
    switch (tier) {
      case Conv2dTier::kNaive: return FilterGradientNaive<Sum>;
      case Conv2dTier::kDirect: return FilterGradientDirect<Sum>;
      default: return FilterGradientIm2col<Sum>;
    }
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
    for (const char* tier : {"", "naive", "im2col", "direct", "winograd", "winograd2x2",
                             "winograd5x5", "autotune"}) {
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
