// Slicing on the CPU: copy loops that start somewhere and take some steps at a time.
//
// A slice of whole rows is not copied: it shares the memory of the tensor. All others are
// one loop for each axis, which starts at `begin` and goes on by `stride`; a negative
// stride reverses. The gradient of a slice is the same copy with the strides of source
// and target exchanged, into zeros.
//
// Op         minitf/ops/array/slice_ops.cc
// Compare    tensorflow/core/kernels/slice_op.cc, strided_slice_op.cc, reverse_op.cc
// Read next  kernels/cpu/common/strided_copy.cc

#include <algorithm>

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/framework/shapes/strided_slice.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

// Whether `part` of x is some of its rows, one after the other.
bool IsWholeRows(const Shape& x, const StridedLayout& part) {
  return x.rank() > 0 && part.IsContiguous() &&
         std::ranges::equal(part.sizes().subspan(1), x.sizes().subspan(1));
}

// Output 0 is `part` of input 0, with the shape `shape`.
void TakePart(OpKernelContext* ctx, const StridedLayout& part, const Shape& shape) {
  const Tensor& x = ctx->input(0);
  if (shape.num_elements() > 0 && IsWholeRows(x.shape(), part)) {
    ctx->set_output(0, TensorView(x, part).Compact().Reshaped(shape));
    return;
  }
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
  // Without axes that the call adds or drops, which strides do not depend on.
  StridedCopy(x, part, y, StridedLayout(part.shape()), ctx->threads());
}

class SliceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(ctx->input(1).rank() == 1 && ctx->input(2).rank() == 1,
            "begin and size must be vectors, got shapes ", ctx->input(1).shape(), " and ",
            ctx->input(2).shape());
    const std::vector<int64_t> begin = IntegersOf(ctx->host_input(1));
    const Shape result =
        SlicedShape(x.shape(), begin, IntegersOf(ctx->host_input(2))).ToShape();
    StridedSlicePlan plan;
    for (int k = 0; k < x.rank(); ++k) plan.axes.push_back({begin[k], 1, result.dim(k)});
    TakePart(ctx, plan.PartOf(x.shape()), result);
  }
};
REGISTER_KERNEL(
    Kernel("Slice").OnAllDevices().HostMemory("begin", "size").HostMemoryIfInt32("T"),
    SliceOp);

class StridedSliceOp final : public OpKernel {
 public:
  explicit StridedSliceOp(OpKernelConstruction* construction)
      : OpKernel(construction), masks_(StridedSliceMasks::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Shape& x = ctx->input(0).shape();
    const auto plan = PlanStridedSlice(x, ctx->host_input(1), ctx->host_input(2),
                                       ctx->host_input(3), masks_);
    TakePart(ctx, plan.PartOf(x), plan.result.ToShape());
  }

 private:
  StridedSliceMasks masks_;
};
REGISTER_KERNEL(Kernel("StridedSlice")
                    .OnAllDevices()
                    .HostMemory("begin", "end", "strides")
                    .HostMemoryIfInt32("T"),
                StridedSliceOp);

class StridedSliceGradOp final : public OpKernel {
 public:
  explicit StridedSliceGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), masks_(StridedSliceMasks::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    Require(ctx->input(0).rank() == 1, "shape must be a vector, not ",
            ctx->input(0).shape());
    const Shape shape(IntegersOf(ctx->host_input(0)));
    const Tensor& dy = ctx->input(4);  // what the slice takes
    const auto plan = PlanStridedSlice(shape, ctx->host_input(1), ctx->host_input(2),
                                       ctx->host_input(3), masks_);
    Require(dy.shape() == plan.result.ToShape(), "shape of dy was ", dy.shape(),
            " instead of ", plan.result);
    Tensor* dx = nullptr;  // [shape...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &dx));
    FillTensor(ZeroOf(dx->dtype()), dx, ctx->threads());
    const StridedLayout part = plan.PartOf(shape);
    StridedCopy(dy, StridedLayout(part.shape()), dx, part, ctx->threads());
  }

 private:
  StridedSliceMasks masks_;
};
REGISTER_KERNEL(Kernel("StridedSliceGrad")
                    .OnAllDevices()
                    .HostMemory("shape", "begin", "end", "strides")
                    .HostMemoryIfInt32("T"),
                StridedSliceGradOp);

