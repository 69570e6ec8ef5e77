// Array ops that give the same elements another shape or another order, or repeat them.
//
// Kernels    kernels/cpu/array/reshape.cc, transpose.cc, tile.cc
// Gradients  minitf/gradients/array/array_grad.cc, ../math/math_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/array/join_ops.cc

#include <algorithm>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

void ReshapeShape(InferenceContext* ctx) {
  ctx->WithRank(1, 1, "shape");
  if (const Tensor* sizes = ctx->input_value(1)) {
    ctx->set_output(0, ReshapedShape(ctx->input(0), IntegersOf(*sizes)));
    return;
  }
  // One unknown size follows from the others, whether it is written as -1 or not.
  const PartialShape target = ctx->InputAsShape(1);
  if (!target.has_rank()) return;
  const auto sizes = target.sizes();
  const int64_t count = ctx->input(0).num_elements();
  // Of no elements a size of 0 may be any of the sizes, unless only one is unknown.
  const bool is_known = count > 0 || (count == 0 && std::ranges::count(sizes, 0) == 0);
  const bool can_solve = is_known && std::ranges::count(sizes, kUnknown) <= 1;
  ctx->set_output(
      0, can_solve ? ReshapedShape(ctx->input(0), {sizes.begin(), sizes.end()}) : target);
}

REGISTER_OP("Reshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = int32")
    .SetHandsOnInput()
    .SetShapeFn(ReshapeShape)
    .Doc(
        "The same elements in another shape, the last axis running fastest. One size may "
        "be -1: it is worked out from the number of elements.");

REGISTER_OP("Squeeze")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("squeeze_dims: list(int) >= 0 = []")
    .SetHandsOnInput()
    .SetShapeFn([](InferenceContext* ctx) {
      const auto& axes = ctx->attr<std::vector<int64_t>>("squeeze_dims");
      ctx->set_output(0, SqueezedShape(ctx->input(0), axes));
    })
    .Doc("The input without the axes `squeeze_dims`, or without all axes of size 1.");

void ExpandDimsShape(InferenceContext* ctx) {
  if (const Tensor* axis = ctx->input_value(1)) {
    Require(axis->num_elements() == 1, "'dim' must be a tensor with a single value");
    ctx->set_output(0, ExpandedShape(ctx->input(0), IntegersOf(*axis)[0]));
  }
}

REGISTER_OP("ExpandDims")
    .Input("input: T")
    .Input("dim: Tdim")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tdim: {int32, int64} = int32")
    .SetHandsOnInput()
    .SetShapeFn(ExpandDimsShape)
    .Doc("The input with a new axis of size 1, which becomes axis `dim`.");

//   input [...] of size a  ->  output [...], [...,a/b] or (without its last axis) [...]
void BitcastShape(InferenceContext* ctx) {
  const PartialShape& input = ctx->input(0);
  const auto from = static_cast<int64_t>(SizeOf(ctx->input_type(0)));
  const auto to = static_cast<int64_t>(SizeOf(ctx->attr<DType>("type")));
  if (!input.has_rank()) return;
  std::vector<int64_t> sizes(input.sizes().begin(), input.sizes().end());
  if (from > to) sizes.push_back(from / to);
  if (from < to) {
    const int64_t last = sizes.empty() ? 0 : sizes.back();
    Require(last == to / from || last == kUnknown,
            "Cannot bitcast due to shape. The last ", "size must be ", to / from,
            ", the shape is ", input);
    sizes.pop_back();
  }
  ctx->set_output(0, PartialShape(sizes));
}

REGISTER_OP("Bitcast")
    .Input("input: T")
    .Output("output: type")
    .Attr(
        "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, "
        "int8, int16, complex64, complex128}")
    .Attr(
        "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, "
        "uint64, int8, int16, complex64, complex128}")
    .SetHandsOnInput()
    .SetShapeFn(BitcastShape)
    .Doc(
        "The bytes of the input, read as another type. Where sizes differ, a last axis "
        "holds the parts of one element.");

// ---- Another order --------------------------------------------------------------------

void TransposeShape(InferenceContext* ctx) {
  ctx->WithRank(1, 1, "perm");
  if (const Tensor* perm = ctx->input_value(1)) {
    ctx->set_output(0, TransposedShape(ctx->input(0), IntegersOf(*perm)));
    return;
  }
  const PartialShape& x = ctx->input(0);
  const int64_t length = ctx->input(1).dim(0);
  Require(!x.has_rank() || length == kUnknown || length == x.rank(),
          "transpose expects a vector of size ", x.has_rank() ? x.rank() : 0,
          ". But input(1) is a vector of size ", length);
  if (x.has_rank()) {
    ctx->set_output(0, PartialShape::OfRank(x.rank()));
  } else if (length != kUnknown) {
    ctx->set_output(0, ShapeOfLength(length));
  }
}

