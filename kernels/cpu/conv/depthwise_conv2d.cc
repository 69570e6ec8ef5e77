// DepthwiseConv2dNative on the CPU.
//
// To filter each channel apart, M filters a channel, is a convolution with one group a
// channel: the elements of the filters [R,S,C,M] read as [R,S,1,C*M] are its filters. So
// the loops of conv2d_naive.cc do the work. For the same reason the kernels of
// conv2d_backprop.cc compute its gradients.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/depthwise_conv_op.cc
// Read next  kernels/cpu/nn/extract_image_patches.cc

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/nhwc.h"
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
    Conv2dNaive<Sum>(g, images.flat<Sum>().data(), filters.flat<Sum>().data(),
                     result.mutable_flat<Sum>().data(), ctx->threads(), nullptr);
    StoreNhwc(result, g.format, y);
  }

 private:
  const Conv2dAttrs attrs_;
};

const bool kDepthwiseConv2dRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<DepthwiseConv2dOp<T>>(Kernel("DepthwiseConv2dNative").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
