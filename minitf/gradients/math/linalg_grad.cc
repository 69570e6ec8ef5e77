// Gradients of ops on square matrices, and on diagonals.
//
// For the inverse: Y X = 1, so dY X + Y dX = 0 and dY = -Y dX Y. A small change of X
// changes L by <dL/dY, -Y dX Y> = <-Y' dL/dY Y', dX>. The prime is the conjugate
// transpose.
//
// Ops        minitf/ops/math/linalg_ops.cc
// Compare    tensorflow/python/ops/linalg_grad.py, array_grad.py
// Read next  minitf/gradients/state/state_grad.cc

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

// a b, where a prime on one of them is asked for by its flag.
Value BatchProduct(const GradientContext& ctx, Value a, bool adjoint_a, Value b,
                   bool adjoint_b) {
  return ctx.Call("BatchMatMulV2", {a, b}, {{"adj_x", adjoint_a}, {"adj_y", adjoint_b}});
}

std::vector<Value> MatrixInverseGrad(const GradientContext& ctx) {
  const Value y = ctx.outputs[0];
  const Value dy = ctx.dy[0];
  // Of the adjoint the same holds with X' for X, so the result is its adjoint.
  const bool adjoint = ctx.attr<bool>("adjoint");
  const Value product =
      adjoint ? BatchProduct(ctx, y, false, BatchProduct(ctx, dy, true, y, false), false)
              : BatchProduct(ctx, y, true, BatchProduct(ctx, dy, false, y, true), false);
  return {ctx.Call("Neg", {product})};
}
REGISTER_GRADIENT("MatrixInverse", MatrixInverseGrad);

// y = det x changes by y <(x^-1)', dx>.
std::vector<Value> MatrixDeterminantGrad(const GradientContext& ctx) {
  const Value inverse = ctx.Call("MatrixInverse", {ctx.inputs[0]}, {{"adjoint", true}});
  const Value factor = ctx.Call("Mul", {ctx.dy[0], Conjugate(ctx, ctx.outputs[0])});
  // [...] as [...,1,1], so that each matrix has its factor.
  const Value minus_one = ctx.emitter.Constant(Tensor::Scalar(int32_t{-1}));
  const Value column = ctx.Call("ExpandDims", {factor, minus_one});
  return {ctx.Call("Mul", {ctx.Call("ExpandDims", {column, minus_one}), inverse})};
}
REGISTER_GRADIENT("MatrixDeterminant", MatrixDeterminantGrad);

// ---- Diagonals ------------------------------------------------------------------------

std::vector<Value> DiagGrad(const GradientContext& ctx) {
  return {ctx.Call("DiagPart", {ctx.dy[0]})};
}
REGISTER_GRADIENT("Diag", DiagGrad);

std::vector<Value> DiagPartGrad(const GradientContext& ctx) {
  return {ctx.Call("Diag", {ctx.dy[0]})};
}
REGISTER_GRADIENT("DiagPart", DiagPartGrad);

std::vector<Value> MatrixDiagGrad(const GradientContext& ctx) {
  return {ctx.Call("MatrixDiagPart", {ctx.dy[0]})};
}
REGISTER_GRADIENT("MatrixDiag", MatrixDiagGrad);

std::vector<Value> MatrixDiagPartGrad(const GradientContext& ctx) {
  const Value zeros = ctx.Call("ZerosLike", {ctx.inputs[0]});
  return {ctx.Call("MatrixSetDiag", {zeros, ctx.dy[0]})};
}
REGISTER_GRADIENT("MatrixDiagPart", MatrixDiagPartGrad);

std::vector<Value> MatrixSetDiagGrad(const GradientContext& ctx) {
  const Value zeros = ctx.Call("ZerosLike", {ctx.inputs[1]});
  return {ctx.Call("MatrixSetDiag", {ctx.dy[0], zeros}),
          ctx.Call("MatrixDiagPart", {ctx.dy[0]})};
}
REGISTER_GRADIENT("MatrixSetDiag", MatrixSetDiagGrad);

std::vector<Value> MatrixBandPartGrad(const GradientContext& ctx) {
  const Value band =
      ctx.Call("MatrixBandPart", {ctx.dy[0], ctx.inputs[1], ctx.inputs[2]});
  return {band, Value::None(), Value::None()};
}
REGISTER_GRADIENT("MatrixBandPart", MatrixBandPartGrad);

}  // namespace
}  // namespace minitf
