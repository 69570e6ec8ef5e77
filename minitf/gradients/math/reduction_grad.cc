// Gradients of reductions, running sums, products of many matrices, and of ops that
// choose.
//
// A reduction makes one number of many; its gradient says what each of the many had to do
// with it. Sum and Mean are in math_grad.cc, where a lab asks for them.
//
// Ops        minitf/ops/math/reduction_ops.cc, minitf/ops/math/math_ops.cc
// Compare    tensorflow/python/ops/math_grad.py, clip_ops.py
// Read next  minitf/gradients/math/segment_grad.cc

#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

using Values = std::vector<Value>;

Value CastTo(const GradientContext& ctx, Value x, DType dtype) {
  return ctx.Call("Cast", {x}, {{"DstT", dtype}});
}

// ---- Reductions -----------------------------------------------------------------------

// Those that equal the result share the gradient evenly.
Values MaxOrMinGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value kept = ShapeWithReducedAxesKept(ctx);
  const Value y = ctx.Call("Reshape", {ctx.outputs[0], kept});
  const Value dy = ctx.Call("Reshape", {ctx.dy[0], kept});
  const Value is_chosen =
      CastTo(ctx, ctx.Call("Equal", {y, x}), ctx.emitter.dtype(ctx.dy[0]));
  const Value count = ctx.Call("Sum", {is_chosen, ctx.inputs[1]}, {{"keep_dims", true}});
  return {Mul(ctx, ctx.Call("RealDiv", {is_chosen, count}), dy), Value::None()};
}
REGISTER_GRADIENT("Max", MaxOrMinGrad);
REGISTER_GRADIENT("Min", MaxOrMinGrad);

// y = sqrt(sum of |x|^2): dy/dx = x / y
Values EuclideanNormGrad(const GradientContext& ctx) {
  const Value kept = ShapeWithReducedAxesKept(ctx);
  const Value y = ctx.Call("Reshape", {ctx.outputs[0], kept});
  const Value dy = WithoutImaginary(ctx, ctx.Call("Reshape", {ctx.dy[0], kept}));
  return {Mul(ctx, ctx.inputs[0], ctx.Call("RealDiv", {dy, y})), Value::None()};
}
REGISTER_GRADIENT("EuclideanNorm", EuclideanNormGrad);

// What Prod reduces, as the rows of a matrix.
struct ReducedFirst {
  Value order;      ///< of the axes: first those that are reduced
  Value shape;      ///< of x, transposed to that order
  Value transpose;  ///< x in that order, as [reduced,kept]
};

ReducedFirst PutReducedAxesFirst(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const auto scalar = [&](int32_t value) {
    return ctx.emitter.Constant(Tensor::Scalar(value));
  };
  const Value rank = ctx.Call("Rank", {x});
  const Value axes =
      ctx.Call("Reshape", {CastTo(ctx, ctx.inputs[1], DType::kInt32), Ints(ctx, {-1})});
  const Value reduced = ctx.Call("FloorMod", {axes, rank});
  const Value all = ctx.Call("Range", {scalar(0), rank, scalar(1)});
  const Value kept = ctx.emitter.CallAll("ListDiff", {all, reduced}, {})[0];

  ReducedFirst result;
  result.order = ctx.Call("ConcatV2", {reduced, kept, scalar(0)});
  const Value transposed = ctx.Call("Transpose", {x, result.order});
  result.shape = ctx.Call("Shape", {transposed});
  const auto product_of_sizes = [&](Value of) {
    const Value sizes = ctx.Call("Gather", {ctx.Call("Shape", {x}), of});
    return ctx.Call("Prod", {sizes, Ints(ctx, {0})});
  };
  const Value matrix =
      ctx.Call("Pack", {product_of_sizes(reduced), product_of_sizes(kept)});
  result.transpose = ctx.Call("Reshape", {transposed, matrix});
  return result;
}

// dy/dx is the product of all others: of those before it and of those behind it. y / x
// would be shorter, and wrong where x is 0.
Values ProdGrad(const GradientContext& ctx) {
  const Value kept = ShapeWithReducedAxesKept(ctx);
  const Value dy = ctx.Call("Reshape", {ctx.dy[0], kept});

  const ReducedFirst x = PutReducedAxesFirst(ctx);
  const Value axis = ctx.emitter.Constant(Tensor::Scalar(int32_t{0}));
  const Value before = ctx.Call("Cumprod", {x.transpose, axis}, {{"exclusive", true}});
  const Value behind =
      ctx.Call("Cumprod", {x.transpose, axis}, {{"exclusive", true}, {"reverse", true}});
  const Value others = ctx.Call("Reshape", {Mul(ctx, before, behind), x.shape});
  const Value back =
      ctx.Call("Transpose", {others, ctx.Call("InvertPermutation", {x.order})});
  return {Mul(ctx, dy, Conjugate(ctx, back)), Value::None()};
}
REGISTER_GRADIENT("Prod", ProdGrad);

// ---- Running sums and products --------------------------------------------------------

// Each x is in all sums from its own on, so it collects their gradients from the far end.
Values CumsumGrad(const GradientContext& ctx) {
  const Value dx = ctx.Call("Cumsum", {ctx.dy[0], ctx.inputs[1]},
                            {{"exclusive", ctx.attr<bool>("exclusive")},
                             {"reverse", !ctx.attr<bool>("reverse")}});
  return {dx, Value::None()};
}
REGISTER_GRADIENT("Cumsum", CumsumGrad);

