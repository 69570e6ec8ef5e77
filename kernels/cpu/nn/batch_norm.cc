// FusedBatchNorm and its gradient on the CPU.
//
//   y = scale * h + offset   for h = (x - m) * r and r = 1 / sqrt(v + epsilon)
//
// In training m and v are mean and variance of the n numbers of a channel. Then each of
// them moves all h of the channel, and the gradient is
//
//   dx      = scale * r * (dy - mean of dy - h * mean of (dy * h))
//   dscale  = sum of (dy * h)
//   doffset = sum of dy
//
// Otherwise m and v are given, and dx = scale * r * dy.
//
// Op         minitf/ops/nn/batch_norm_ops.cc
// Compare    tensorflow/core/kernels/fused_batch_norm_op.cc
// Read next  minitf/gradients/nn/batch_norm_grad.cc

#include "kernels/cpu/nn/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

Channels ChannelsOf(const Tensor& vector) {
  const auto values = vector.flat<float>();
  return {values.begin(), values.end()};
}

void Fill(Tensor* tensor, float value) {
  std::ranges::fill(tensor->mutable_flat<float>(), value);
}

void Store(const Channels& values, Tensor* vector) {
  std::ranges::transform(values, vector->mutable_flat<float>().begin(),
                         [](double value) { return static_cast<float>(value); });
}

// r [C].
Channels RootsOf(const Channels& variance, float epsilon) {
  Channels roots = variance;
  for (double& root : roots) root = 1 / std::sqrt(root + epsilon);
  return roots;
}

Channels Product(Channels a, const Channels& b) {
  for (size_t c = 0; c < a.size(); ++c) a[c] *= b[c];
  return a;
}

// All versions of the op, which differ in the number of outputs; all types of x.
class FusedBatchNormOp final : public OpKernel {
 public:
  explicit FusedBatchNormOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(BatchNormAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);      // [N,H,W,C], or [N,C,H,W]
    const Tensor& scale = ctx->input(1);  // [C], as all that follow
    const Tensor& offset = ctx->input(2);
    OP_REQUIRES_OK(ctx, AllocateBatchNorm(attrs_, ctx));
    if (ctx->num_outputs() > 5) Fill(ctx->output(5), 0);

    const auto sizes = BatchNormSizes::Of(x.shape(), attrs_.format);
    const ChannelMoments used =
        attrs_.is_training
            ? MomentsOf(sizes, x, ctx->threads())
            : ChannelMoments{ChannelsOf(ctx->input(3)), ChannelsOf(ctx->input(4))};
    StoreMoments(ctx, used, static_cast<double>(sizes.per_channel()));
    if (x.num_elements() == 0) return;
    NormalFormula by = {used.mean, RootsOf(used.variance, attrs_.epsilon), {}};
    by.factor = Product(by.factor, ChannelsOf(scale));
    by.offset = ChannelsOf(offset);
    for (size_t c = 0; attrs_.is_training && c < by.offset.size(); ++c) {
      // What x - m loses when m is rounded. An infinity is lost anyway.
      const double lost = used.mean[c] - static_cast<float>(used.mean[c]);
      if (std::isfinite(lost * by.factor[c])) by.offset[c] -= lost * by.factor[c];
    }
    Normalize(sizes, by, x, ctx->output(0), ctx->threads());
  }

 private:
  // Those that x is normalized by, and the running ones; of nothing they are NaN.
  void StoreMoments(OpKernelContext* ctx, const ChannelMoments& used, double n) const {
    const double unbiased = attrs_.is_training ? n / std::max(n - 1, 1.0) : 1;
    const double part = attrs_.is_training ? attrs_.exponential_avg_factor : 1;
    const auto store = [&](int i, const Channels& values, double factor) {
      Channels running = values;
      const Channels before = ChannelsOf(ctx->input(i + 2));
      for (size_t c = 0; c < running.size(); ++c) {
        running[c] *= n > 0 ? factor : std::numeric_limits<double>::quiet_NaN();
        if (part != 1) running[c] = running[c] * part + before[c] * (1 - part);
      }
      Store(running, ctx->output(i));
      Store(values, ctx->output(i + 2));
    };
    store(1, used.mean, 1);
    store(2, used.variance, unbiased);
  }

  const BatchNormAttrs attrs_;
};

// All versions: the third has an input that is of no use here.
class FusedBatchNormGradOp final : public OpKernel {
 public:
  explicit FusedBatchNormGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(BatchNormAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);     // [N,H,W,C], or [N,C,H,W]
    const Tensor& x = ctx->input(1);      // the shape of dy
    const Tensor& scale = ctx->input(2);  // [C], as all that follow
    const Channels mean = ChannelsOf(ctx->input(3));
    const Channels variance = ChannelsOf(ctx->input(4));
    OP_REQUIRES_OK(ctx, AllocateBatchNormGrad(attrs_, ctx));
    Fill(ctx->output(1), 0);
    Fill(ctx->output(2), 0);
    if (x.num_elements() == 0) return;

    const auto sizes = BatchNormSizes::Of(x.shape(), attrs_.format);
    const auto n = static_cast<double>(sizes.per_channel());
    const Channels roots = RootsOf(variance, attrs_.epsilon);
    const auto sums = GradientSumsOf(sizes, dy, x, mean, ctx->threads());
    const Channels dscale = Product(sums.dy_by_distance, roots);
    Store(dscale, ctx->output(1));
    Store(sums.dy, ctx->output(2));
    GradientFormula by = {{}, mean, {}, Product(ChannelsOf(scale), roots)};
    if (attrs_.is_training) {
      const Channels parts(sizes.channels, 1 / n);
      by.mean_dy = Product(sums.dy, parts);
      by.slope = Product(Product(dscale, roots), parts);
    }
    StoreGradient(sizes, by, dy, x, ctx->output(0), ctx->threads());
  }

 private:
  const BatchNormAttrs attrs_;
};

const bool kBatchNormRegistered = [] {
  const auto add = []<typename T>() {
    for (const char* op : {"FusedBatchNormV2", "FusedBatchNormV3"}) {
      RegisterKernel<FusedBatchNormOp>(Kernel(op).Type<T>("T"));
    }
    for (const char* op : {"FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
      RegisterKernel<FusedBatchNormGradOp>(Kernel(op).Type<T>("T"));
    }
  };
  RegisterKernel<FusedBatchNormOp>(Kernel("FusedBatchNorm"));
  RegisterKernel<FusedBatchNormGradOp>(Kernel("FusedBatchNormGrad"));
  return ForTypes(Types<float16, bfloat16, float>{}, add);
}();

}  // namespace
}  // namespace minitf
