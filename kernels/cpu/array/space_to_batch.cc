// SpaceToBatchND and BatchToSpaceND on the CPU: blocks of pixels become batch elements.
//
// With each spatial size p written as two axes, p / b and b, the op is a transpose:
//
//   [n, p1/b1, b1, p2/b2, b2, rest]  ->  [b1, b2, n, p1/b1, p2/b2, rest]
//
// A convolution over the batch elements then sees every b-th pixel: it is dilated by b.
//
// Op         minitf/ops/array/batch_space_ops.cc
// Compare    tensorflow/core/kernels/spacetobatch_op.cc, batchtospace_op.cc

#include <vector>

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

// The axes of both forms. `big` are the sizes p of the padded space, and b divides p.
struct BlockPlan {
  Shape space;            // [n, p1/b1, b1, ..., rest]
  Shape batch;            // [b1, ..., n, p1/b1, ..., rest]
  std::vector<int> perm;  // axis i of batch is axis perm[i] of space
};

BlockPlan PlanBlocks(int64_t n, const std::vector<int64_t>& big,
                     const std::vector<int64_t>& blocks, std::span<const int64_t> rest) {
  const auto count = static_cast<int>(blocks.size());
  std::vector<int64_t> space = {n};
  BlockPlan plan;
  for (int i = 0; i < count; ++i) {
    space.insert(space.end(), {big[i] / blocks[i], blocks[i]});
    plan.perm.push_back(2 * i + 2);
  }
  space.insert(space.end(), rest.begin(), rest.end());
  plan.perm.push_back(0);
  for (int i = 0; i < count; ++i) plan.perm.push_back(2 * i + 1);
  for (int i = 2 * count + 1; i < static_cast<int>(space.size()); ++i) {
    plan.perm.push_back(i);
  }
  std::vector<int64_t> batch;
  for (const int axis : plan.perm) batch.push_back(space[axis]);
  plan.space = Shape(space);
  plan.batch = Shape(batch);
  return plan;
}

// The sizes of blocks, all at least 1.
std::vector<int64_t> BlocksOf(const Tensor& block_shape, const Tensor& x) {
  Require(block_shape.rank() == 1 && block_shape.dim(0) < x.rank(),
          "block_shape must be a vector of fewer elements than the input has axes, ",
          x.rank(), "; its shape is ", block_shape.shape());
  std::vector<int64_t> blocks = IntegersOf(block_shape);
  for (const int64_t block : blocks) {
    Require(block >= 1, "block_shape must be positive, holds ", block);
  }
  return blocks;
}

// Copies the middle of the larger of two tensors from or to the smaller one.
void CopyMiddle(const Tensor& from, Tensor* to, const std::vector<AxisPadding>& paddings,
                bool to_is_larger, ThreadPool& threads) {
  const Shape& smaller = to_is_larger ? from.shape() : to->shape();
  const std::vector<int64_t> from_strides = StridesOf(from.shape());
  const std::vector<int64_t> to_strides = StridesOf(to->shape());
  const std::vector<int64_t>& larger_strides = to_is_larger ? to_strides : from_strides;
  int64_t offset = 0;
  std::vector<CopyLoop> loops;
  for (int axis = 0; axis < smaller.rank(); ++axis) {
    offset += paddings[axis].before * larger_strides[axis];
    loops.push_back({smaller.dim(axis), from_strides[axis], to_strides[axis]});
  }
  StridedCopy(from, to_is_larger ? 0 : offset, to, to_is_larger ? offset : 0,
              std::move(loops), threads);
}

// The paddings of all axes: those of the spatial ones are in `given` [count,2].
std::vector<AxisPadding> AllPaddings(const Tensor& given, size_t count, int rank) {
  std::vector<AxisPadding> paddings = PaddingsOf(given);
  Require(paddings.size() == count, "needs ", count, " rows of paddings, got ",
          paddings.size());
  paddings.insert(paddings.begin(), {0, 0});
  paddings.resize(rank, {0, 0});
  return paddings;
}

class SpaceToBatchOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [n, s..., rest...]
    const std::vector<int64_t> blocks = BlocksOf(ctx->input(1), x);
    const auto paddings = AllPaddings(ctx->input(2), blocks.size(), x.rank());
    const Shape padded_shape = PaddedShape(x.shape(), paddings).ToShape();
    std::vector<int64_t> big;
    std::vector<int64_t> sizes = {x.dim(0)};
    for (size_t i = 0; i < blocks.size(); ++i) {
      big.push_back(padded_shape.sizes()[i + 1]);
      Require(big[i] % blocks[i] == 0, "padded_shape[", i, "]=", big[i],
              " is not divisible by block_shape[", i, "]=", blocks[i]);
      sizes[0] = CheckedProduct(sizes[0], blocks[i]);
      sizes.push_back(big[i] / blocks[i]);
    }
    const auto rest = x.shape().sizes().subspan(blocks.size() + 1);
    sizes.insert(sizes.end(), rest.begin(), rest.end());

    Tensor padded;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(x.dtype(), padded_shape, &padded));
    FillTensor(ZeroOf(x.dtype()), &padded, ctx->threads());
    CopyMiddle(x, &padded, paddings, true, ctx->threads());
    const BlockPlan plan = PlanBlocks(x.dim(0), big, blocks, rest);
    Tensor* y = nullptr;  // [n * product of blocks, s / blocks..., rest...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &y));
    Tensor as_blocks = y->Reshaped(plan.batch);
    TransposeInto(padded.Reshaped(plan.space), plan.perm, &as_blocks, ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("SpaceToBatchND").On(Device::kCpu), SpaceToBatchOp);

class BatchToSpaceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [n * product of blocks, s / blocks..., rest...]
    const std::vector<int64_t> blocks = BlocksOf(ctx->input(1), x);
    const auto crops = AllPaddings(ctx->input(2), blocks.size(), x.rank());
    int64_t area = 1;
    for (const int64_t block : blocks) area = CheckedProduct(area, block);
    Require(x.dim(0) % area == 0, "Input batch dimension (", x.dim(0),
            ") is not divisible by product of block sizes (", area, ")");
    const int64_t n = x.dim(0) / area;
    std::vector<int64_t> big;
    std::vector<int64_t> uncropped_sizes = {n};
    std::vector<int64_t> sizes = {n};
    for (size_t i = 0; i < blocks.size(); ++i) {
      big.push_back(CheckedProduct(x.shape().sizes()[i + 1], blocks[i]));
      const auto [before, after] = crops[i + 1];
      Require(before <= big[i] && after <= big[i] - before, "crops ", before, ", ", after,
              " are more than the size ", big[i], " of axis ", i + 1);
      uncropped_sizes.push_back(big[i]);
      sizes.push_back(big[i] - before - after);
    }
    const auto rest = x.shape().sizes().subspan(blocks.size() + 1);
    uncropped_sizes.insert(uncropped_sizes.end(), rest.begin(), rest.end());
    sizes.insert(sizes.end(), rest.begin(), rest.end());

    const BlockPlan plan = PlanBlocks(n, big, blocks, rest);
    std::vector<int> back(plan.perm.size());
    for (size_t i = 0; i < back.size(); ++i) back[plan.perm[i]] = static_cast<int>(i);
    Tensor in_space;
    OP_REQUIRES_OK(ctx, ctx->allocate_temp(x.dtype(), plan.space, &in_space));
    TransposeInto(x.Reshaped(plan.batch), back, &in_space, ctx->threads());
    Tensor* y = nullptr;  // [n, s - crops..., rest...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &y));
    CopyMiddle(in_space.Reshaped(Shape(uncropped_sizes)), y, crops, false,
               ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("BatchToSpaceND").On(Device::kCpu), BatchToSpaceOp);

}  // namespace
}  // namespace minitf
