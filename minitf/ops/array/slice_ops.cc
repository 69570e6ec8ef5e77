// Array ops that take a part of a tensor, or put one into a larger tensor.
//
// Kernels    kernels/cpu/array/slice.cc, kernels/cpu/array/pad.cc
// Gradients  minitf/gradients/array/array_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/array/gather_ops.cc

#include <algorithm>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/framework/shapes/strided_slice.h"

namespace minitf {
namespace {

void SetUnknownOfRank(InferenceContext* ctx, const PartialShape& like) {
  if (like.has_rank()) ctx->set_output(0, PartialShape::OfRank(like.rank()));
}

void SliceShape(InferenceContext* ctx) {
  const PartialShape both =
      ctx->WithRank(1, 1, "begin").MergedWith(ctx->WithRank(2, 1, "size"));
  const PartialShape& input = ctx->input(0);
  Require(!input.has_rank() || both.dim(0) == kUnknown || both.dim(0) == input.rank(),
          "begin and size must have an entry for each axis of the input ", input,
          ", they have ", both.dim(0));
  const Tensor* begin = ctx->input_value(1);
  const Tensor* size = ctx->input_value(2);
  if (begin != nullptr && size != nullptr) {
    ctx->set_output(0, SlicedShape(input, IntegersOf(*begin), IntegersOf(*size)));
    return;
  }
  if (begin != nullptr) {
    for (const int64_t first : IntegersOf(*begin))
      Require(first >= 0, "Expected begin in [0, ...], but got ", first);
  }
  // A size of -1 asks for what is left, and that is not known here.
  PartialShape known = ctx->InputAsShape(2);
  if (!known.has_rank()) known = ShapeOfLength(both.dim(0));
  ctx->set_output(0, known);
  if (!known.has_rank()) SetUnknownOfRank(ctx, input);
}

REGISTER_OP("Slice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .SetShapeFn(SliceShape)
    .Doc("size[i] elements of axis i from begin[i] on; a size of -1 takes all the rest.");

void StridedSliceShape(InferenceContext* ctx) {
  ctx->set_output(0, SlicedByInputs(ctx, ctx->input(0)));
}

REGISTER_OP("StridedSlice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .SetShapeFn(StridedSliceShape)
    .Doc(
        "What x[1:5:2, ..., tf.newaxis, -1] means: begin, end and strides have an entry "
        "for each item between the brackets, the masks say what kind of item it is.");

REGISTER_OP("StridedSliceGrad")
    .Input("shape: Index")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("dy: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 1, "shape");
      SlicedByInputs(ctx, PartialShape());  // checks them
      ctx->set_output(0, ctx->InputAsShape(0));
    })
    .Doc("Zeros of `shape`, with dy where StridedSlice takes its elements from.");

// ---- Padding --------------------------------------------------------------------------

// Paddings are a matrix [rank,2]: that gives the rank, and the values give the sizes.
void CheckPaddings(InferenceContext* ctx) {
  const PartialShape& paddings = ctx->WithRank(1, 2, "paddings");
  Require(!paddings.has_rank() || paddings.dim(1) == 2 || paddings.dim(1) == kUnknown,
          "paddings must be a matrix with 2 columns: ", paddings);
  Require(!paddings.has_rank() || !ctx->input(0).has_rank() ||
              paddings.dim(0) == kUnknown || paddings.dim(0) == ctx->input(0).rank(),
          "The first dimension of paddings must be the rank of inputs", paddings, " ",
          ctx->input(0));
}

// What is known of the output while the paddings are not.
void SetPaddedRank(InferenceContext* ctx) {
  const int64_t rows = ctx->input(1).dim(0);
  SetUnknownOfRank(ctx, rows == kUnknown ? ctx->input(0) : ShapeOfLength(rows));
}

void PadShape(InferenceContext* ctx) {
  CheckPaddings(ctx);
  if (const Tensor* paddings = ctx->input_value(1)) {
    ctx->set_output(0, PaddedShape(ctx->input(0), PaddingsOf(*paddings)));
  } else {
    SetPaddedRank(ctx);
  }
}

REGISTER_OP("Pad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .SetShapeFn(PadShape)
    .Doc("The input with paddings[i,0] zeros before axis i and paddings[i,1] behind it.");

REGISTER_OP("PadV2")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Input("constant_values: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(2, 0, "constant_values");
      PadShape(ctx);
    })
    .Doc("As Pad, with the scalar constant_values instead of zeros.");

void MirrorPadShape(InferenceContext* ctx) {
  CheckPaddings(ctx);
  const Tensor* paddings = ctx->input_value(1);
  if (paddings == nullptr) return SetPaddedRank(ctx);
  const bool repeats_border = ctx->attr<std::string>("mode") == "SYMMETRIC";
  ctx->set_output(
      0, MirrorPaddedShape(ctx->input(0), PaddingsOf(*paddings), repeats_border));
}

REGISTER_OP("MirrorPad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .SetShapeFn(MirrorPadShape)
    .Doc(
        "As Pad, with the input mirrored at its border. SYMMETRIC repeats the border "
        "itself, REFLECT does not.");

void MirrorPadGradShape(InferenceContext* ctx) {
  CheckPaddings(ctx);
  const PartialShape& padded = ctx->input(0);
  const Tensor* paddings = ctx->input_value(1);
  if (paddings == nullptr) return SetUnknownOfRank(ctx, padded);
  const std::vector<AxisPadding> added = PaddingsOf(*paddings);
  if (!padded.has_rank()) return SetUnknownOfRank(ctx, padded);
  std::vector<int64_t> sizes(padded.sizes().begin(), padded.sizes().end());
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == kUnknown) continue;
    const auto [before, after] = added[axis];
    Require(before <= sizes[axis] && after <= sizes[axis] - before, "paddings ", before,
            ", ", after, " are more than the size ", sizes[axis], " of axis ", axis);
    sizes[axis] -= before + after;
  }
  ctx->set_output(0, PartialShape(sizes));
}

REGISTER_OP("MirrorPadGrad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, complex64, complex128}")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .SetShapeFn(MirrorPadGradShape)
    .Doc(
        "The gradient of MirrorPad: every element goes back to where it was taken from.");

// ---- Backwards ------------------------------------------------------------------------

// `dims` says of every axis of the tensor whether it is reversed.
void ReverseShape(InferenceContext* ctx) {
  const PartialShape& dims = ctx->WithRank(1, 1, "dims");
  PartialShape tensor = ctx->input(0);
  if (!tensor.has_rank()) tensor = ShapeOfLength(dims.dim(0));
  Require(!tensor.has_rank() || dims.dim(0) == kUnknown || dims.dim(0) == tensor.rank(),
          "reverse: dims must have an entry for each axis; dims has ", dims.dim(0),
          ", the tensor ", tensor);
  ctx->set_output(0, tensor);
}

void ReverseV2Shape(InferenceContext* ctx) {
  ctx->WithRank(1, 1, "axis");
  const PartialShape& tensor = ctx->input(0);
  const Tensor* axes = ctx->input_value(1);
  ctx->set_output(0, tensor);
  if (axes == nullptr || !tensor.has_rank()) return;
  std::vector<bool> is_reversed(tensor.rank(), false);
  for (const int64_t axis : IntegersOf(*axes)) {
    const int normalized = NormalizedAxis(axis, tensor.rank());
    Require(!is_reversed[normalized], "axis ", normalized, " specified more than once.");
    is_reversed[normalized] = true;
  }
}

constexpr char kReversed[] =
    "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, "
    "float, double, complex64, complex128, string}";

REGISTER_OP("Reverse")
    .Input("tensor: T")
    .Input("dims: bool")
    .Output("output: T")
    .Attr(kReversed)
    .SetShapeFn(ReverseShape)
    .Doc("The tensor, backwards along every axis i with dims[i].");

REGISTER_OP("ReverseV2")
    .Input("tensor: T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("Tidx: {int32, int64} = int32")
    .Attr(kReversed)
    .SetShapeFn(ReverseV2Shape)
    .Doc("The tensor, backwards along the axes listed in `axis`.");

void ReverseSequenceShape(InferenceContext* ctx) {
  const PartialShape& input = ctx->input(0);
  const PartialShape& lengths = ctx->WithRank(1, 1, "seq_lengths");
  ctx->set_output(0, input);
  if (!input.has_rank()) return;
  const int seq = NormalizedAxis(ctx->attr<int64_t>("seq_dim"), input.rank());
  const int batch = NormalizedAxis(ctx->attr<int64_t>("batch_dim"), input.rank());
  Require(seq != batch, "batch_dim == seq_dim == ", seq);
  Require(PartialShape({input.dim(batch)}).IsCompatibleWith(lengths),
          "seq_lengths has shape ", lengths, ", the batch has ", input.dim(batch),
          " elements");
  std::vector<int64_t> sizes(input.sizes().begin(), input.sizes().end());
  sizes[batch] = std::max(sizes[batch], lengths.dim(0));
  ctx->set_output(0, PartialShape(sizes));
}

REGISTER_OP("ReverseSequence")
    .Input("input: T")
    .Input("seq_lengths: Tlen")
    .Output("output: T")
    .Attr("seq_dim: int")
    .Attr("batch_dim: int = 0")
    .Attr("T: type")
    .Attr("Tlen: {int32, int64} = int64")
    .SetShapeFn(ReverseSequenceShape)
    .Doc(
        "The first seq_lengths[b] elements along seq_dim backwards, for every element b "
        "of batch_dim; the rest as it was.");

}  // namespace
}  // namespace minitf
