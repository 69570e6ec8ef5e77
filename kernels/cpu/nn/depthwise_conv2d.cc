// DepthwiseConv2dNative and its gradients on the CPU.
//
// To filter each channel apart, M filters a channel, is a convolution with one group a
// channel: the elements of the filters [R,S,C,M] read as [R,S,1,C*M] are its filters. So
// the loops of conv2d_direct.cc do the work.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/depthwise_conv_op.cc, depthwise_conv_grad_op.cc
// Read next  kernels/cpu/nn/extract_image_patches.cc

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/nn/conv2d.h"
#include "kernels/cpu/nn/nhwc.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

template <typename T>
class DepthwiseConv2dOp final : public OpKernel {
 public:
  explicit DepthwiseConv2dOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(Conv2dAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C], or [N,C,H,W]
    const Tensor& w = ctx->input(1);  // [R,S,C,M]
    const auto g = Conv2dGeometry::OfDepthwise(x.shape(), w.shape(), attrs_);
    Tensor* y = nullptr;  // [N,P,Q,C*M], or [N,C*M,P,Q]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &y));
    if (y->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = ToNhwc(x, g.format);
    const Tensor filters = Widened(w);
    Tensor result = NhwcBuffer(*y, g.format);
    Conv2dDirect(g, images.flat<Sum>().data(), filters.flat<Sum>().data(),
                 result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, y);
  }

 private:
  const Conv2dAttrs attrs_;
};

template <typename T>
class DepthwiseBackpropInputOp final : public OpKernel {
 public:
  explicit DepthwiseBackpropInputOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(Conv2dAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sizes = ctx->input(0);  // [4]: the sizes of x
    const Tensor& w = ctx->input(1);      // [R,S,C,M]
    const Tensor& dy = ctx->input(2);     // [N,P,Q,C*M], or [N,C*M,P,Q]
    const Shape x_shape = ShapeFromSizes(sizes, "input_sizes");
    const auto g = Conv2dGeometry::OfDepthwise(x_shape, w.shape(), attrs_);
    CheckOutputGradient(g, dy.shape());
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x_shape, &dx));
    if (dx->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor filters = Widened(w);
    const Tensor gradient = ToNhwc(dy, g.format);
    Tensor result = NhwcBuffer(*dx, g.format);
    Conv2dInputGradientDirect(g, filters.flat<Sum>().data(), gradient.flat<Sum>().data(),
                              result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, dx);
  }

 private:
  const Conv2dAttrs attrs_;
};

template <typename T>
class DepthwiseBackpropFilterOp final : public OpKernel {
 public:
  explicit DepthwiseBackpropFilterOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(Conv2dAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);      // [N,H,W,C], or [N,C,H,W]
    const Tensor& sizes = ctx->input(1);  // [4]: the sizes of w
    const Tensor& dy = ctx->input(2);     // [N,P,Q,C*M], or [N,C*M,P,Q]
    const Shape w_shape = ShapeFromSizes(sizes, "filter_sizes");
    const auto g = Conv2dGeometry::OfDepthwise(x.shape(), w_shape, attrs_);
    CheckOutputGradient(g, dy.shape());
    Tensor* dw = nullptr;  // [R,S,C,M]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, w_shape, &dw));
    if (dw->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = ToNhwc(x, g.format);
    const Tensor gradient = ToNhwc(dy, g.format);
    Tensor result = WideBuffer(*dw);
    Conv2dFilterGradientDirect(g, images.flat<Sum>().data(), gradient.flat<Sum>().data(),
                               result.mutable_flat<Sum>().data(), ctx->threads());
    StoreWide(result, dw);
  }

 private:
  const Conv2dAttrs attrs_;
};

const bool kDepthwiseConv2dRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<DepthwiseConv2dOp<T>>(Kernel("DepthwiseConv2dNative").Type<T>("T"));
  RegisterKernel<DepthwiseBackpropInputOp<T>>(
      Kernel("DepthwiseConv2dNativeBackpropInput").Type<T>("T"));
  RegisterKernel<DepthwiseBackpropFilterOp<T>>(
      Kernel("DepthwiseConv2dNativeBackpropFilter").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