// ---- Backwards ------------------------------------------------------------------------

void Reverse(OpKernelContext* ctx, const std::vector<bool>& reversed) {
  const Tensor& x = ctx->input(0);
  if (x.rank() == 0) return ctx->set_output(0, x);
  StridedLayout backwards(x.shape());
  for (int k = 0; k < x.rank(); ++k) {
    if (reversed[k]) backwards = backwards.Reverse(k);
  }
  TakePart(ctx, backwards, x.shape());
}

class ReverseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dims = ctx->host_input(1);  // [rank of x]
    Require(dims.rank() == 1 && dims.dim(0) == ctx->input(0).rank(),
            "'dims' must have as many elements as the tensor has axes, ",
            ctx->input(0).rank(), ", its shape is ", dims.shape());
    const auto flags = dims.flat<bool>();
    Reverse(ctx, {flags.begin(), flags.end()});
  }
};
REGISTER_KERNEL(
    Kernel("Reverse").OnAllDevices().HostMemory("dims").HostMemoryIfInt32("T"),
    ReverseOp);

class ReverseV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int rank = ctx->input(0).rank();
    Require(ctx->input(1).rank() == 1, "axis must have rank 1, its shape is ",
            ctx->input(1).shape());
    std::vector<bool> reversed(rank, false);
    for (const int64_t given : IntegersOf(ctx->host_input(1))) {
      const int axis = NormalizedAxis(given, rank);
      Require(!reversed[axis], "axis ", axis, " specified more than once.");
      reversed[axis] = true;
    }
    Reverse(ctx, reversed);
  }
};
REGISTER_KERNEL(
    Kernel("ReverseV2").OnAllDevices().HostMemory("axis").HostMemoryIfInt32("T"),
    ReverseV2Op);

class ReverseSequenceOp final : public OpKernel {
 public:
  explicit ReverseSequenceOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("seq_dim", &seq_dim_));
    OP_REQUIRES_OK(construction, construction->GetAttr("batch_dim", &batch_dim_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const int seq = NormalizedAxis(seq_dim_, x.rank());
    const int batch = NormalizedAxis(batch_dim_, x.rank());
    Require(seq != batch, "batch_dim == seq_dim == ", seq);
    Require(ctx->input(1).rank() == 1, "seq_lengths must be a vector, its shape is ",
            ctx->input(1).shape());
    const std::vector<int64_t> lengths = IntegersOf(ctx->input(1));  // [batch size]
    Require(static_cast<int64_t>(lengths.size()) == x.dim(batch), "seq_lengths has ",
            lengths.size(), " elements, the batch has ", x.dim(batch));
    for (const int64_t length : lengths) {
      Require(0 <= length && length <= x.dim(seq), "a sequence length of ", length,
              " is not in [0, ", x.dim(seq), "]");
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));

    const StridedLayout all(x.shape());
    // Each element of the batch has a length of its own, so each takes two copies: what
    // is before its length goes backwards, what is behind it to the same place.
    for (int64_t b = 0; b < x.dim(batch); ++b) {
      const StridedLayout example = all.Slice(batch, b, 1, 1);
      const int64_t length = lengths[b];
      const StridedLayout head = example.Slice(seq, 0, 1, length);
      const StridedLayout rest = example.Slice(seq, length, 1, x.dim(seq) - length);
      StridedCopy(x, head.Reverse(seq), y, head, ctx->threads());
      StridedCopy(x, rest, y, rest, ctx->threads());
    }
  }

 private:
  int64_t seq_dim_ = 0;
  int64_t batch_dim_ = 0;
};
REGISTER_KERNEL(Kernel("ReverseSequence").On(Device::kCpu), ReverseSequenceOp);

}  // namespace
}  // namespace minitf
