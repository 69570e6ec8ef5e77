// Gradients of the ops that compute each element from one element.
//
// With x the input and y the output, dL/dx = dL/dy * f'(x). Where f'(x) follows from y at
// less cost, y is used: the derivative of tanh is 1 - y^2. Such ops have a helper op that
// does it in one go, TanhGrad, whose own gradient is the second derivative.
//
// Of complex numbers the derivative is conjugated: L is real, and its gradient points to
// where L grows.
//
// Ops        minitf/ops/cwise/cwise_unary_ops.cc
// Compare    tensorflow/python/ops/math_grad.py
// Read next  minitf/gradients/cwise/cwise_binary_grad.cc

#include <numbers>
#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"
#include "minitf/gradients/unbroadcast.h"

namespace minitf {
namespace {

using Values = std::vector<Value>;

Value Times(const GradientContext& ctx, double number, Value x) {
  return Mul(ctx, NumberLike(ctx, x, number), x);
}
Value Square(const GradientContext& ctx, Value x) { return ctx.Call("Square", {x}); }
// 1 + sign * x
Value OnePlus(const GradientContext& ctx, double sign, Value x) {
  return ctx.Call(sign > 0 ? "Add" : "Sub", {NumberLike(ctx, x, 1), x});
}
// dy / x as a product: where dy is 0, so is what Reciprocal passes on to x, even if 1 / x
// is not finite.
Value Over(const GradientContext& ctx, Value dy, Value x) {
  return Mul(ctx, dy, ctx.Call("Reciprocal", {x}));
}
Value XOf(const GradientContext& ctx) { return Conjugate(ctx, ctx.inputs[0]); }
Value YOf(const GradientContext& ctx) { return Conjugate(ctx, ctx.outputs[0]); }

// dL/dx = dy * op(x)
template <size_t kSize>
GradientFn TimesOpOfX(const char (&op)[kSize]) {
  const std::string name = op;
  return [name](const GradientContext& ctx) {
    return Values{Mul(ctx, ctx.dy[0], ctx.Call(name, {XOf(ctx)}))};
  };
}

// dL/dx = helper(y, dy), for a helper that conjugates y
template <size_t kSize>
GradientFn HelperOfY(const char (&helper)[kSize]) {
  const std::string name = helper;
  return [name](const GradientContext& ctx) {
    return Values{ctx.Call(name, {ctx.outputs[0], ctx.dy[0]})};
  };
}

// dL/dx = helper(conj y, dy)
template <size_t kSize>
GradientFn HelperOfConjugateY(const char (&helper)[kSize]) {
  const std::string name = helper;
  return [name](const GradientContext& ctx) {
    return Values{ctx.Call(name, {YOf(ctx), ctx.dy[0]})};
  };
}

REGISTER_GRADIENT("Abs", TimesOpOfX("Sign"));
REGISTER_GRADIENT("Expm1", TimesOpOfX("Exp"));
REGISTER_GRADIENT("Sinh", TimesOpOfX("Cosh"));
REGISTER_GRADIENT("Cosh", TimesOpOfX("Sinh"));
REGISTER_GRADIENT("Lgamma", TimesOpOfX("Digamma"));
REGISTER_GRADIENT("Reciprocal", HelperOfY("ReciprocalGrad"));
REGISTER_GRADIENT("Inv", HelperOfY("InvGrad"));
REGISTER_GRADIENT("Sqrt", HelperOfY("SqrtGrad"));
REGISTER_GRADIENT("Rsqrt", HelperOfY("RsqrtGrad"));
REGISTER_GRADIENT("Tanh", HelperOfConjugateY("TanhGrad"));
REGISTER_GRADIENT("Sigmoid", HelperOfConjugateY("SigmoidGrad"));

// The first of the functions that Polygamma counts.
Values DigammaGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  return {Mul(ctx, ctx.dy[0], ctx.Call("Polygamma", {NumberLike(ctx, x, 1), x}))};
}
REGISTER_GRADIENT("Digamma", DigammaGrad);

Values NegGrad(const GradientContext& ctx) { return {ctx.Call("Neg", {ctx.dy[0]})}; }
REGISTER_GRADIENT("Neg", NegGrad);

// 2 x
Values SquareGrad(const GradientContext& ctx) {
  return {Mul(ctx, ctx.dy[0], Times(ctx, 2, XOf(ctx)))};
}
REGISTER_GRADIENT("Square", SquareGrad);

// 1 / (1 + x)
Values Log1pGrad(const GradientContext& ctx) {
  return {Over(ctx, ctx.dy[0], OnePlus(ctx, 1, XOf(ctx)))};
}
REGISTER_GRADIENT("Log1p", Log1pGrad);

// -sin x
Values CosGrad(const GradientContext& ctx) {
  return {ctx.Call("Neg", {Mul(ctx, ctx.dy[0], ctx.Call("Sin", {XOf(ctx)}))})};
}
REGISTER_GRADIENT("Cos", CosGrad);

// 1 / cos(x)^2
Values TanGrad(const GradientContext& ctx) {
  const Value secant = ctx.Call("Reciprocal", {ctx.Call("Cos", {XOf(ctx)})});
  return {Mul(ctx, Square(ctx, secant), ctx.dy[0])};
}
REGISTER_GRADIENT("Tan", TanGrad);

// 1 / sqrt(1 - x^2)
Values AsinGrad(const GradientContext& ctx) {
  const Value root = ctx.Call("Sqrt", {OnePlus(ctx, -1, Square(ctx, XOf(ctx)))});
  return {Over(ctx, ctx.dy[0], root)};
}
REGISTER_GRADIENT("Asin", AsinGrad);

Values AcosGrad(const GradientContext& ctx) {
  return {ctx.Call("Neg", {AsinGrad(ctx)[0]})};
}
REGISTER_GRADIENT("Acos", AcosGrad);

// 1 / (1 + x^2)
Values AtanGrad(const GradientContext& ctx) {
  return {Over(ctx, ctx.dy[0], OnePlus(ctx, 1, Square(ctx, XOf(ctx))))};
}
REGISTER_GRADIENT("Atan", AtanGrad);

// 1 / sqrt(1 + x^2), which is 1 / cosh(y)
Values AsinhGrad(const GradientContext& ctx) {
  return {ctx.Call("RealDiv", {ctx.dy[0], ctx.Call("Cosh", {YOf(ctx)})})};
}
REGISTER_GRADIENT("Asinh", AsinhGrad);

// 1 / sqrt(x^2 - 1), which is 1 / sinh(y)
Values AcoshGrad(const GradientContext& ctx) {
  return {ctx.Call("RealDiv", {ctx.dy[0], ctx.Call("Sinh", {YOf(ctx)})})};
}
REGISTER_GRADIENT("Acosh", AcoshGrad);

// 1 / (1 - x^2)
Values AtanhGrad(const GradientContext& ctx) {
  return {Over(ctx, ctx.dy[0], OnePlus(ctx, -1, Square(ctx, XOf(ctx))))};
}
REGISTER_GRADIENT("Atanh", AtanhGrad);

// 2 / sqrt(pi) * exp(-x^2)
Values ErfGrad(const GradientContext& ctx) {
  const Value bell = ctx.Call("Exp", {ctx.Call("Neg", {Square(ctx, ctx.inputs[0])})});
  return {Mul(ctx, ctx.dy[0], Times(ctx, 2 * std::numbers::inv_sqrtpi, bell))};
}
REGISTER_GRADIENT("Erf", ErfGrad);

Values ErfcGrad(const GradientContext& ctx) {
  return {ctx.Call("Neg", {ErfGrad(ctx)[0]})};
}
REGISTER_GRADIENT("Erfc", ErfcGrad);

// Flat almost everywhere: 0, where a gradient that is none would say "does not depend".
// As in TensorFlow also for complex numbers, though their sign x / |x| changes with x.
Values SignGrad(const GradientContext& ctx) {
  return {ctx.Call("ZerosLike", {ctx.inputs[0]})};
}
REGISTER_GRADIENT("Sign", SignGrad);

// ---- Complex numbers ------------------------------------------------------------------

Values ConjGrad(const GradientContext& ctx) { return {ctx.Call("Conj", {ctx.dy[0]})}; }
REGISTER_GRADIENT("Conj", ConjGrad);

Value WithZeroImaginary(const GradientContext& ctx, Value x) {
  const DType dtype =
      ctx.emitter.dtype(x) == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
  return ctx.Call("Complex", {x, ctx.Call("ZerosLike", {x})}, {{"Tout", dtype}});
}

Values RealGrad(const GradientContext& ctx) {
  return {WithZeroImaginary(ctx, ctx.dy[0])};
}
REGISTER_GRADIENT("Real", RealGrad);

Values ImagGrad(const GradientContext& ctx) {
  const DType dtype = ctx.emitter.dtype(ctx.inputs[0]);
  const Value zeros = ctx.Call("ZerosLike", {ctx.dy[0]});
  return {ctx.Call("Complex", {zeros, ctx.dy[0]}, {{"Tout", dtype}})};
}
REGISTER_GRADIENT("Imag", ImagGrad);

Value RealPart(const GradientContext& ctx, const char* op, Value x) {
  const DType dtype =
      ctx.emitter.dtype(x) == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32;
  return ctx.Call(op, {x}, {{"Tout", dtype}});
}

Values ComplexGrad(const GradientContext& ctx) {
  return {SumToShapeOfInput(ctx, RealPart(ctx, "Real", ctx.dy[0]), 0),
          SumToShapeOfInput(ctx, RealPart(ctx, "Imag", ctx.dy[0]), 1)};
}
REGISTER_GRADIENT("Complex", ComplexGrad);

// |x| grows in the direction of x / |x|; 0 has none.
Values ComplexAbsGrad(const GradientContext& ctx) {
  const Value dy = WithZeroImaginary(ctx, ctx.dy[0]);
  const Value size = WithZeroImaginary(ctx, ctx.outputs[0]);
  return {Mul(ctx, ctx.Call("DivNoNan", {dy, size}), ctx.inputs[0])};
}
REGISTER_GRADIENT("ComplexAbs", ComplexAbsGrad);

// The angle of x = r + i s grows in the direction of (-s + i r) / |x|^2 = -1 / (s + i r).
Values AngleGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value turned =
      ctx.Call("Complex", {RealPart(ctx, "Imag", x), RealPart(ctx, "Real", x)},
               {{"Tout", ctx.emitter.dtype(x)}});
  const Value dy = WithZeroImaginary(ctx, ctx.dy[0]);
  return {ctx.Call("Neg", {ctx.Call("RealDiv", {dy, turned})})};
}
REGISTER_GRADIENT("Angle", AngleGrad);

