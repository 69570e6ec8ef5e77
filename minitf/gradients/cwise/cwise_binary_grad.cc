// Gradients of the ops that compute each element from one element of each of two inputs.
//
// With inputs x and y and the output z, each function works out dL/dx and dL/dy in the
// shape of z, and BothSummed brings them to the shapes of x and y, which may have been
// broadcast. Mul and Div are in math_grad.cc, where a lab asks for them.
//
// Ops        minitf/ops/cwise/cwise_binary_ops.cc
// Compare    tensorflow/python/ops/math_grad.py
// Read next  minitf/gradients/add_gradients.h

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"
#include "minitf/gradients/unbroadcast.h"

namespace minitf {
namespace {

using Values = std::vector<Value>;

Values BothSummed(const GradientContext& ctx, Value dx, Value dy) {
  return {SumToShapeOfInput(ctx, dx, 0), SumToShapeOfInput(ctx, dy, 1)};
}

Value Neg(const GradientContext& ctx, Value x) { return ctx.Call("Neg", {x}); }
Value X(const GradientContext& ctx) { return Conjugate(ctx, ctx.inputs[0]); }
Value Y(const GradientContext& ctx) { return Conjugate(ctx, ctx.inputs[1]); }

Values AddGrad(const GradientContext& ctx) {
  return BothSummed(ctx, ctx.dy[0], ctx.dy[0]);
}
REGISTER_GRADIENT("Add", AddGrad);
REGISTER_GRADIENT("AddV2", AddGrad);

Values SubGrad(const GradientContext& ctx) {
  return BothSummed(ctx, ctx.dy[0], Neg(ctx, ctx.dy[0]));
}
REGISTER_GRADIENT("Sub", SubGrad);

// As x / y, but 0 where y is 0.
Values DivNoNanGrad(const GradientContext& ctx) {
  const Value x = X(ctx);
  const Value y = Y(ctx);
  const Value dz = ctx.dy[0];
  const Value minus_x_over_y = ctx.Call("DivNoNan", {Neg(ctx, x), y});
  return BothSummed(ctx, ctx.Call("DivNoNan", {dz, y}),
                    Mul(ctx, dz, ctx.Call("DivNoNan", {minus_x_over_y, y})));
}
REGISTER_GRADIENT("DivNoNan", DivNoNanGrad);

// As x * y, but 0 where y is 0, even if x is not finite.
Values MulNoNanGrad(const GradientContext& ctx) {
  const Value dz = ctx.dy[0];
  return BothSummed(ctx, ctx.Call("MulNoNan", {dz, Y(ctx)}),
                    ctx.Call("MulNoNan", {X(ctx), dz}));
}
REGISTER_GRADIENT("MulNoNan", MulNoNanGrad);

// 1 where x is not 0, in the dtype of x.
Value IsNotZero(const GradientContext& ctx, Value x) {
  const Value is_not_zero = ctx.Call("NotEqual", {x, ctx.Call("ZerosLike", {x})});
  return ctx.Call("Cast", {is_not_zero}, {{"DstT", ctx.emitter.dtype(x)}});
}

// x / y, 0 where x is 0: by x it is 1 / y, by y it is -x / y^2
Values XdivyGrad(const GradientContext& ctx) {
  const Value x = X(ctx);
  const Value y = Y(ctx);
  const Value dz = ctx.dy[0];
  const Value by_x = ctx.Call("Xdivy", {IsNotZero(ctx, x), y});
  const Value by_y =
      ctx.Call("Xdivy", {Neg(ctx, x), ctx.Call("Pow", {y, NumberLike(ctx, y, 2)})});
  return BothSummed(ctx, Mul(ctx, dz, by_x), Mul(ctx, dz, by_y));
}
REGISTER_GRADIENT("Xdivy", XdivyGrad);

// x log y, 0 where x is 0: by x it is log y, by y it is x / y
Values XlogyGrad(const GradientContext& ctx) {
  const Value x = X(ctx);
  const Value y = Y(ctx);
  const Value dz = ctx.dy[0];
  const Value by_x = ctx.Call("Xlogy", {IsNotZero(ctx, x), y});
  return BothSummed(ctx, Mul(ctx, dz, by_x), Mul(ctx, dz, ctx.Call("Xdivy", {x, y})));
}
REGISTER_GRADIENT("Xlogy", XlogyGrad);

// x - y floor(x / y): by x it is 1, by y it is -floor(x / y), almost everywhere
Values FloorModGrad(const GradientContext& ctx) {
  const Value quotient = ctx.Call("FloorDiv", {ctx.inputs[0], ctx.inputs[1]});
  return BothSummed(ctx, ctx.dy[0], Mul(ctx, ctx.dy[0], Neg(ctx, quotient)));
}
REGISTER_GRADIENT("FloorMod", FloorModGrad);

Values TruncateModGrad(const GradientContext& ctx) {
  const Value ratio = ctx.Call("RealDiv", {ctx.inputs[0], ctx.inputs[1]});
  const Value toward_zero =
      Mul(ctx, ctx.Call("Sign", {ratio}), ctx.Call("Floor", {ctx.Call("Abs", {ratio})}));
  return BothSummed(ctx, ctx.dy[0], Mul(ctx, ctx.dy[0], Neg(ctx, toward_zero)));
}
REGISTER_GRADIENT("Mod", TruncateModGrad);
REGISTER_GRADIENT("TruncateMod", TruncateModGrad);

// log x where it is a number, or else 0: of 0^y the gradient by y is taken to be 0.
Value SafeLog(const GradientContext& ctx, Value x) {
  const bool is_complex = IsComplex(ctx.emitter.dtype(x));
  const Value zeros = ctx.Call("ZerosLike", {x});
  const Value is_safe = ctx.Call(is_complex ? "NotEqual" : "Greater", {x, zeros});
  const Value safe = ctx.Call("Select", {is_safe, x, ctx.Call("OnesLike", {x})});
  return ctx.Call("Select", {is_safe, ctx.Call("Log", {safe}), zeros});
}

// The gradients of z = x^y, in the shape of z: by x it is y x^(y-1), by y x^y log x. dz
// comes first in the products, so that a dz of 0 gives 0 where the rest is too large for
// its type.
Values PowGradients(const GradientContext& ctx, Value x, Value y) {
  const Value z = Conjugate(ctx, ctx.outputs[0]);
  const Value dz = ctx.dy[0];
  const Value lower = ctx.Call("Pow", {x, ctx.Call("Sub", {y, NumberLike(ctx, y, 1)})});
  const Value by_x = Mul(ctx, Mul(ctx, dz, y), lower);
  const Value by_y = Mul(ctx, Mul(ctx, dz, z), SafeLog(ctx, x));
  return {by_x, by_y};
}

Values PowGrad(const GradientContext& ctx) {
  const Values both = PowGradients(ctx, X(ctx), Y(ctx));
  return BothSummed(ctx, both[0], both[1]);
}
REGISTER_GRADIENT("Pow", PowGrad);

// (x - y)^pow, with a scalar pow
Values PowerDifferenceGrad(const GradientContext& ctx) {
  const Value difference = ctx.Call("Sub", {ctx.inputs[0], ctx.inputs[1]});
  const Values both = PowGradients(ctx, difference, ctx.inputs[2]);
  Values gradients = BothSummed(ctx, both[0], Neg(ctx, both[0]));
  gradients.push_back(SumToShapeOf(ctx, both[1], ctx.inputs[2]));
  return gradients;
}
REGISTER_GRADIENT("PowerDifference", PowerDifferenceGrad);

// |x - y|^2, which is real
Values SquaredDifferenceGrad(const GradientContext& ctx) {
  const Value difference = ctx.Call("Sub", {ctx.inputs[0], ctx.inputs[1]});
  const Value dz = WithoutImaginary(ctx, ctx.dy[0]);
  const Value dx = Mul(ctx, Mul(ctx, NumberLike(ctx, dz, 2), dz), difference);
  return BothSummed(ctx, dx, Neg(ctx, dx));
}
REGISTER_GRADIENT("SquaredDifference", SquaredDifferenceGrad);

// The one that was chosen gets the gradient; x does when both are equal.
Values ChoiceGrad(const GradientContext& ctx, const char* x_is_chosen) {
  const Value dz = ctx.dy[0];
  const Value zeros = ctx.Call("ZerosLike", {dz});
  const Value is_x = ctx.Call(x_is_chosen, {ctx.inputs[0], ctx.inputs[1]});
  return BothSummed(ctx, ctx.Call("Select", {is_x, dz, zeros}),
                    ctx.Call("Select", {is_x, zeros, dz}));
}
Values MaximumGrad(const GradientContext& ctx) { return ChoiceGrad(ctx, "GreaterEqual"); }
REGISTER_GRADIENT("Maximum", MaximumGrad);
Values MinimumGrad(const GradientContext& ctx) { return ChoiceGrad(ctx, "LessEqual"); }
REGISTER_GRADIENT("Minimum", MinimumGrad);

// The angle of the point (x, y), given as (y, x): x / r^2 by y, -y / r^2 by x
Values Atan2Grad(const GradientContext& ctx) {
  const Value y = ctx.inputs[0];
  const Value x = ctx.inputs[1];
  const Value radius_squared =
      ctx.Call("Add", {ctx.Call("Square", {x}), ctx.Call("Square", {y})});
  const Value scaled = ctx.Call("RealDiv", {ctx.dy[0], radius_squared});
  return BothSummed(ctx, Mul(ctx, x, scaled), Mul(ctx, Neg(ctx, y), scaled));
}
REGISTER_GRADIENT("Atan2", Atan2Grad);

// ---- No gradient ----------------------------------------------------------------------

const NotDifferentiable kBinaryWithoutGradient("FloorDiv", "TruncateDiv", "Less",
                                               "LessEqual", "Greater", "GreaterEqual",
                                               "Equal", "NotEqual", "ApproximateEqual",
                                               "LogicalAnd", "LogicalOr", "BitwiseAnd",
                                               "BitwiseOr", "BitwiseXor", "LeftShift",
                                               "RightShift");

}  // namespace
}  // namespace minitf
