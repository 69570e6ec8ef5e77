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

namespace minitf {
namespace {

using SliceAxis = StridedSlicePlan::Axis;

Shape ShapeOf(const std::vector<SliceAxis>& axes) {
  std::vector<int64_t> sizes;
  for (const SliceAxis& axis : axes) sizes.push_back(axis.size);
  return Shape(sizes);
}

// Whether all axes but the first are taken whole, and the first without gaps.
bool IsWholeRows(const Shape& x, const std::vector<SliceAxis>& axes) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axes[axis].stride != 1) return false;
    if (axis > 0 && axes[axis].size != x.dim(axis)) return false;
  }
  return x.rank() > 0;
}

// The loops over the elements of `axes`: in x, whose shape is `x`, and in what is taken.
// Sets *offset to the first element's place in x.
std::vector<CopyLoop> LoopsOf(const Shape& x, const std::vector<SliceAxis>& axes,
                              int64_t* offset) {
  const std::vector<int64_t> whole = StridesOf(x);
  const std::vector<int64_t> part = StridesOf(ShapeOf(axes));
  std::vector<CopyLoop> loops;
  *offset = 0;
  for (size_t k = 0; k < axes.size(); ++k) {
    *offset += axes[k].begin * whole[k];
    // The stride of a single step may be too large to be multiplied.
    const int64_t step = axes[k].size > 1 ? axes[k].stride * whole[k] : 0;
    loops.push_back({axes[k].size, step, part[k]});
  }
  return loops;
}

void TakeSlice(OpKernelContext* ctx, const std::vector<SliceAxis>& axes,
               const Shape& shape) {
  const Tensor& x = ctx->input(0);
  if (IsWholeRows(x.shape(), axes)) {
    const int64_t first = axes[0].size == 0 ? 0 : axes[0].begin;
    ctx->set_output(0, x.Slice(first, first + axes[0].size).Reshaped(shape));
    return;
  }
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
  if (y->num_elements() == 0) return;
  int64_t offset = 0;
  std::vector<CopyLoop> loops = LoopsOf(x.shape(), axes, &offset);
  StridedCopy(x, offset, y, 0, std::move(loops), ctx->threads());
}

class SliceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(ctx->input(1).rank() == 1 && ctx->input(2).rank() == 1,
            "begin and size must be vectors, got shapes ", ctx->input(1).shape(), " and ",
            ctx->input(2).shape());
    const std::vector<int64_t> begin = IntegersOf(ctx->input(1));
    const Shape result =
        SlicedShape(x.shape(), begin, IntegersOf(ctx->input(2))).ToShape();
    std::vector<SliceAxis> axes;
    for (int k = 0; k < x.rank(); ++k) axes.push_back({begin[k], 1, result.dim(k)});
    TakeSlice(ctx, axes, result);
  }
};
REGISTER_KERNEL(Kernel("Slice").On(Device::kCpu), SliceOp);

// The plan for a tensor of shape `x`; begin, end and strides are inputs from `first` on.
StridedSlicePlan PlanOf(OpKernelContext* ctx, const Shape& x, int first,
                        const StridedSliceMasks& masks) {
  for (int i = first; i < first + 3; ++i) {
    Require(
        ctx->input(i).rank() == 1 && ctx->input(i).shape() == ctx->input(first).shape(),
        "begin, end and strides must be equally long vectors: ",
        ctx->input(first).shape(), ", ", ctx->input(first + 1).shape(), ", ",
        ctx->input(first + 2).shape());
  }
  return PlanStridedSlice(x, IntegersOf(ctx->input(first)),
                          IntegersOf(ctx->input(first + 1)),
                          IntegersOf(ctx->input(first + 2)), masks);
}

class StridedSliceOp final : public OpKernel {
 public:
  explicit StridedSliceOp(OpKernelConstruction* construction)
      : OpKernel(construction), masks_(StridedSliceMasks::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const auto plan = PlanOf(ctx, ctx->input(0).shape(), 1, masks_);
    TakeSlice(ctx, plan.axes, plan.result.ToShape());
  }

 private:
  StridedSliceMasks masks_;
};
REGISTER_KERNEL(Kernel("StridedSlice").On(Device::kCpu), StridedSliceOp);

