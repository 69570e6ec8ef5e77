// Gradients of the math ops that every network needs.
//
// Each function is the chain rule for one op: dL/dx = dL/dz * dz/dx, written in ops.
// Tensors of several axes need two things more: an input that was broadcast collects the
// gradient of all its copies (unbroadcast.h), and a product of matrices has an order.
//
// Ops        minitf/ops/math/math_ops.cc, minitf/ops/cwise/cwise_unary_ops.cc
// Exercise   exercises/04_gradients
// Compare    tensorflow/python/ops/math_grad.py, tensorflow/cc/gradients/math_grad.cc
// Read next  minitf/gradients/add_gradients.h

#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"
#include "minitf/gradients/unbroadcast.h"
#include "minitf/tensor/shape.h"

namespace minitf {

Value SumTo(const GradientContext& ctx, Value gradient, const Shape& from,
            const Shape& to) {
  // LAB(04.1) begin: return gradient [from] summed to [to]
  //
  // Shapes are aligned at the last axis. An axis of `from` that `to` does not have, or
  // has with size 1, is one along which the input was stretched.
  if (from == to) return gradient;
  std::vector<int64_t> axes;
  const int missing = from.rank() - to.rank();
  for (int axis = 0; axis < from.rank(); ++axis) {
    const bool was_stretched =
        axis < missing || (to.dim(axis - missing) == 1 && from.dim(axis) != 1);
    if (was_stretched) axes.push_back(axis);
  }
  const Value sum = ctx.Call("Sum", {gradient, Ints(ctx, axes)});
  return ctx.Call("Reshape", {sum, Ints(ctx, to.ToVector())});
  // LAB(04.1) end
}

namespace {

// ---- One input, element by element ----------------------------------------------------

// z = sin x
std::vector<Value> SinGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value dz = ctx.dy[0];
  // LAB(04.2) begin: return {dL/dx} for z = sin x
  return {ctx.Call("Mul", {dz, ctx.Call("Cos", {x})})};
  // LAB(04.2) end
}
REGISTER_GRADIENT("Sin", SinGrad);

// z = exp x
std::vector<Value> ExpGrad(const GradientContext& ctx) {
  const Value z = Conjugate(ctx, ctx.outputs[0]);
  const Value dz = ctx.dy[0];
  // LAB(04.2) begin: return {dL/dx} for z = exp x; z itself saves an exponential
  return {ctx.Call("Mul", {dz, z})};
  // LAB(04.2) end
}
REGISTER_GRADIENT("Exp", ExpGrad);

// z = log x
std::vector<Value> LogGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value dz = ctx.dy[0];
  // LAB(04.2) begin: return {dL/dx} for z = log x
  return {ctx.Call("Mul", {dz, ctx.Call("Reciprocal", {x})})};
  // LAB(04.2) end
}
REGISTER_GRADIENT("Log", LogGrad);

// ---- Two inputs that broadcast --------------------------------------------------------

// z = x y
std::vector<Value> MulGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value y = Conjugate(ctx, ctx.inputs[1]);
  const Value dz = ctx.dy[0];
  // LAB(04.3) begin: return {dL/dx, dL/dy} for z = x y, in the shapes of x and y
  const Value dx = ctx.Call("Mul", {dz, y});
  const Value dy = ctx.Call("Mul", {x, dz});
  return {SumToShapeOfInput(ctx, dx, 0), SumToShapeOfInput(ctx, dy, 1)};
  // LAB(04.3) end
}
REGISTER_GRADIENT("Mul", MulGrad);

// z = x / y
std::vector<Value> DivGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value y = Conjugate(ctx, ctx.inputs[1]);
  const Value dz = ctx.dy[0];
  // LAB(04.3) begin: return {dL/dx, dL/dy} for z = x / y, in the shapes of x and y
  //
  // dz/dx = 1 / y and dz/dy = -x / y^2. Dividing by y twice, in place of once by y^2,
  // stays finite where y^2 does not.
  const Value dx = ctx.Call("RealDiv", {dz, y});
  const Value minus_x_over_y = ctx.Call("RealDiv", {ctx.Call("Neg", {x}), y});
  const Value dy = ctx.Call("Mul", {dz, ctx.Call("RealDiv", {minus_x_over_y, y})});
  return {SumToShapeOfInput(ctx, dx, 0), SumToShapeOfInput(ctx, dy, 1)};
  // LAB(04.3) end
}
REGISTER_GRADIENT("Div", DivGrad);
REGISTER_GRADIENT("RealDiv", DivGrad);