// ---- Second derivatives: the gradients of the helpers ---------------------------------
// Each helper has the inputs y and g, and is g * d(y) with d the derivative by way of y.
// The first three have conj y in place of a complex y; to y they pass the conjugate of
// what they would pass to conj y.

// -g y^2: by y it is -2 g y
Values ReciprocalGradGrad(const GradientContext& ctx) {
  const Value y = Conjugate(ctx, ctx.inputs[0]);
  const Value g = ctx.inputs[1];
  const Value dz = ctx.dy[0];
  return {Mul(ctx, Mul(ctx, Times(ctx, -2, Conjugate(ctx, dz)), g), y),
          ctx.Call("ReciprocalGrad", {y, dz})};
}
REGISTER_GRADIENT("ReciprocalGrad", ReciprocalGradGrad);
REGISTER_GRADIENT("InvGrad", ReciprocalGradGrad);

// z = g / (2 y): by y it is -z / y, by g it is 1 / (2 y)
Values SqrtGradGrad(const GradientContext& ctx) {
  const Value dz_over_y = ctx.Call("RealDiv", {ctx.dy[0], ctx.inputs[0]});
  const Value by_y = Mul(ctx, Conjugate(ctx, dz_over_y), ctx.outputs[0]);
  return {ctx.Call("Neg", {by_y}), Times(ctx, 0.5, dz_over_y)};
}
REGISTER_GRADIENT("SqrtGrad", SqrtGradGrad);

