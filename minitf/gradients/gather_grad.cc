// Gradients of the ops that take or put elements where another tensor says.
//
// A row that was taken twice has two gradients, which are added up: gathering back is a
// sum over segments. The gradient is dense, with zeros for rows that nobody took.
//
// Ops        minitf/ops/gather_ops.cc
// Compare    tensorflow/python/ops/array_grad.py, data_flow_grad.py
// Read next  minitf/gradients/state_grad.cc

#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

// The size of `axis` of `x`, as a scalar of int32.
Value SizeOfAxis(const GradientContext& ctx, Value x, int axis) {
  const PartialShape shape = ctx.emitter.shape(x);
  if (shape.has_rank() && shape.dim(axis) <= std::numeric_limits<int32_t>::max() &&
      shape.dim(axis) != PartialShape::kUnknown) {
    return ctx.emitter.Constant(Tensor::Scalar(static_cast<int32_t>(shape.dim(axis))));
  }
  return ctx.Call(
      "StridedSlice",
      {ctx.Call("Shape", {x}), Ints(ctx, {axis}), Ints(ctx, {axis + 1}), Ints(ctx, {1})},
      {{"shrink_axis_mask", int64_t{1}}});
}

// The order of axes [0, rank) with axes [begin, end) first.
std::vector<int64_t> AxesFirst(int begin, int end, int rank) {
  std::vector<int64_t> order;
  for (int axis = begin; axis < end; ++axis) order.push_back(axis);
  for (int axis = 0; axis < rank; ++axis) {
    if (axis < begin || axis >= end) order.push_back(axis);
  }
  return order;
}

std::vector<int64_t> Inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
  return inverse;
}

// dL/dparams for slices of params taken along `axis`: the axes of the indices go to the
// front, slices of one index are added up, and their axis goes back to its place.
Value GatherBack(const GradientContext& ctx, int axis) {
  const Value params = ctx.inputs[0];
  const Value indices = ctx.inputs[1];
  const Value count = SizeOfAxis(ctx, params, axis);
  if (axis == 0) return ctx.Call("UnsortedSegmentSum", {ctx.dy[0], indices, count});

  const int rank = ctx.emitter.shape(params).rank();
  const int depth = ctx.emitter.shape(indices).rank();
  const auto to_front = AxesFirst(axis, axis + depth, rank - 1 + depth);
  const Value slices = ctx.Call("Transpose", {ctx.dy[0], Ints(ctx, to_front)});
  const Value sums = ctx.Call("UnsortedSegmentSum", {slices, indices, count});
  return ctx.Call("Transpose",
                  {sums, Ints(ctx, Inverse(AxesFirst(axis, axis + 1, rank)))});
}

std::vector<Value> GatherGrad(const GradientContext& ctx) {
  return {GatherBack(ctx, 0), Value::None()};
}
REGISTER_GRADIENT("Gather", GatherGrad);

std::vector<Value> GatherV2Grad(const GradientContext& ctx) {
  const int64_t batch_dims = ctx.attr<int64_t>("batch_dims");
  if (batch_dims != 0) {
    throw Error(errors::Unimplemented(
        "no gradient of GatherV2 with batch_dims = ", batch_dims, ", only with 0"));
  }
  const auto axis = ctx.emitter.KnownValue(ctx.inputs[2]);
  const bool ranks_are_known = ctx.emitter.shape(ctx.inputs[0]).has_rank() &&
                               ctx.emitter.shape(ctx.inputs[1]).has_rank();
  const int64_t given = axis ? IntegersOf(*axis)[0] : -1;
  if (!axis || (given != 0 && !ranks_are_known)) {
    throw Error(
        errors::Unimplemented("the gradient of GatherV2 needs a constant axis and, "
                              "unless it is 0, known ranks"));
  }
  const int place =
      given == 0 ? 0 : NormalizedAxis(given, ctx.emitter.shape(ctx.inputs[0]).rank());
  return {GatherBack(ctx, place), Value::None(), Value::None()};
}
REGISTER_GRADIENT("GatherV2", GatherV2Grad);

std::vector<Value> GatherNdGrad(const GradientContext& ctx) {
  const Value params = ctx.inputs[0];
  const Value indices = ctx.inputs[1];
  const Value shape =
      ctx.Call("Shape", {params}, {{"out_type", ctx.emitter.dtype(indices)}});
  return {ctx.Call("ScatterNd", {indices, ctx.dy[0], shape}), Value::None()};
}
REGISTER_GRADIENT("GatherNd", GatherNdGrad);

std::vector<Value> ScatterNdGrad(const GradientContext& ctx) {
  return {Value::None(), ctx.Call("GatherNd", {ctx.dy[0], ctx.inputs[0]}), Value::None()};
}
REGISTER_GRADIENT("ScatterNd", ScatterNdGrad);

// Numbers all elements of `partitions`, puts the numbers into the same groups, and
// stitches the groups' gradients together in the order of the numbers.
std::vector<Value> DynamicPartitionGrad(const GradientContext& ctx) {
  const Value data = ctx.inputs[0];
  const Value partitions = ctx.inputs[1];
  const auto scalar = [&](int32_t value) {
    return ctx.emitter.Constant(Tensor::Scalar(value));
  };
  const Value numbers =
      ctx.Call("Reshape",
               {ctx.Call("Range", {scalar(0), ctx.Call("Size", {partitions}), scalar(1)}),
                ShapeOf(ctx, partitions)});
  std::vector<Value> arguments =
      ctx.emitter.CallAll("DynamicPartition", {numbers, partitions},
                          {{"num_partitions", ctx.attr<int64_t>("num_partitions")}});
  for (size_t i = 0; i < ctx.dy.size(); ++i) {
    arguments.push_back(ctx.dy[i].is_none() ? ctx.Call("ZerosLike", {ctx.outputs[i]})
                                            : ctx.dy[i]);
  }
  const Value stitched = ctx.Call("DynamicStitch", arguments);
  return {ctx.Call("Reshape", {stitched, ShapeOf(ctx, data)}), Value::None()};
}
REGISTER_GRADIENT("DynamicPartition", DynamicPartitionGrad);

std::vector<Value> DynamicStitchGrad(const GradientContext& ctx) {
  const size_t count = ctx.inputs.size() / 2;
  std::vector<Value> dx(count, Value::None());
  for (size_t i = 0; i < count; ++i) {
    dx.push_back(ctx.Call("Gather", {ctx.dy[0], ctx.inputs[i]}));
  }
  return dx;
}
REGISTER_GRADIENT("DynamicStitch", DynamicStitchGrad);

REGISTER_GRADIENT("ListDiff", kNotDifferentiable);
REGISTER_GRADIENT("Unique", kNotDifferentiable);
REGISTER_GRADIENT("Where", kNotDifferentiable);

}  // namespace
}  // namespace minitf
