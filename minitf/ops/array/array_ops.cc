// Array ops that make a tensor, pass one on, or tell its shape.
//
// Kernels    kernels/cpu/array/constant.cc, kernels/cpu/array/identity.cc
// Gradients  minitf/gradients/array/array_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc, one file for what is four here
// Read next  minitf/ops/array/reshape_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// ---- Tensors from nowhere -------------------------------------------------------------

void ConstShape(InferenceContext* ctx) {
  const auto& value = ctx->attr<Tensor>("value");
  Require(value.dtype() == ctx->attr<DType>("dtype"), "value is ", value.dtype(),
          ", dtype is ", ctx->attr<DType>("dtype"));
  ctx->set_output(0, value.shape());
}

REGISTER_OP("Const")
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .SetRole(OpRole::kConstant)
    .SetLendsOutputs()
    .SetShapeFn(ConstShape)
    .Doc("The tensor `value`, the same at every step.");

void ShapeFromAttr(InferenceContext* ctx) {
  ctx->set_output(0, ctx->attr<PartialShape>("shape"));
}

REGISTER_OP("Placeholder")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = <unknown>")
    .SetDependsOnOutside()
    .SetShapeFn(ShapeFromAttr)
    .Doc("A value that must be fed. A step that needs it and does not feed it fails.");

void PlaceholderWithDefaultShape(InferenceContext* ctx) {
  const auto& shape = ctx->attr<PartialShape>("shape");
  Require(shape.IsCompatibleWith(ctx->input(0)), "the default has shape ", ctx->input(0),
          ", the placeholder ", shape);
  ctx->set_output(0, shape);
}

REGISTER_OP("PlaceholderWithDefault")
    .Input("input: dtype")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .SetDependsOnOutside()
    .SetShapeFn(PlaceholderWithDefaultShape)
    .Doc("A value that may be fed; it is `input` where it is not.");

// The shape is the value of an input. Often it is not known as a whole when the node is
// made, but computed from shapes that are known in part: InputAsShape finds out which of
// the sizes are certain (minitf/graph/constant_value.cc).
void FillShape(InferenceContext* ctx) {
  ctx->WithRank(0, 1, "dims");
  ctx->WithRank(1, 0, "value");
  if (const Tensor* dims = ctx->input_value(0)) {
    const std::vector<int64_t> sizes = IntegersOf(*dims);
    for (const int64_t size : sizes)
      Require(size >= 0, "Fill dimensions must be >= 0, are [", Join(sizes, ", "), "]");
  }
  ctx->set_output(0, ctx->InputAsShape(0));
}

REGISTER_OP("Fill")
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = int32")
    .SetHasFreshOutputs()
    .SetShapeFn(FillShape)
    .Doc("A tensor of shape `dims` in which every element is the scalar `value`.");

REGISTER_OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetHasFreshOutputs()
    .SetForwardsInputs(1)
    .SetShapeFn(UnchangedShape)
    .Doc("Zeros in the shape of x; false, or empty strings, where x is of that type.");

REGISTER_OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
        "int64, uint64, complex64, complex128, bool}")
    .SetHasFreshOutputs()
    .SetForwardsInputs(1)
    .SetShapeFn(UnchangedShape)
    .Doc("Ones in the shape of x.");

// Integers in 64 bits: from the lowest int32 to the highest the difference is no int32.
void RangeShape(InferenceContext* ctx) {
  ctx->WithRank(0, 0, "start");
  ctx->WithRank(1, 0, "limit");
  ctx->WithRank(2, 0, "delta");
  ctx->set_output(0, PartialShape::OfRank(1));
  const Tensor* start = ctx->input_value(0);
  const Tensor* limit = ctx->input_value(1);
  const Tensor* delta = ctx->input_value(2);
  if (start == nullptr || limit == nullptr || delta == nullptr) return;
  VisitDType(start->dtype(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
      ctx->set_output(0, Shape{RangeSize(start->scalar<T>(), limit->scalar<T>(),
                                         delta->scalar<T>())});
    } else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, float16> ||
                         std::is_same_v<T, bfloat16>) {
      ctx->set_output(0, Shape{FloatRangeSize(start->scalar<T>(), limit->scalar<T>(),
                                              delta->scalar<T>())});
    }
  });
}

REGISTER_OP("Range")
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {bfloat16, half, float, double, int32, int64} = int32")
    .SetShapeFn(RangeShape)
    .Doc(
        "The numbers start, start + delta, start + 2 delta and so on, up to limit but "
        "without it.");

void LinSpaceShape(InferenceContext* ctx) {
  ctx->WithRank(0, 0, "start");
  ctx->WithRank(1, 0, "stop");
  ctx->WithRank(2, 0, "num");
  const Tensor* num = ctx->input_value(2);
  ctx->set_output(0, PartialShape::OfRank(1));
  if (num == nullptr) return;
  const int64_t count = IntegersOf(*num).at(0);
  Require(count > 0, "Requires num > 0: ", count);
  ctx->set_output(0, Shape{count});
}