// -g y^3 / 2: by y it is -3/2 g y^2
Values RsqrtGradGrad(const GradientContext& ctx) {
  const Value y = Conjugate(ctx, ctx.inputs[0]);
  const Value g = ctx.inputs[1];
  const Value dz = ctx.dy[0];
  return {Mul(ctx, Mul(ctx, Times(ctx, -1.5, Conjugate(ctx, dz)), g), Square(ctx, y)),
          ctx.Call("RsqrtGrad", {y, dz})};
}
REGISTER_GRADIENT("RsqrtGrad", RsqrtGradGrad);

// g (1 - y^2): by y it is -2 g y
Values TanhGradGrad(const GradientContext& ctx) {
  const Value y = Conjugate(ctx, ctx.inputs[0]);
  const Value g = Conjugate(ctx, ctx.inputs[1]);
  const Value dz = ctx.dy[0];
  return {Mul(ctx, Mul(ctx, Times(ctx, -2, dz), g), y), ctx.Call("TanhGrad", {y, dz})};
}
REGISTER_GRADIENT("TanhGrad", TanhGradGrad);

// g y (1 - y): by y it is g (1 - 2 y)
Values SigmoidGradGrad(const GradientContext& ctx) {
  const Value y = Conjugate(ctx, ctx.inputs[0]);
  const Value g = Conjugate(ctx, ctx.inputs[1]);
  const Value dz = ctx.dy[0];
  const Value both = Mul(ctx, dz, g);
  const Value twice = Mul(ctx, Times(ctx, 2, both), y);
  return {ctx.Call("Sub", {both, twice}), ctx.Call("SigmoidGrad", {y, dz})};
}
REGISTER_GRADIENT("SigmoidGrad", SigmoidGradGrad);

// ---- No gradient ----------------------------------------------------------------------

const NotDifferentiable kUnaryWithoutGradient("Floor", "Ceil", "Rint", "Round", "IsNan",
                                              "IsInf", "IsFinite", "LogicalNot",
                                              "Invert");

}  // namespace
}  // namespace minitf
