// LRN and LRNGrad on the CPU: each channel is divided by the strength of its neighbours.
//
//   s(c)    = sum of x(j)^2 over the channels j with |j - c| <= depth_radius
//   base(c) = bias + alpha * s(c)
//   y(c)    = x(c) * base(c)^-beta
//
// A change of x(c) moves y(c) directly, and every y(j) near it through its base:
//
//   dx(c) = dy(c) * base(c)^-beta
//           - 2 * alpha * beta * x(c) * sum over near j of dy(j) * y(j) / base(j)
//
// Both sums are of a window that slides along the channels of one pixel.
//
// Op         minitf/ops/nn/activation_ops.cc
// Compare    tensorflow/core/kernels/lrn_op.cc
// Read next  minitf/gradients/nn/nn_grad.cc

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/lanes.h"
#include "kernels/cpu/conv/nhwc.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

using Row = Eigen::ArrayXf;

struct LrnAttrs {
  int64_t radius = 0;
  float bias = 0, alpha = 0, beta = 0;

  explicit LrnAttrs(OpKernelConstruction* construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("depth_radius", &radius));
    OP_REQUIRES_OK(construction, construction->GetAttr("bias", &bias));
    OP_REQUIRES_OK(construction, construction->GetAttr("alpha", &alpha));
    OP_REQUIRES_OK(construction, construction->GetAttr("beta", &beta));
    OP_REQUIRES(
        construction, radius >= 0,
        errors::InvalidArgument("depth_radius = ", radius, " needs to be at least 0"));
  }
};

// As SumOfNeighbours, in a time that does not grow with the radius. The channels are cut
// into blocks as long as a window. A window then is the end of one block and the start of
// the next, and the sums of all ends and starts are found in two walks.
Row SumOfManyNeighbours(const Row& values, int64_t radius) {
  const int64_t channels = values.size();
  const int64_t length = 2 * radius + 1;
  Row starts = values, ends = values;
  for (int64_t c = 1; c < channels; ++c) {
    if (c % length != 0) starts[c] += starts[c - 1];
    const int64_t back = channels - 1 - c;
    if ((back + 1) % length != 0) ends[back] += ends[back + 1];
  }
  Row sums(channels);
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = std::max<int64_t>(c - radius, 0);
    const int64_t last = std::min(c + radius, channels - 1);
    const bool in_one_block = first / length == last / length;
    if (first % length == 0 && in_one_block) {
      sums[c] = starts[last];
    } else {
      sums[c] = in_one_block ? ends[first] : ends[first] + starts[last];
    }
  }
  return sums;
}

// The sum of `values` over the channels from c - radius to c + radius, for each c.
Row SumOfNeighbours(const Row& values, int64_t radius) {
  constexpr int64_t kMany = 32;
  const int64_t channels = values.size();
  radius = std::min(radius, channels - 1);
  if (radius > kMany) return SumOfManyNeighbours(values, radius);
  Row sums = values;
  for (int64_t shift = 1; shift <= radius; ++shift) {
    sums.head(channels - shift) += values.tail(channels - shift);
    sums.tail(channels - shift) += values.head(channels - shift);
  }
  return sums;
}

// base^-beta. Most networks use a beta of 0.5 or 0.75.
Row Power(const Row& base, float beta) {
  Row power(base.size());
  const auto apply = [&](const auto& f) {
    ForLanes(base.data(), power.data(), base.size(), f);
  };
  if (beta == 0.5F) {
    apply([](const Lanes<float>& x) { return SqrtOf(x).inverse(); });
  } else {
    apply([beta](const Lanes<float>& x) { return (x.log() * -beta).exp(); });
  }
  return power;
}

Row Base(const Row& x, const LrnAttrs& attrs) {
  return SumOfNeighbours(x.square(), attrs.radius) * attrs.alpha + attrs.bias;
}

template <typename T>
class LrnOp final : public OpKernel {
 public:
  explicit LrnOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C]
    Require(x.rank() == 4, "in must be 4-dimensional, is ", x.shape());
    Tensor* y = nullptr;  // [N,H,W,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->num_elements() == 0) return;

    const int64_t channels = x.dim(3);
    const Tensor wide = Widened(x);
    Tensor result = WideBuffer(*y);
    const float* from = wide.flat<float>().data();
    float* to = result.mutable_flat<float>().data();
    const auto work = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Row pixel = ConstArrayView<float>(from + i * channels, channels);
        ArrayView<float>(to + i * channels, channels) =
            pixel * Power(Base(pixel, attrs_), attrs_.beta);
      }
    };
    ctx->threads().ParallelFor(x.num_elements() / channels, channels * 2, work);
    StoreWide(result, y);
  }

 private:
  const LrnAttrs attrs_;
};

template <typename T>
class LrnGradOp final : public OpKernel {
 public:
  explicit LrnGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);  // [N,H,W,C]
    const Tensor& x = ctx->input(1);   // [N,H,W,C]
    const Tensor& y = ctx->input(2);   // [N,H,W,C]
    Require(dy.rank() == 4, "in_grads must be 4-dimensional, is ", dy.shape());
    Require(x.shape() == dy.shape() && y.shape() == dy.shape(),
            "in_grads, in_image and out_image must have one shape: ", dy.shape(), ", ",
            x.shape(), ", ", y.shape());
    Tensor* dx = nullptr;  // [N,H,W,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &dx));
    if (dx->num_elements() == 0) return;

    const int64_t channels = x.dim(3);
    const Tensor gradients = Widened(dy), images = Widened(x), out = Widened(y);
    Tensor result = WideBuffer(*dx);
    float* to = result.mutable_flat<float>().data();
    const auto work = [&](int64_t begin, int64_t end) {
      const auto row = [&](const Tensor& tensor, int64_t i) {
        return ConstArrayView<float>(tensor.flat<float>().data() + i * channels,
                                     channels);
      };
      for (int64_t i = begin; i < end; ++i) {
        const Row pixel = row(images, i);
        const Row base = Base(pixel, attrs_);
        const Row through_base =
            SumOfNeighbours(row(gradients, i) * row(out, i) / base, attrs_.radius);
        ArrayView<float>(to + i * channels, channels) =
            row(gradients, i) * Power(base, attrs_.beta) -
            2 * attrs_.alpha * attrs_.beta * pixel * through_base;
      }
    };
    ctx->threads().ParallelFor(x.num_elements() / channels, channels * 4, work);
    StoreWide(result, dx);
  }

 private:
  const LrnAttrs attrs_;
};

const bool kLrnRegistered = ForTypes(Types<float16, bfloat16, float>{}, []<typename T>() {
  RegisterKernel<LrnOp<T>>(Kernel("LRN").Type<T>("T"));
  RegisterKernel<LrnGradOp<T>>(Kernel("LRNGrad").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