REGISTER_OP("Transpose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = int32")
    .SetShapeFn(TransposeShape)
    .Doc("x with its axes in another order: axis i of y is axis perm[i] of x.");

REGISTER_OP("ConjugateTranspose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = int32")
    .SetShapeFn(TransposeShape)
    .Doc("As Transpose, with every complex element replaced by its conjugate.");

REGISTER_OP("InvertPermutation")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, ctx->WithRank(0, 1, "x").MergedWith(PartialShape::OfRank(1)));
    })
    .Doc("The permutation that undoes x: y[x[i]] = i.");

//   SpaceToDepth  [n, h, w, c]  ->  [n, h / b, w / b, c * b * b]
//   DepthToSpace  the way back
void BlockShape(InferenceContext* ctx, bool to_depth) {
  const PartialShape& input = ctx->WithRank(0, 4, "input");
  const int64_t block = ctx->attr<int64_t>("block_size");
  const bool channels_last = ctx->attr<std::string>("data_format") == "NHWC";
  if (!input.has_rank()) {
    ctx->set_output(0, PartialShape::OfRank(4));
    return;
  }
  std::vector<int64_t> sizes(input.sizes().begin(), input.sizes().end());
  const auto divide = [&](int axis, int64_t by) {
    if (sizes[axis] == kUnknown) return;
    Require(sizes[axis] % by == 0, "size ", sizes[axis], " of axis ", axis,
            " is not a multiple of ", by);
    sizes[axis] /= by;
  };
  const auto multiply = [&](int axis, int64_t by) {
    if (sizes[axis] != kUnknown) sizes[axis] = CheckedProduct(sizes[axis], by);
  };
  const int row = channels_last ? 1 : 2;
  const int depth = channels_last ? 3 : 1;
  const int64_t area = CheckedProduct(block, block);
  if (to_depth) {
    divide(row, block);
    divide(row + 1, block);
    multiply(depth, area);
  } else {
    multiply(row, block);
    multiply(row + 1, block);
    divide(depth, area);
  }
  ctx->set_output(0, PartialShape(sizes));
}

REGISTER_OP("SpaceToDepth")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .SetShapeFn([](InferenceContext* ctx) { BlockShape(ctx, true); })
    .Doc(
        "Puts the pixels of each block_size by block_size block into one pixel's depth.");

REGISTER_OP("DepthToSpace")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .SetShapeFn([](InferenceContext* ctx) { BlockShape(ctx, false); })
    .Doc("Spreads the depth of each pixel over a block of block_size by block_size.");

// ---- Repeating ------------------------------------------------------------------------

void TileShape(InferenceContext* ctx) {
  ctx->WithRank(1, 1, "multiples");
  const PartialShape& input = ctx->input(0);
  if (const Tensor* multiples = ctx->input_value(1)) {
    return ctx->set_output(0, TiledShape(input, IntegersOf(*multiples)));
  }
  PartialShape multiples = ctx->InputAsShape(1);
  if (!multiples.has_rank() && input.has_rank())
    multiples = PartialShape::OfRank(input.rank());
  if (multiples.has_rank()) ctx->set_output(0, TiledShape(input, multiples));
}

REGISTER_OP("Tile")
    .Input("input: T")
    .Input("multiples: Tmultiples")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tmultiples: {int32, int64} = int32")
    .SetShapeFn(TileShape)
    .Doc("The input repeated multiples[i] times along axis i.");

void BroadcastToShape(InferenceContext* ctx) {
  ctx->WithRank(1, 1, "shape");
  const PartialShape target = ctx->InputAsShape(1);
  const PartialShape& input = ctx->input(0);
  const PartialShape both = BroadcastShapes(input, target);
  Require(both.IsCompatibleWith(target), "Unable to broadcast tensor of shape ", input,
          " to tensor of shape ", target);
  // A size of the input that is not 1 stays.
  ctx->set_output(0, target.MergedWith(both));
}

REGISTER_OP("BroadcastTo")
    .Input("input: T")
    .Input("shape: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = int32")
    .SetShapeFn(BroadcastToShape)
    .Doc(
        "The input in `shape`: axes of size 1 are repeated, missing ones are put first.");

}  // namespace
}  // namespace minitf
