// ExtractImagePatches on the CPU: what a window sees from each of its places, as a
// tensor.
//
// It is the first half of a convolution by patches, and of a pooling, shown to the user.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/extract_image_patches_op.cc
// Read next  kernels/cpu/nn/max_pooling.cc

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/nhwc.h"
#include "kernels/cpu/conv/patches.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

template <typename T>
class ExtractImagePatchesOp final : public OpKernel {
 public:
  explicit ExtractImagePatchesOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::OfPatches(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C]
    const auto g = Conv2dGeometry::OfPatches(x.shape(), attrs_);
    Tensor* patches = nullptr;  // [N,P,Q,R*S*C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &patches));
    if (patches->num_elements() == 0) return;

    const T* from = x.flat<T>().data();
    T* to = patches->mutable_flat<T>().data();
    ctx->threads().ParallelFor(g.n * g.places(), g.k / 4 + 1,
                               [&](int64_t begin, int64_t end) {
                                 GatherPatches(g, from, begin, end, to + begin * g.k);
                               });
  }

 private:
  const PoolAttrs attrs_;
};

const bool kExtractImagePatchesRegistered = ForTypes(NhwcTypes{}, []<typename T>() {
  RegisterKernel<ExtractImagePatchesOp<T>>(Kernel("ExtractImagePatches").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
