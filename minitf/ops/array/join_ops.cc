// Array ops that join tensors, and that take one apart.
//
// The axis is an input, so that a program may compute it; nearly always it is a constant
// and the shape of the result is known. Where it is not, the rank still is.
//
// Kernels    kernels/cpu/array/concat.cc, kernels/cpu/array/split.cc
// Gradients  minitf/gradients/array/array_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/array/slice_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

// The one element of input i, if it is known.
std::optional<int64_t> KnownInteger(InferenceContext* ctx, int i) {
  const Tensor* value = ctx->input_value(i);
  if (value == nullptr) return std::nullopt;
  Require(value->num_elements() == 1, "an axis must be a scalar, its shape is ",
          value->shape());
  return IntegersOf(*value)[0];
}

std::vector<PartialShape> InputShapes(InferenceContext* ctx, int begin, int end) {
  std::vector<PartialShape> shapes;
  for (int i = begin; i < end; ++i) shapes.push_back(ctx->input(i));
  return shapes;
}

// `axis_input` is the input that holds the axis; the others, from `begin` to `end`, are
// joined.
void ConcatShape(InferenceContext* ctx, int axis_input, int begin, int end) {
  ctx->WithRank(axis_input, 0, "axis");
  const std::vector<PartialShape> shapes = InputShapes(ctx, begin, end);
  if (const auto axis = KnownInteger(ctx, axis_input)) {
    ctx->set_output(0, ConcatenatedShape(shapes, *axis));
    return;
  }
  // Any axis may be the one that differs.
  PartialShape common;
  for (const PartialShape& shape : shapes) {
    if (!shape.has_rank()) continue;
    Require(shape.rank() > 0, "scalars cannot be concatenated, pack them instead");
    Require(!common.has_rank() || common.rank() == shape.rank(),
            "values must have one rank: ", Join(shapes, ", "));
    common = PartialShape::OfRank(shape.rank());
  }
  ctx->set_output(0, common);
}

REGISTER_OP("ConcatV2")
    .Input("values: N * T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) {
      const int last = ctx->num_inputs() - 1;
      ConcatShape(ctx, last, 0, last);
    })
    .Doc("All values behind each other along `axis`. Their other sizes are equal.");

REGISTER_OP("Concat")
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .SetShapeFn([](InferenceContext* ctx) { ConcatShape(ctx, 0, 1, ctx->num_inputs()); })
    .Doc(
        "All values behind each other along `concat_dim`; ConcatV2 with the axis first.");

void ConcatOffsetShape(InferenceContext* ctx) {
  ctx->WithRank(0, 0, "concat_dim");
  for (int i = 1; i < ctx->num_inputs(); ++i) {
    ctx->set_output(i - 1, ctx->WithRank(i, 1, "shape"));
  }
}

REGISTER_OP("ConcatOffset")
    .Input("concat_dim: int32")
    .Input("shape: N * int32")
    .Output("offset: N * int32")
    .Attr("N: int >= 2")
    .SetShapeFn(ConcatOffsetShape)
    .Doc("Where each value starts in the result of joining values of these shapes.");

REGISTER_OP("Pack")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .SetShapeFn([](InferenceContext* ctx) {
      const auto shapes = InputShapes(ctx, 0, ctx->num_inputs());
      ctx->set_output(0, PackedShape(shapes, ctx->attr<int64_t>("axis")));
    })
    .Doc("All values, which have one shape, along a new axis `axis`.");

// ---- Taking apart ---------------------------------------------------------------------

// Sets every output to `shape`, with `sizes[i]` on `axis`.
void SetPieces(InferenceContext* ctx, const PartialShape& shape, int axis,
               const std::vector<int64_t>& sizes) {
  std::vector<int64_t> piece(shape.sizes().begin(), shape.sizes().end());
  for (size_t i = 0; i < sizes.size(); ++i) {
    piece[axis] = sizes[i] < 0 ? kUnknown : sizes[i];
    ctx->set_output(static_cast<int>(i), PartialShape(piece));
  }
}

void SetAllOutputs(InferenceContext* ctx, int64_t count, const PartialShape& shape) {
  for (int i = 0; i < count; ++i) ctx->set_output(i, shape);
}