// As for Cumsum, and each product by one x is the product divided by it. Where an x is 0
// its gradient is given as 0, as TensorFlow does.
Values CumprodGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value products = Conjugate(ctx, ctx.outputs[0]);
  const Value sum = ctx.Call("Cumsum", {Mul(ctx, products, ctx.dy[0]), ctx.inputs[1]},
                             {{"exclusive", ctx.attr<bool>("exclusive")},
                              {"reverse", !ctx.attr<bool>("reverse")}});
  return {ctx.Call("DivNoNan", {sum, x}), Value::None()};
}
REGISTER_GRADIENT("Cumprod", CumprodGrad);

// ---- Products of many matrices --------------------------------------------------------

Value Product(const GradientContext& ctx, Value x, bool adj_x, Value y, bool adj_y) {
  return ctx.Call(ctx.op.name, {x, y}, {{"adj_x", adj_x}, {"adj_y", adj_y}});
}

// The sizes of `x` but those of its matrices, as a vector of int32.
Value BatchShape(const GradientContext& ctx, Value x) {
  return ctx.Call("StridedSlice",
                  {ShapeOf(ctx, x), Ints(ctx, {0}), Ints(ctx, {-2}), Ints(ctx, {1})},
                  {{"begin_mask", int64_t{1}}});
}

// dL/d(inputs[i]), summed over the matrices with which one matrix of it was multiplied.
Value SumOverBatch(const GradientContext& ctx, Value gradient, int i) {
  const Value x = ctx.inputs[i];
  const PartialShape from = ctx.emitter.shape(gradient);
  if (from.IsFullyKnown() && from == ctx.emitter.shape(x)) return gradient;
  const Value axes = ctx.emitter.CallAll(
      "BroadcastGradientArgs", {BatchShape(ctx, gradient), BatchShape(ctx, x)}, {})[1];
  return ctx.Call("Reshape", {ctx.Call("Sum", {gradient, axes}), ShapeOf(ctx, x)});
}

// As MatMulGrad, of conjugate transposes and of matrices that broadcast.
Values BatchMatMulGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value y = ctx.inputs[1];
  const Value dz = ctx.dy[0];
  const bool adj_x = ctx.attr<bool>("adj_x");
  const bool adj_y = ctx.attr<bool>("adj_y");
  const Value dx =
      adj_x ? Product(ctx, y, adj_y, dz, true) : Product(ctx, dz, false, y, !adj_y);
  const Value dy =
      adj_y ? Product(ctx, dz, true, x, adj_x) : Product(ctx, x, !adj_x, dz, false);
  return {SumOverBatch(ctx, dx, 0), SumOverBatch(ctx, dy, 1)};
}
REGISTER_GRADIENT("BatchMatMul", BatchMatMulGrad);
REGISTER_GRADIENT("BatchMatMulV2", BatchMatMulGrad);

// ---- Adding, converting, choosing -----------------------------------------------------

Values AddNGrad(const GradientContext& ctx) {
  return Values(ctx.inputs.size(), ctx.dy[0]);
}
REGISTER_GRADIENT("AddN", AddNGrad);

// Numbers that are not real or complex do not change smoothly: no gradient.
Values CastGrad(const GradientContext& ctx) {
  const DType from = ctx.emitter.dtype(ctx.inputs[0]);
  const DType to = ctx.emitter.dtype(ctx.outputs[0]);
  const auto is_smooth = [](DType dtype) {
    return IsFloating(dtype) || IsComplex(dtype);
  };
  if (!is_smooth(from) || !is_smooth(to)) return {Value::None()};
  return {CastTo(ctx, ctx.dy[0], from)};
}
REGISTER_GRADIENT("Cast", CastGrad);

// z = t where condition is true, e elsewhere; all three broadcast
Values SelectV2Grad(const GradientContext& ctx) {
  const Value condition = ctx.inputs[0];
  const Value dz = ctx.dy[0];
  const Value zeros = ctx.Call("ZerosLike", {dz});
  const Value dt = ctx.Call("SelectV2", {condition, dz, zeros});
  const Value de = ctx.Call("SelectV2", {condition, zeros, dz});
  return {Value::None(), SumToShapeOf(ctx, dt, ctx.inputs[1]),
          SumToShapeOf(ctx, de, ctx.inputs[2])};
}
REGISTER_GRADIENT("SelectV2", SelectV2Grad);

// The gradient goes to t, or to the limit that took its place.
Values ClipByValueGrad(const GradientContext& ctx) {
  const Value t = ctx.inputs[0];
  const Value low = ctx.inputs[1];
  const Value high = ctx.inputs[2];
  const Value dy = ctx.dy[0];
  const Value zeros = ctx.Call("ZerosLike", {dy});
  const Value is_below = ctx.Call("Less", {t, low});
  const Value is_above = ctx.Call("Greater", {t, high});
  const Value is_outside = ctx.Call("LogicalOr", {is_below, is_above});
  const Value dlow = ctx.Call("SelectV2", {is_below, dy, zeros});
  const Value dhigh = ctx.Call("SelectV2", {is_above, dy, zeros});
  return {ctx.Call("SelectV2", {is_outside, zeros, dy}), SumToShapeOf(ctx, dlow, low),
          SumToShapeOf(ctx, dhigh, high)};
}
REGISTER_GRADIENT("ClipByValue", ClipByValueGrad);

// ---- No gradient ----------------------------------------------------------------------

const NotDifferentiable kReductionsWithoutGradient("All", "Any", "ArgMax", "ArgMin",
                                                   "BroadcastGradientArgs", "LowerBound",
                                                   "UpperBound");

}  // namespace
}  // namespace minitf