// ---- Products of matrices -------------------------------------------------------------

Value MatMul(const GradientContext& ctx, Value a, bool transpose_a, Value b,
             bool transpose_b) {
  return ctx.Call("MatMul", {a, b},
                  {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
}

// z = a b, each transposed first if so asked
std::vector<Value> MatMulGrad(const GradientContext& ctx) {
  const Value a = Conjugate(ctx, ctx.inputs[0]);
  const Value b = Conjugate(ctx, ctx.inputs[1]);
  const Value dz = ctx.dy[0];
  const bool transpose_a = ctx.attr<bool>("transpose_a");
  const bool transpose_b = ctx.attr<bool>("transpose_b");

  // LAB(04.4) begin: return {dL/da, dL/db}, in all four cases of the two transposes
  //
  // For z = a b, a small change da of a changes L by <dz, da b> = <dz b', da>; hence
  // dL/da = dz b', and likewise dL/db = a' dz. The prime is the transpose.
  //
  // An input that is used transposed needs its gradient transposed as well, and
  // (dz b')' = b dz'. That makes four cases; each is again a single MatMul.
  const Value da = transpose_a ? MatMul(ctx, b, transpose_b, dz, true)
                               : MatMul(ctx, dz, false, b, !transpose_b);
  const Value db = transpose_b ? MatMul(ctx, dz, true, a, transpose_a)
                               : MatMul(ctx, a, !transpose_a, dz, false);
  return {da, db};
  // LAB(04.4) end
}
REGISTER_GRADIENT("MatMul", MatMulGrad);

// ---- Reductions -----------------------------------------------------------------------

// z = the sum of x along some axes; the axes, input 1, have no gradient
std::vector<Value> SumGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value dz = ctx.dy[0];
  // LAB(04.5) begin: return {dL/dx, none}: each x gets the dL/dz that it went into
  const Value kept = ctx.Call("Reshape", {dz, ShapeWithReducedAxesKept(ctx)});
  return {ctx.Call("BroadcastTo", {kept, ShapeOf(ctx, x)}), Value::None()};
  // LAB(04.5) end
}
REGISTER_GRADIENT("Sum", SumGrad);

// z = the mean of x along some axes
std::vector<Value> MeanGrad(const GradientContext& ctx) {
  // LAB(04.5) begin: return {dL/dx, none}; NumReducedPerOutput(ctx) counts
  const Value dx = SumGrad(ctx)[0];
  return {ctx.Call("RealDiv", {dx, NumReducedPerOutput(ctx)}), Value::None()};
  // LAB(04.5) end
}
REGISTER_GRADIENT("Mean", MeanGrad);

// ---- Moving and choosing --------------------------------------------------------------

// z = x in another shape; the shape, input 1, has no gradient
std::vector<Value> ReshapeGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value dz = ctx.dy[0];
  // LAB(04.6) begin: return {dL/dx, none}
  return {ctx.Call("Reshape", {dz, ShapeOf(ctx, x)}), Value::None()};
  // LAB(04.6) end
}
REGISTER_GRADIENT("Reshape", ReshapeGrad);

// z = t where condition is true, e elsewhere
std::vector<Value> SelectGrad(const GradientContext& ctx) {
  const Value condition = ctx.inputs[0];
  const Value dz = ctx.dy[0];
  // LAB(04.6) begin: return {none, dL/dt, dL/de}
  const Value zeros = ctx.Call("ZerosLike", {dz});
  return {Value::None(), ctx.Call("Select", {condition, dz, zeros}),
          ctx.Call("Select", {condition, zeros, dz})};
  // LAB(04.6) end
}
REGISTER_GRADIENT("Select", SelectGrad);

// z = value, plus a bias for each channel
std::vector<Value> BiasAddGrad(const GradientContext& ctx) {
  const Value dz = ctx.dy[0];
  const auto data_format = ctx.attr<std::string>("data_format");
  // LAB(04.6) begin: return {dL/dvalue, dL/dbias}; there is an op BiasAddGrad
  const Value dbias = ctx.Call("BiasAddGrad", {dz}, {{"data_format", data_format}});
  return {dz, dbias};
  // LAB(04.6) end
}
REGISTER_GRADIENT("BiasAdd", BiasAddGrad);

}  // namespace
}  // namespace minitf