class StridedSliceGradOp final : public OpKernel {
 public:
  explicit StridedSliceGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), masks_(StridedSliceMasks::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    Require(ctx->input(0).rank() == 1, "shape must be a vector, not ",
            ctx->input(0).shape());
    const Shape shape(IntegersOf(ctx->input(0)));
    const Tensor& dy = ctx->input(4);  // what the slice takes
    const auto plan = PlanOf(ctx, shape, 1, masks_);
    Require(dy.shape() == plan.result.ToShape(), "shape of dy was ", dy.shape(),
            " instead of ", plan.result);
    Tensor* dx = nullptr;  // [shape...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &dx));
    FillTensor(ZeroOf(dx->dtype()), dx, ctx->threads());
    if (dy.num_elements() == 0) return;
    int64_t offset = 0;
    std::vector<CopyLoop> loops = LoopsOf(shape, plan.axes, &offset);
    for (CopyLoop& loop : loops) std::swap(loop.from_stride, loop.to_stride);
    StridedCopy(dy, 0, dx, offset, std::move(loops), ctx->threads());
  }

 private:
  StridedSliceMasks masks_;
};
REGISTER_KERNEL(Kernel("StridedSliceGrad").On(Device::kCpu), StridedSliceGradOp);

// ---- Backwards ------------------------------------------------------------------------

void Reverse(OpKernelContext* ctx, const std::vector<bool>& reversed) {
  const Tensor& x = ctx->input(0);
  std::vector<SliceAxis> axes;
  for (int k = 0; k < x.rank(); ++k) {
    const int64_t size = x.dim(k);
    axes.push_back(reversed[k] ? SliceAxis{size - 1, -1, size} : SliceAxis{0, 1, size});
  }
  if (x.rank() == 0) return ctx->set_output(0, x);
  TakeSlice(ctx, axes, x.shape());
}

class ReverseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dims = ctx->input(1);  // [rank of x]
    Require(dims.rank() == 1 && dims.dim(0) == ctx->input(0).rank(),
            "'dims' must have as many elements as the tensor has axes, ",
            ctx->input(0).rank(), ", its shape is ", dims.shape());
    const auto flags = dims.flat<bool>();
    Reverse(ctx, {flags.begin(), flags.end()});
  }
};
REGISTER_KERNEL(Kernel("Reverse").On(Device::kCpu), ReverseOp);

class ReverseV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int rank = ctx->input(0).rank();
    Require(ctx->input(1).rank() == 1, "axis must have rank 1, its shape is ",
            ctx->input(1).shape());
    std::vector<bool> reversed(rank, false);
    for (const int64_t given : IntegersOf(ctx->input(1))) {
      const int axis = NormalizedAxis(given, rank);
      Require(!reversed[axis], "axis ", axis, " specified more than once.");
      reversed[axis] = true;
    }
    Reverse(ctx, reversed);
  }
};
REGISTER_KERNEL(Kernel("ReverseV2").On(Device::kCpu), ReverseV2Op);

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
    if (y->num_elements() == 0) return;

    // Each element of the batch has a length of its own, so each takes two copies: what
    // is behind its length goes to the same place, and what is before it goes backwards,
    // starting with the last element of the sequence.
    const std::vector<int64_t> strides = StridesOf(x.shape());
    for (int64_t b = 0; b < x.dim(batch); ++b) {
      std::vector<CopyLoop> loops;
      for (int k = 0; k < x.rank(); ++k) {
        loops.push_back({k == batch ? 1 : x.dim(k), strides[k], strides[k]});
      }
      const int64_t start = b * strides[batch];
      const int64_t length = lengths[b];
      loops[seq].size = x.dim(seq) - length;
      const int64_t rest = start + length * strides[seq];
      StridedCopy(x, rest, y, rest, loops, ctx->threads());
      loops[seq] = {length, -strides[seq], strides[seq]};
      StridedCopy(x, start + (length - 1) * strides[seq], y, start, loops,
                  ctx->threads());
    }
  }

 private:
  int64_t seq_dim_ = 0;
  int64_t batch_dim_ = 0;
};
REGISTER_KERNEL(Kernel("ReverseSequence").On(Device::kCpu), ReverseSequenceOp);

}  // namespace
}  // namespace minitf
