// Array ops that move blocks of pixels into the batch, and back.
//
// Kernels    kernels/cpu/space_to_batch.cc
// Gradients  minitf/gradients/array_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/slice_ops.cc

#include <optional>

#include "minitf/framework/array_shapes.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// size * block - crop, or (size + padding) / block, where all is known.
int64_t SpatialSize(int64_t size, int64_t block, const AxisPadding& padding,
                    bool to_batch) {
  Require(block >= 1, "block_shape must be positive, holds ", block);
  if (size == kUnknown) return kUnknown;
  if (!to_batch) {
    const int64_t whole = CheckedProduct(size, block);
    Require(padding.before <= whole && padding.after <= whole - padding.before, "crops ",
            padding.before, ", ", padding.after, " are more than the size ", whole);
    return whole - padding.before - padding.after;
  }
  const int64_t padded = PaddedShape({size}, {padding}).dim(0);
  Require(padded % block == 0, "the padded size ", padded, " is not divisible by ",
          block);
  return padded / block;
}

void BlocksShape(InferenceContext* ctx, bool to_batch) {
  ctx->WithRank(1, 1, "block_shape");
  ctx->WithRank(2, 2, to_batch ? "paddings" : "crops");
  const PartialShape& x = ctx->input(0);
  const Tensor* block_shape = ctx->input_value(1);
  const Tensor* paddings = ctx->input_value(2);
  if (!x.has_rank()) return;
  ctx->set_output(0, PartialShape::OfRank(x.rank()));
  if (block_shape == nullptr || paddings == nullptr) return;

  const std::vector<int64_t> blocks = IntegersOf(*block_shape);
  const std::vector<AxisPadding> added = PaddingsOf(*paddings);
  const auto count = static_cast<int>(blocks.size());
  Require(count < x.rank() && added.size() == blocks.size(), "block_shape of ", count,
          " and paddings of ", added.size(), " rows do not fit an input of rank ",
          x.rank());
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  for (int i = 0; i < count; ++i) {
    sizes[i + 1] = SpatialSize(sizes[i + 1], blocks[i], added[i], to_batch);
    if (sizes[0] == kUnknown) continue;
    Require(to_batch || sizes[0] % blocks[i] == 0, "Input batch dimension (", x.dim(0),
            ") is not divisible by product of block sizes");
    sizes[0] = to_batch ? CheckedProduct(sizes[0], blocks[i]) : sizes[0] / blocks[i];
  }
  ctx->set_output(0, PartialShape(sizes));
}

REGISTER_OP("SpaceToBatchND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = int32")
    .Attr("Tpaddings: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) { BlocksShape(ctx, true); })
    .Doc(
        "Pads the spatial axes with zeros, and makes a batch element of each place in a "
        "block of block_shape.");

REGISTER_OP("BatchToSpaceND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("crops: Tcrops")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = int32")
    .Attr("Tcrops: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) { BlocksShape(ctx, false); })
    .Doc("Undoes SpaceToBatchND: `crops` are what was padded.");

}  // namespace
}  // namespace minitf