REGISTER_OP("LinSpace")
    .Input("start: T")
    .Input("stop: T")
    .Input("num: Tidx")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = int32")
    .SetShapeFn(LinSpaceShape)
    .Doc("`num` numbers at equal distances, from start to stop, both included.");

//   indices [i...]  ->  output [i..., depth, i...], with depth at `axis`
void OneHotShape(InferenceContext* ctx) {
  ctx->WithRank(1, 0, "depth");
  ctx->WithRank(2, 0, "on_value");
  ctx->WithRank(3, 0, "off_value");
  const int64_t axis = ctx->attr<int64_t>("axis");
  Require(axis >= -1, "axis must be at least -1, is ", axis);
  if (!ctx->input(0).has_rank()) return;
  const auto sizes = ctx->input(0).sizes();
  std::vector<int64_t> output(sizes.begin(), sizes.end());
  const auto rank = static_cast<int64_t>(output.size());
  Require(axis <= rank, "Expected axis to be -1 or between [0, ", rank, "], is ", axis);
  int64_t depth = PartialShape::kUnknown;
  if (const Tensor* value = ctx->input_value(1)) {
    depth = value->scalar<int32_t>();
    Require(depth >= 0, "depth must be non-negative, got: ", depth);
  }
  output.insert(axis < 0 ? output.end() : output.begin() + axis, depth);
  ctx->set_output(0, PartialShape(output));
}

REGISTER_OP("OneHot")
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Output("output: T")
    .Attr("axis: int = -1")
    .Attr("T: type")
    .Attr("TI: {uint8, int32, int64} = int64")
    .SetShapeFn(OneHotShape)
    .Doc(
        "A new axis of size depth at `axis`, with on_value where its index is that of "
        "`indices` and off_value elsewhere. An index outside [0, depth) gives off_value "
        "throughout.");

// ---- Passing a tensor on --------------------------------------------------------------

void UnchangedShapes(InferenceContext* ctx) {
  for (int i = 0; i < ctx->num_inputs(); ++i) ctx->set_output(i, ctx->input(i));
}

REGISTER_OP("Identity")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .SetIsIdentity()
    .SetShapeFn(UnchangedShape)
    .Doc("The input.");

REGISTER_OP("IdentityN")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 1")
    .SetShapeFn(UnchangedShapes)
    .Doc("All inputs, each on an output of its own.");

REGISTER_OP("Snapshot")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .SetIsIdentity()
    .SetShapeFn(UnchangedShape)
    .Doc("The input as it is now.");

REGISTER_OP("StopGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .SetIsIdentity()
    .SetShapeFn(UnchangedShape)
    .Doc("The input, taken for a constant when gradients are computed.");

REGISTER_OP("PreventGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("message: string = ''")
    .SetIsIdentity()
    .SetShapeFn(UnchangedShape)
    .Doc("The input. Asking for a gradient through it fails with `message`.");

REGISTER_OP("EnsureShape")
    .Input("input: T")
    .Output("output: T")
    .Attr("shape: shape")
    .Attr("T: type")
    .SetHandsOnInput()
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, ctx->input(0).MergedWith(ctx->attr<PartialShape>("shape")));
    })
    .Doc("The input. A step in which its shape does not fit `shape` fails.");

REGISTER_OP("NoOp")
    .SetRole(OpRole::kNoOp)
    .SetShapeFn(NoOutputs)
    .Doc("Nothing. Useful as the end of control dependencies.");

REGISTER_OP("CheckNumerics")
    .Input("tensor: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("message: string")
    .SetIsStateful()
    .SetShapeFn(UnchangedShape)
    .Doc("The input. A step in which it holds an Inf or a NaN fails with `message`.");

// ---- What is known of a tensor --------------------------------------------------------

void ShapeShape(InferenceContext* ctx) {
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    const PartialShape& input = ctx->input(i);
    ctx->set_output(i, {input.has_rank() ? input.rank() : PartialShape::kUnknown});
  }
}

REGISTER_OP("Shape")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .SetHasFreshOutputs()
    .SetReadsShapesOnly()
    .SetShapeFn(ShapeShape)
    .Doc("The sizes of the input's axes, as a vector.");

REGISTER_OP("ShapeN")
    .Input("input: N * T")
    .Output("output: N * out_type")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .SetShapeFn(ShapeShape)
    .Doc("The sizes of the axes of each input.");

REGISTER_OP("Size")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .SetHasFreshOutputs()
    .SetReadsShapesOnly()
    .SetShapeFn(ScalarShape)
    .Doc("The number of elements of the input.");

REGISTER_OP("Rank")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .SetHasFreshOutputs()
    .SetReadsShapesOnly()
    .SetShapeFn(ScalarShape)
    .Doc("The number of axes of the input.");

}  // namespace
}  // namespace minitf
