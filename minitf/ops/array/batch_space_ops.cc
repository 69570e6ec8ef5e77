// Array ops that move blocks of pixels into the batch, and back.
//
// Kernels    kernels/cpu/array/space_to_batch.cc
// Gradients  minitf/gradients/array/array_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/array/slice_ops.cc

#include <algorithm>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

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
  const Tensor* paddings = ctx->input_value(2);
  const std::vector<int64_t> blocks =
      block_shape ? IntegersOf(*block_shape) : std::vector<int64_t>(count, 1);
  const bool is_known = block_shape != nullptr && paddings != nullptr;
  const std::vector<AxisPadding> given =
      is_known ? PaddingsOf(*paddings) : std::vector<AxisPadding>(count, {0, 0});
  PartialShape known = x;
  if (x.has_rank() && !is_known) {
    std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
    if (block_shape == nullptr) sizes[0] = kUnknown;
    std::fill_n(sizes.begin() + 1, count, kUnknown);
    known = PartialShape(sizes);
  }
  ctx->set_output(0, BlockedShape(known, blocks, given, to_batch));
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
