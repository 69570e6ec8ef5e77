// Gradients of the ops that take or put elements where another tensor says.
//
// A row that was taken twice has two gradients, which are added up: gathering back is a
// sum over segments. Where rows of axis 0 were taken, the gradient is handed on as slices
// and not added up: a row that was not taken has no slice.
//
// Ops        minitf/ops/array/gather_ops.cc
// Compare    tensorflow/python/ops/array_grad.py, data_flow_grad.py
// Read next  minitf/gradients/state/state_grad.cc

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

std::vector<Value> GatherGrad(const GradientContext& ctx) {
  return {TakenRows(ctx, ShapeOf(ctx, ctx.inputs[0])), Value::None()};
}
REGISTER_GRADIENT("Gather", GatherGrad);

// The number of elements of the axes [begin, end) of a tensor of `shape`; all are vectors
// of int32, `begin`, `end` and the result of one.
Value CountOf(const GradientContext& ctx, Value shape, Value begin, Value end) {
  const Value sizes = ctx.Call("StridedSlice", {shape, begin, end, Ints(ctx, {1})});
  return ctx.Call("Prod", {sizes, Ints(ctx, {0})}, {{"keep_dims", true}});
}

Value ReshapedTo(const GradientContext& ctx, Value x, std::vector<Value> sizes) {
  sizes.push_back(ctx.emitter.Constant(Tensor::Scalar(int32_t{0})));
  return ctx.Call("Reshape", {x, ctx.Call("ConcatV2", sizes)});
}

Value AsScalar(const GradientContext& ctx, Value x) {
  return ctx.Call("Reshape", {x, Ints(ctx, {})});
}

// dL/dparams where batches run together or slices are taken along a later axis. Axes that
// play one part are joined, so that only four are left:
//
//   params   [batch, outer, size, inner]
//   indices  [batch, count]
//   dy       [batch, outer, count, inner]
//
// With the rows of batch b numbered from b * size on, one sum over segments does it.
Value GatherBack(const GradientContext& ctx) {
  const Value params = ctx.inputs[0];
  const Value indices = ctx.inputs[1];
  const auto add = [&](Value a, Value b) { return ctx.Call("AddV2", {a, b}); };
  const auto mul = [&](Value a, Value b) { return ctx.Call("Mul", {a, b}); };

  const Value zero = Ints(ctx, {0});
  const Value end = Ints(ctx, {std::numeric_limits<int32_t>::max()});
  const Value narrow = ctx.Call("Cast", {ctx.inputs[2]}, {{"DstT", DType::kInt32}});
  const Value axis = ctx.Call(
      "FloorMod", {ctx.Call("Reshape", {narrow, Ints(ctx, {1})}), RankOf(ctx, params)});
  const Value after = add(axis, Ints(ctx, {1}));
  const int64_t batch_dims = ctx.attr<int64_t>("batch_dims");
  Value split = Ints(ctx, {batch_dims});
  if (batch_dims < 0) split = add(split, RankOf(ctx, indices));

  const Value shape = ShapeOf(ctx, params);
  const Value batch = CountOf(ctx, shape, zero, split);
  const Value outer = CountOf(ctx, shape, split, axis);
  const Value size = CountOf(ctx, shape, axis, after);
  const Value inner = CountOf(ctx, shape, after, end);
  const Value count = CountOf(ctx, ShapeOf(ctx, indices), split, end);

  const Value starts = mul(ctx.Call("Range", {AsScalar(ctx, zero), AsScalar(ctx, batch),
                                              AsScalar(ctx, Ints(ctx, {1}))}),
                           size);
  const Value wide = ctx.Call("Cast", {starts}, {{"DstT", ctx.emitter.dtype(indices)}});
  const Value rows = add(ReshapedTo(ctx, indices, {batch, count}),
                         ctx.Call("Reshape", {wide, Ints(ctx, {-1, 1})}));
  const Value swap = Ints(ctx, {0, 2, 1, 3});
  const Value slices = ctx.Call(
      "Transpose", {ReshapedTo(ctx, ctx.dy[0], {batch, outer, count, inner}), swap});
  const Value sums =
      ctx.Call("UnsortedSegmentSum", {slices, rows, AsScalar(ctx, mul(batch, size))});
  const Value back =
      ctx.Call("Transpose", {ReshapedTo(ctx, sums, {batch, size, outer, inner}), swap});
  return ctx.Call("Reshape", {back, shape});
}

std::vector<Value> GatherV2Grad(const GradientContext& ctx) {
  const auto axis = ctx.emitter.KnownValue(ctx.inputs[2]);
  const bool takes_rows = axis && IntegersOf(*axis)[0] == 0;
  return {takes_rows ? TakenRows(ctx, ShapeOf(ctx, ctx.inputs[0])) : GatherBack(ctx),
          Value::None(), Value::None()};
}
REGISTER_GRADIENT("GatherV2", GatherV2Grad);

std::vector<Value> GatherNdGrad(const GradientContext& ctx) {
  const Value indices = ctx.inputs[1];
  const Value shape =
      ctx.Call("Shape", {ctx.inputs[0]}, {{"out_type", ctx.emitter.dtype(indices)}});
  const PartialShape places = ctx.emitter.shape(indices);
  if (places.has_rank() && places.rank() == 2 && places.dim(1) == 1) {
    return {TakenRows(ctx, shape), Value::None()};
  }
  if (places.has_rank() && places.rank() > 1) {
    return {ctx.Call("ScatterNd", {indices, ctx.dy[0], shape}), Value::None()};
  }
  // ScatterNd wants rows. One place alone, and perhaps what has no known rank, has none.
  const auto as_row = [&](const Value& value) {
    return ctx.Call("ExpandDims", {value, ctx.emitter.Constant(Tensor::Scalar(0))});
  };
  return {ctx.Call("ScatterNd", {as_row(indices), as_row(ctx.dy[0]), shape}),
          Value::None()};
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

REGISTER_GRADIENT("Where", kNotDifferentiable);

}  // namespace
}  // namespace minitf
