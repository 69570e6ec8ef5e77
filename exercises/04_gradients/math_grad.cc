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

#include "minitf/base/lab.h"
#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"
#include "minitf/gradients/unbroadcast.h"
#include "minitf/tensor/shape.h"

namespace minitf {

Value SumTo(const GradientContext& ctx, Value gradient, const Shape& from,
            const Shape& to) {
  // TODO(04.1) begin: return gradient [from] summed to [to]
  MINITF_TODO("04.1");
  // TODO(04.1) end
}

namespace {

// ---- One input, element by element ----------------------------------------------------

// z = sin x
std::vector<Value> SinGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value dz = ctx.dy[0];
  // TODO(04.2) begin: return {dL/dx} for z = sin x
  MINITF_TODO("04.2");
  // TODO(04.2) end
}
REGISTER_GRADIENT("Sin", SinGrad);

// z = exp x
std::vector<Value> ExpGrad(const GradientContext& ctx) {
  const Value z = Conjugate(ctx, ctx.outputs[0]);
  const Value dz = ctx.dy[0];
  // TODO(04.2) begin: return {dL/dx} for z = exp x; z itself saves an exponential
  MINITF_TODO("04.2");
  // TODO(04.2) end
}
REGISTER_GRADIENT("Exp", ExpGrad);

// z = log x
std::vector<Value> LogGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value dz = ctx.dy[0];
  // TODO(04.2) begin: return {dL/dx} for z = log x
  MINITF_TODO("04.2");
  // TODO(04.2) end
}
REGISTER_GRADIENT("Log", LogGrad);

// ---- Two inputs that broadcast --------------------------------------------------------

// z = x y
std::vector<Value> MulGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value y = Conjugate(ctx, ctx.inputs[1]);
  const Value dz = ctx.dy[0];
  // TODO(04.3) begin: return {dL/dx, dL/dy} for z = x y, in the shapes of x and y
  MINITF_TODO("04.3");
  // TODO(04.3) end
}
REGISTER_GRADIENT("Mul", MulGrad);

// z = x / y
std::vector<Value> DivGrad(const GradientContext& ctx) {
  const Value x = Conjugate(ctx, ctx.inputs[0]);
  const Value y = Conjugate(ctx, ctx.inputs[1]);
  const Value dz = ctx.dy[0];
  // TODO(04.3) begin: return {dL/dx, dL/dy} for z = x / y, in the shapes of x and y
  MINITF_TODO("04.3");
  // TODO(04.3) end
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

  // TODO(04.4) begin: return {dL/da, dL/db}, in all four cases of the two transposes
  MINITF_TODO("04.4");
  // TODO(04.4) end
}
REGISTER_GRADIENT("MatMul", MatMulGrad);

// ---- Reductions -----------------------------------------------------------------------

// z = the sum of x along some axes; the axes, input 1, have no gradient
std::vector<Value> SumGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value dz = ctx.dy[0];
  // TODO(04.5) begin: return {dL/dx, none}: each x gets the dL/dz that it went into
  MINITF_TODO("04.5");
  // TODO(04.5) end
}
REGISTER_GRADIENT("Sum", SumGrad);

// z = the mean of x along some axes
std::vector<Value> MeanGrad(const GradientContext& ctx) {
  // TODO(04.5) begin: return {dL/dx, none}; NumReducedPerOutput(ctx) counts
  MINITF_TODO("04.5");
  // TODO(04.5) end
}
REGISTER_GRADIENT("Mean", MeanGrad);

// ---- Moving and choosing --------------------------------------------------------------

// z = x in another shape; the shape, input 1, has no gradient
std::vector<Value> ReshapeGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value dz = ctx.dy[0];
  // TODO(04.6) begin: return {dL/dx, none}
  MINITF_TODO("04.6");
  // TODO(04.6) end
}
REGISTER_GRADIENT("Reshape", ReshapeGrad);

// z = t where condition is true, e elsewhere
std::vector<Value> SelectGrad(const GradientContext& ctx) {
  const Value condition = ctx.inputs[0];
  const Value dz = ctx.dy[0];
  // TODO(04.6) begin: return {none, dL/dt, dL/de}
  MINITF_TODO("04.6");
  // TODO(04.6) end
}
REGISTER_GRADIENT("Select", SelectGrad);

// z = value, plus a bias for each channel
std::vector<Value> BiasAddGrad(const GradientContext& ctx) {
  const Value dz = ctx.dy[0];
  const auto data_format = ctx.attr<std::string>("data_format");
  // TODO(04.6) begin: return {dL/dvalue, dL/dbias}; there is an op BiasAddGrad
  MINITF_TODO("04.6");
  // TODO(04.6) end
}
REGISTER_GRADIENT("BiasAdd", BiasAddGrad);

}  // namespace
}  // namespace minitf
