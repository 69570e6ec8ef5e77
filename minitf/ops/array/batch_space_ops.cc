// Array ops that move blocks of pixels into the batch, and back.
//
// Kernels    kernels/cpu/array/space_to_batch.cc
// Gradients  minitf/gradients/array/array_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/array/slice_ops.cc

#include <optional>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

// size * block - crop, or (size + padding) / block, where all is known.
int64_t SpatialSize(int64_t size, int64_t block, const AxisPadding& padding,
                    bool to_batch) {
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

int64_t BatchSize(int64_t size, int64_t block, bool to_batch) {
  if (size == kUnknown) return kUnknown;
  if (to_batch) return CheckedProduct(size, block);
  Require(size % block == 0,
          "Input batch dimension is not divisible by product of block ", "sizes: ", size,
          " is left for ", block);
  return size / block;
}

void BlocksShape(InferenceContext* ctx, bool to_batch) {
  const PartialShape& x = ctx->input(0);
  const int64_t count = ctx->WithRank(1, 1, "block_shape").dim(0);
  Require(count != kUnknown,
          "block_shape must be a vector of known length, its shape is ", ctx->input(1));
  const PartialShape& rows = ctx->WithRank(2, 2, to_batch ? "paddings" : "crops");
  Require(rows.IsCompatibleWith({count, 2}) && (!x.has_rank() || count < x.rank()),
          "block_shape ", ctx->input(1), " and paddings ", rows, " do not fit an input ",
          x);
  const Tensor* block_shape = ctx->input_value(1);
  if (block_shape != nullptr) {
    for (const int64_t block : IntegersOf(*block_shape)) {
      Require(block >= 1, "block_shape must be positive, holds ", block);
    }
  }
  if (!x.has_rank()) return;

  const Tensor* paddings = ctx->input_value(2);
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  for (int i = 0; i < count; ++i) {
    const bool is_known = block_shape != nullptr && paddings != nullptr;
    const int64_t block = block_shape == nullptr ? 1 : IntegersOf(*block_shape)[i];
    sizes[0] = block_shape == nullptr ? kUnknown : BatchSize(sizes[0], block, to_batch);
    sizes[i + 1] =
        is_known ? SpatialSize(sizes[i + 1], block, PaddingsOf(*paddings)[i], to_batch)
                 : kUnknown;
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
