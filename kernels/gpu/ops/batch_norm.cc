// FusedBatchNorm and its gradient on cards, of float32.
//
// Op         minitf/ops/nn/batch_norm_ops.cc
// Compare    tensorflow/core/kernels/fused_batch_norm_op.cc
// Read next  kernels/gpu/ops/state.cc

#include "kernels/gpu/nn/batch_norm.h"

#include <algorithm>

#include "kernels/gpu/ops/gpu_op.h"
#include "minitf/framework/shapes/batch_norm_shapes.h"

namespace minitf::gpu {
namespace {

// What the op and its gradient share.
class BatchNormOp : public OpKernel {
 public:
  explicit BatchNormOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs(BatchNormAttrs::Of(construction->attrs())) {}

 protected:
  ChannelSizes SizesOf(const Tensor& images) const {
    const auto sizes = BatchNormSizes::Of(images.shape(), attrs.format);
    return {sizes.outer, sizes.channels, sizes.inner};
  }

  const BatchNormAttrs attrs;
};

// All bytes of `tensor` become `byte`.
void SetBytes(OpKernelContext* ctx, Tensor* tensor, int byte) {
  if (tensor->num_elements() == 0) return;
  CheckLaunch(
      cudaMemsetAsync(BytesOf(tensor), byte, tensor->num_bytes(), StreamOf(*ctx)));
}

class FusedBatchNormOp final : public BatchNormOp {
 public:
  using BatchNormOp::BatchNormOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);      // [N,H,W,C], or [N,C,H,W]
    const Tensor& scale = ctx->input(1);  // [C], as all that follow
    const Tensor& offset = ctx->input(2);
    OP_REQUIRES_OK(ctx, AllocateBatchNorm(attrs, ctx));
    for (int i = 1; i < ctx->num_outputs(); ++i) {
      constexpr int kNan = 0xff;  // in each byte makes a NaN, the mean of nothing
      const bool is_left_so = i == 5 || x.num_elements() == 0;
      if (is_left_so) SetBytes(ctx, ctx->output(i), i < 5 ? kNan : 0);
    }
    if (!attrs.is_training) StoreGiven(ctx);
    if (x.num_elements() == 0) return;

    const ChannelSizes sizes = SizesOf(x);
    float* const mean = DataOf<float>(ctx->output(3));
    float* const variance = DataOf<float>(ctx->output(4));
    StoreMoments(ctx, sizes, mean, variance);
    const ChannelMoments by = {attrs.epsilon, mean, variance, DataOf<float>(scale),
                               DataOf<float>(offset)};
    CheckLaunch(LaunchNormalize(sizes, by, DataOf<float>(x),
                                DataOf<float>(ctx->output(0)), StreamOf(*ctx)));
  }

 private:
  // to = from * factor, number by number.
  static void Move(OpKernelContext* ctx, const Tensor& from, const Average& average) {
    CheckLaunch(LaunchAverage(from.num_elements(), average, StreamOf(*ctx)));
  }

  // The moments that x is normalized by.
  static void StoreGiven(OpKernelContext* ctx) {
    for (const int i : {3, 4}) {
      const Tensor& given = ctx->input(i);
      Move(ctx, given,
           {1, 1, DataOf<float>(given), nullptr, DataOf<float>(ctx->output(i))});
    }
  }

  // These in training, and the running ones.
  void StoreMoments(OpKernelContext* ctx, const ChannelSizes& sizes, float* mean,
                    float* variance) const {
    const auto n = static_cast<float>(sizes.outer * sizes.inner);
    float factor = 1, part = 1;
    if (attrs.is_training) {
      Tensor memory;
      float* const room = RoomFor<float>(ctx, BatchNormRoom(sizes), &memory);
      CheckLaunch(LaunchMoments(sizes, DataOf<float>(ctx->input(0)), mean, variance, room,
                                StreamOf(*ctx)));
      factor = n / std::max(n - 1, 1.0F);
      part = attrs.exponential_avg_factor;
    }
    const auto before = [&](int i) {
      return part == 1 ? nullptr : DataOf<float>(ctx->input(i));
    };
    Tensor* const running_mean = ctx->output(1);
    Tensor* const running_variance = ctx->output(2);
    Move(ctx, *running_mean, {1, part, mean, before(3), DataOf<float>(running_mean)});
    Move(ctx, *running_variance,
         {factor, part, variance, before(4), DataOf<float>(running_variance)});
  }
};

class FusedBatchNormGradOp final : public BatchNormOp {
 public:
  using BatchNormOp::BatchNormOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);     // [N,H,W,C], or [N,C,H,W]
    const Tensor& x = ctx->input(1);      // the shape of dy
    const Tensor& scale = ctx->input(2);  // [C], as all that follow
    const Tensor& mean = ctx->input(3);
    const Tensor& variance = ctx->input(4);
    OP_REQUIRES_OK(ctx, AllocateBatchNormGrad(attrs, ctx));
    if (x.num_elements() == 0) {
      SetBytes(ctx, ctx->output(1), 0);
      return SetBytes(ctx, ctx->output(2), 0);
    }

    const ChannelSizes sizes = SizesOf(x);
    const ChannelMoments by = {attrs.epsilon, DataOf<float>(mean),
                               DataOf<float>(variance), DataOf<float>(scale), nullptr};
    const BatchNormGradients of = {
        DataOf<float>(dy), DataOf<float>(x), DataOf<float>(ctx->output(0)),
        DataOf<float>(ctx->output(1)), DataOf<float>(ctx->output(2))};
    Tensor memory;
    float* const room = RoomFor<float>(ctx, BatchNormRoom(sizes), &memory);
    CheckLaunch(
        LaunchBatchNormGrad(attrs.is_training, sizes, by, of, room, StreamOf(*ctx)));
  }
};

const bool kBatchNormOpsAreRegistered = [] {
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    RegisterKernel<FusedBatchNormOp>(Kernel(op).On(Device::kGpu).Type<float>("T"));
  }
  for (const char* op :
       {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    RegisterKernel<FusedBatchNormGradOp>(Kernel(op).On(Device::kGpu).Type<float>("T"));
  }
  return true;
}();

}  // namespace
}  // namespace minitf::gpu
