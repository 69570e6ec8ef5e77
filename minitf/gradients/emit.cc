// Short forms: constants where values are known, nodes where they are not.

#include "minitf/gradients/emit.h"

#include <algorithm>

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// The number of elements of `x` as a scalar of int32.
Value SizeOf(const GradientContext& ctx, Value x) {
  return ctx.Call("Prod", {ShapeOf(ctx, x), Ints(ctx, {0})});
}

}  // namespace

Value Ints(const GradientContext& ctx, const std::vector<int64_t>& values) {
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return ctx.emitter.Constant(Tensor::Of({static_cast<int64_t>(values.size())}, narrow));
}

Value NumberLike(const GradientContext& ctx, Value like, double number) {
  const DType dtype = ctx.emitter.dtype(like);
  if (dtype == DType::kFloat32) {
    return ctx.emitter.Constant(Tensor::Scalar(static_cast<float>(number)));
  }
  const Value constant = ctx.emitter.Constant(Tensor::Scalar(number));
  if (dtype == DType::kFloat64) return constant;
  return ctx.Call("Cast", {constant}, {{"DstT", dtype}});
}

Value ShapeOf(const GradientContext& ctx, Value x) {
  const PartialShape shape = ctx.emitter.shape(x);
  if (!shape.IsFullyKnown()) return ctx.Call("Shape", {x});
  return Ints(ctx, {shape.sizes().begin(), shape.sizes().end()});
}

Value RankOf(const GradientContext& ctx, Value x) {
  const PartialShape shape = ctx.emitter.shape(x);
  if (!shape.has_rank()) return ctx.Call("Rank", {x});
  return ctx.emitter.Constant(Tensor::Scalar(static_cast<int32_t>(shape.rank())));
}

Value TakenRows(const GradientContext& ctx, Value dense_shape) {
  const Value indices = ctx.inputs[1];
  const PartialShape places = ctx.emitter.shape(indices);
  const Value dy = ctx.emitter.Dense(ctx.dy[0]);
  if (places.has_rank() && places.rank() == 1) {
    return ctx.emitter.Slices({dy, indices, dense_shape});
  }
  const Value count = ctx.Call("Pack", {ctx.Call("Size", {indices})});
  const Value row_shape = ctx.Call(
      "StridedSlice", {dense_shape, Ints(ctx, {1}), Ints(ctx, {0}), Ints(ctx, {1})},
      {{"end_mask", int64_t{1}}});
  const Value narrow = ctx.Call("Cast", {row_shape}, {{"DstT", DType::kInt32}});
  const Value axis = ctx.emitter.Constant(Tensor::Scalar(int32_t{0}));
  const Value shape = ctx.Call("ConcatV2", {count, narrow, axis});
  return ctx.emitter.Slices({ctx.Call("Reshape", {dy, shape}),
                             ctx.Call("Reshape", {indices, count}), dense_shape});
}

Value SumToShapeOf(const GradientContext& ctx, Value gradient, Value x) {
  const PartialShape from = ctx.emitter.shape(gradient);
  if (from.IsFullyKnown() && from == ctx.emitter.shape(x)) return gradient;
  const Value shape = ShapeOf(ctx, x);
  const Value stretched = ctx.emitter.CallAll("BroadcastGradientArgs",
                                              {ShapeOf(ctx, gradient), shape}, {})[1];
  return ctx.Call("Reshape", {ctx.Call("Sum", {gradient, stretched}), shape});
}

Value Conjugate(const GradientContext& ctx, Value x) {
  return IsComplex(ctx.emitter.dtype(x)) ? ctx.Call("Conj", {x}) : x;
}

Value WithoutImaginary(const GradientContext& ctx, Value x) {
  if (!IsComplex(ctx.emitter.dtype(x))) return x;
  const Value twice = ctx.Call("Add", {x, ctx.Call("Conj", {x})});
  return ctx.Call("Mul", {NumberLike(ctx, x, 0.5), twice});
}

Value ShapeWithReducedAxesKept(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value axes = ctx.inputs[1];
  const PartialShape shape = ctx.emitter.shape(x);
  const auto known_axes = ctx.emitter.KnownValue(axes);
  if (shape.has_rank() && known_axes) {
    std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    for (const int64_t axis : IntegersOf(*known_axes)) {
      sizes[NormalizedAxis(axis, shape.rank())] = 1;
    }
    if (PartialShape(sizes).IsFullyKnown()) return Ints(ctx, sizes);
  }
  // The sizes of x, over which a 1 is written at every reduced axis.
  const Value zero = ctx.emitter.Constant(Tensor::Scalar(int32_t{0}));
  const Value one = ctx.emitter.Constant(Tensor::Scalar(int32_t{1}));
  const Value rank = ctx.Call("Rank", {x});
  const Value narrow = ctx.Call("Cast", {axes}, {{"DstT", DType::kInt32}});
  const Value flat_axes = ctx.Call("Reshape", {narrow, Ints(ctx, {-1})});
  const Value positive = ctx.Call("FloorMod", {flat_axes, rank});
  return ctx.Call("DynamicStitch",
                  {ctx.Call("Range", {zero, rank, one}), positive, ctx.Call("Shape", {x}),
                   ctx.Call("OnesLike", {positive})},
                  {{"N", int64_t{2}}});
}

Value NumReducedPerOutput(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value y = ctx.outputs[0];
  const int64_t x_size = ctx.emitter.shape(x).num_elements();
  const int64_t y_size = ctx.emitter.shape(y).num_elements();
  if (x_size >= 0 && y_size >= 0) {
    const int64_t per_output = x_size / std::max<int64_t>(y_size, 1);
    return NumberLike(ctx, x, static_cast<double>(per_output));
  }
  const Value one = ctx.emitter.Constant(Tensor::Scalar(int32_t{1}));
  const Value per_output =
      ctx.Call("FloorDiv", {SizeOf(ctx, x), ctx.Call("Maximum", {SizeOf(ctx, y), one})});
  return ctx.Call("Cast", {per_output}, {{"DstT", ctx.emitter.dtype(x)}});
}

}  // namespace minitf