void SplitShape(InferenceContext* ctx) {
  ctx->WithRank(0, 0, "split_dim");
  const PartialShape& value = ctx->input(1);
  const int64_t pieces = ctx->attr<int64_t>("num_split");
  const auto known_axis = KnownInteger(ctx, 0);
  if (!value.has_rank() || !known_axis) {
    SetAllOutputs(ctx, pieces,
                  value.has_rank() ? PartialShape::OfRank(value.rank()) : PartialShape());
    return;
  }
  const int axis = NormalizedAxis(*known_axis, value.rank());
  const int64_t size = value.dim(axis);
  Require(size == kUnknown || size % pieces == 0,
          "Number of ways to split should evenly ",
          "divide the split dimension, but got split_dim ", axis, " (size = ", size,
          ") and num_split ", pieces);
  const int64_t piece = size == kUnknown ? kUnknown : size / pieces;
  SetPieces(ctx, value, axis, std::vector<int64_t>(pieces, piece));
}

REGISTER_OP("Split")
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .SetShapeFn(SplitShape)
    .Doc("The value cut into num_split pieces of one size along axis split_dim.");

void SplitVShape(InferenceContext* ctx) {
  const PartialShape& lengths = ctx->WithRank(1, 1, "size_splits");
  // TensorFlow's kernel takes a list of one axis, its graph only where it is not known.
  if (ctx->input_value(2) != nullptr) ctx->WithRank(2, 0, "split_dim");
  const int64_t axes = ctx->input(2).num_elements();
  Require(axes == kUnknown || axes == 1, "split_dim must have rank 0, its shape is ",
          ctx->input(2));
  const PartialShape& value = ctx->input(0);
  const int64_t pieces = ctx->attr<int64_t>("num_split");
  Require(lengths.dim(0) == kUnknown || lengths.dim(0) == pieces,
          "Length of size_splits ", "should be equal to num_split, ", pieces, ", is ",
          lengths.dim(0));
  Require(!value.has_rank() || value.rank() > 0, "Can't split scalars");
  auto known_axis = KnownInteger(ctx, 2);
  if (value.has_rank() && value.rank() == 1) known_axis = known_axis.value_or(0);
  if (!value.has_rank()) return SetAllOutputs(ctx, pieces, PartialShape());
  if (!known_axis) {  // the only piece is the value
    const PartialShape other = PartialShape::OfRank(value.rank());
    return SetAllOutputs(ctx, pieces, pieces == 1 ? value : other);
  }
  const int axis = NormalizedAxis(*known_axis, value.rank());
  std::vector<int64_t> sizes(pieces, kUnknown);
  if (const Tensor* known_sizes = ctx->input_value(1)) {
    sizes = PieceSizes(value.dim(axis), IntegersOf(*known_sizes));
  }
  SetPieces(ctx, value, axis, sizes);
}

REGISTER_OP("SplitV")
    .Input("value: T")
    .Input("size_splits: Tlen")
    .Input("split_dim: int32")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Attr("Tlen: {int32, int64} = int64")
    .SetShapeFn(SplitVShape)
    .Doc(
        "The value cut into pieces of `size_splits` along axis split_dim. One size may "
        "be -1: it is what the others leave.");

void UnpackShape(InferenceContext* ctx) {
  const PartialShape& value = ctx->input(0);
  const int64_t num = ctx->attr<int64_t>("num");
  if (!value.has_rank()) {
    SetAllOutputs(ctx, num, PartialShape());
    return;
  }
  const int axis = NormalizedAxis(ctx->attr<int64_t>("axis"), value.rank());
  Require(value.dim(axis) == kUnknown || value.dim(axis) == num, "Input shape axis ",
          axis, " must equal ", num, ", got shape ", value);
  std::vector<int64_t> sizes(value.sizes().begin(), value.sizes().end());
  sizes.erase(sizes.begin() + axis);
  SetAllOutputs(ctx, num, PartialShape(sizes));
}

REGISTER_OP("Unpack")
    .Input("value: T")
    .Output("output: num * T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .SetShapeFn(UnpackShape)
    .Doc("The slices of the value along `axis`, each on an output, without that axis.");

}  // namespace
}  // namespace minitf
