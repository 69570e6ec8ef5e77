// SpaceToBatchND and BatchToSpaceND on the CPU: blocks of pixels become batch elements.
//
// A batch element holds one place of all blocks: along an axis every b-th pixel, from
// that place on. As a view of the images that is a slice with steps of b, so both ops
// copy slice by slice, in one direction or the other. A convolution over the batch
// elements sees every b-th pixel: it is dilated by b.
//
// Op         minitf/ops/array/batch_space_ops.cc
// Compare    tensorflow/core/kernels/spacetobatch_op.cc, batchtospace_op.cc

#include <algorithm>
#include <vector>

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

// What one place of the blocks is of the images, and of the batch.
struct PlaceViews {
  StridedLayout images;  // [n, s..., rest...]
  StridedLayout batch;   // [n * area, s / block..., rest...]
};

// Narrows both views, along `axis`, to what the `place` of blocks of size `block` has of
// them. Padding is in neither: the first row of the batch element may be row -1 or less.
void TakePlace(int axis, int64_t place, int64_t block, int64_t padded_before,
               PlaceViews* views) {
  const int64_t size = views->images.sizes()[axis];
  const int64_t rows = views->batch.sizes()[axis];
  const int64_t start = place - padded_before;
  const int64_t first = start < 0 ? (-start + block - 1) / block : 0;
  const int64_t last =
      std::min(rows, start < size ? (size - start + block - 1) / block : 0);
  const int64_t count = std::max<int64_t>(last - first, 0);
  views->images = views->images.Slice(axis, start + first * block, block, count);
  views->batch = views->batch.Slice(axis, first, 1, count);
}

// y is x [n,s...,rest...] with its blocks in the batch; unless `to_batch`, the way back.
void MoveBlocks(const Tensor& x, const std::vector<int64_t>& blocks,
                const std::vector<AxisPadding>& paddings, bool to_batch, Tensor* y,
                ThreadPool& threads) {
  const StridedLayout images(to_batch ? x.shape() : y->shape());
  const StridedLayout batch(to_batch ? y->shape() : x.shape());
  if (images.IsEmpty() || batch.IsEmpty()) return;
  const int64_t n = images.sizes()[0];
  for (int64_t place = 0; place < batch.sizes()[0] / n; ++place) {
    PlaceViews views = {images, batch.Slice(0, place * n, 1, n)};
    int64_t rest = place;
    for (int i = static_cast<int>(blocks.size()) - 1; i >= 0; --i) {
      TakePlace(i + 1, rest % blocks[i], blocks[i], paddings[i].before, &views);
      rest /= blocks[i];
    }
    if (to_batch) {
      StridedCopy(x, views.images, y, views.batch, threads);
    } else {
      StridedCopy(x, views.batch, y, views.images, threads);
    }
  }
}

template <bool kToBatch>
class BlocksOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(ctx->input(1).rank() == 1, "block_shape must be a vector; its shape is ",
            ctx->input(1).shape());
    const std::vector<int64_t> blocks = IntegersOf(ctx->host_input(1));
    const std::vector<AxisPadding> paddings = PaddingsOf(ctx->host_input(2));
    const Shape shape = BlockedShape(x.shape(), blocks, paddings, kToBatch).ToShape();
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    const auto pads = [](const AxisPadding& p) { return p.before > 0 || p.after > 0; };
    if (kToBatch && std::ranges::any_of(paddings, pads)) {
      FillTensor(ZeroOf(x.dtype()), y, ctx->threads());
    }
    MoveBlocks(x, blocks, paddings, kToBatch, y, ctx->threads());
  }
};
REGISTER_KERNEL(
    Kernel("SpaceToBatchND").OnAllDevices().HostMemory("block_shape", "paddings"),
    BlocksOp<true>);
REGISTER_KERNEL(
    Kernel("BatchToSpaceND").OnAllDevices().HostMemory("block_shape", "crops"),
    BlocksOp<false>);

}  // namespace
}  // namespace minitf
