// Gradients of the special functions of two inputs.
//
// By their order, Zeta and Polygamma have no gradient that is known in closed form; as in
// TensorFlow, it is none.
//
// Ops        minitf/ops/cwise/special_ops.cc
// Compare    tensorflow/python/ops/math_grad.py
// Read next  minitf/gradients/cwise/cwise_binary_grad.cc

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"
#include "minitf/gradients/unbroadcast.h"

namespace minitf {
namespace {

using Values = std::vector<Value>;

// exp(-x + (a - 1) log x - lgamma(a)): the integrand, which is the derivative by x
Value IgammaByX(const GradientContext& ctx) {
  const Value a = ctx.inputs[0];
  const Value x = ctx.inputs[1];
  const Value order = ctx.Call("Sub", {a, NumberLike(ctx, a, 1)});
  const Value power = Mul(ctx, order, ctx.Call("Log", {x}));
  const Value exponent = ctx.Call("Sub", {ctx.Call("Sub", {power, x}),  //
                                          ctx.Call("Lgamma", {a})});
  return ctx.Call("Exp", {exponent});
}

Values IgammaGradOf(const GradientContext& ctx, Value dz) {
  const Value by_a = ctx.Call("IgammaGradA", {ctx.inputs[0], ctx.inputs[1]});
  return {SumToShapeOfInput(ctx, Mul(ctx, by_a, dz), 0),
          SumToShapeOfInput(ctx, Mul(ctx, IgammaByX(ctx), dz), 1)};
}

Values IgammaGrad(const GradientContext& ctx) { return IgammaGradOf(ctx, ctx.dy[0]); }
REGISTER_GRADIENT("Igamma", IgammaGrad);

Values IgammacGrad(const GradientContext& ctx) {
  return IgammaGradOf(ctx, ctx.Call("Neg", {ctx.dy[0]}));
}
REGISTER_GRADIENT("Igammac", IgammacGrad);

Values IgammaGradAGrad(const GradientContext&) {
  throw Error(errors::NotFound(
      "No gradient defined for op IgammaGradA: it is not known in closed form"));
}
REGISTER_GRADIENT("IgammaGradA", IgammaGradAGrad);

// zeta(x, q): by q it is -x zeta(x + 1, q)
Values ZetaGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value q = ctx.inputs[1];
  const Value next = ctx.Call("Add", {x, NumberLike(ctx, x, 1)});
  const Value by_q = Mul(ctx, ctx.Call("Neg", {x}), ctx.Call("Zeta", {next, q}));
  return {Value::None(), SumToShapeOfInput(ctx, Mul(ctx, by_q, ctx.dy[0]), 1)};
}
REGISTER_GRADIENT("Zeta", ZetaGrad);

// polygamma(a, x): by x it is polygamma(a + 1, x)
Values PolygammaGrad(const GradientContext& ctx) {
  const Value a = ctx.inputs[0];
  const Value next = ctx.Call("Add", {a, NumberLike(ctx, a, 1)});
  const Value by_x = ctx.Call("Polygamma", {next, ctx.inputs[1]});
  return {Value::None(), SumToShapeOfInput(ctx, Mul(ctx, by_x, ctx.dy[0]), 1)};
}
REGISTER_GRADIENT("Polygamma", PolygammaGrad);

// The neighbour of x1 moves as x1 does, whatever x2 is.
Values NextAfterGrad(const GradientContext& ctx) {
  const Value dz = ctx.dy[0];
  const Value zeros = ctx.Call("ZerosLike", {dz});
  return {SumToShapeOfInput(ctx, dz, 0), SumToShapeOfInput(ctx, zeros, 1)};
}
REGISTER_GRADIENT("NextAfter", NextAfterGrad);

}  // namespace
}  // namespace minitf
