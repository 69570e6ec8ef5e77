// Gradients of activations, softmax, losses and TopK.
//
// Most activations have an op of their own for the gradient, so that one pass over the
// numbers does it. Relu, Elu and Selu need their output only; the input can be forgotten,
// or overwritten, after the forward pass.
//
// Ops        minitf/ops/nn/activation_ops.cc
// Compare    tensorflow/python/ops/nn_grad.py
// Read next  minitf/gradients/add_gradients.h

#include <algorithm>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"
#include "minitf/gradients/unbroadcast.h"

namespace minitf {
namespace {

// ---- Short forms ----------------------------------------------------------------------

// The sum along the last axis, which stays with size 1.
Value SumOfRows(const GradientContext& ctx, Value x) {
  return ctx.Call("Sum", {x, Ints(ctx, {-1})}, {{"keep_dims", true}});
}

// x [N] as [N,1].
Value AsColumn(const GradientContext& ctx, Value x) {
  const Value last = ctx.emitter.Constant(Tensor::Scalar<int32_t>(-1));
  return ctx.Call("ExpandDims", {x, last});
}

// a + b, where either may be none.
Value AddValues(const GradientContext& ctx, Value a, Value b) {
  if (a.is_none()) return b;
  if (b.is_none()) return a;
  return ctx.Call("Add", {a, b});
}

// x where y < 0, else zeros.
Value WhereNegative(const GradientContext& ctx, Value y, Value x) {
  const Value is_negative = ctx.Call("Less", {y, ctx.Call("ZerosLike", {y})});
  return ctx.Call("Select", {is_negative, x, ctx.Call("ZerosLike", {x})});
}

// ---- Activations ----------------------------------------------------------------------
// In the gradient of a gradient op the inputs are (dy, x), the output is dx, and the
// gradient that comes in, dL/d(dx), is called ddx. Relu's slope is the same for almost
// all x: its change is 0, which is not the same as none.

// The gradient op of X is called XGrad, and computes dx of dy and y, or of dy and x.
std::vector<Value> GradOpOfY(const GradientContext& ctx) {
  return {ctx.Call(ctx.op.name + "Grad", {ctx.dy[0], ctx.outputs[0]})};
}
REGISTER_GRADIENT("Relu", GradOpOfY);
REGISTER_GRADIENT("Relu6", GradOpOfY);
REGISTER_GRADIENT("Elu", GradOpOfY);
REGISTER_GRADIENT("Selu", GradOpOfY);

std::vector<Value> GradOpOfX(const GradientContext& ctx) {
  return {ctx.Call(ctx.op.name + "Grad", {ctx.dy[0], ctx.inputs[0]})};
}
REGISTER_GRADIENT("Softplus", GradOpOfX);
REGISTER_GRADIENT("Softsign", GradOpOfX);

std::vector<Value> ReluGradGrad(const GradientContext& ctx) {
  return {ctx.Call(ctx.op.name, {ctx.dy[0], ctx.inputs[1]}),
          ctx.Call("ZerosLike", {ctx.inputs[1]})};
}
REGISTER_GRADIENT("ReluGrad", ReluGradGrad);
REGISTER_GRADIENT("Relu6Grad", ReluGradGrad);

std::vector<Value> LeakyReluGrad(const GradientContext& ctx) {
  const Attrs attrs = {{"alpha", ctx.attr<float>("alpha")}};
  return {ctx.Call("LeakyReluGrad", {ctx.dy[0], ctx.inputs[0]}, attrs)};
}
REGISTER_GRADIENT("LeakyRelu", LeakyReluGrad);

std::vector<Value> LeakyReluGradGrad(const GradientContext& ctx) {
  const Attrs attrs = {{"alpha", ctx.attr<float>("alpha")}};
  return {ctx.Call("LeakyReluGrad", {ctx.dy[0], ctx.inputs[1]}, attrs),
          ctx.Call("ZerosLike", {ctx.inputs[1]})};
}
REGISTER_GRADIENT("LeakyReluGrad", LeakyReluGradGrad);

// Elu:   dx = dy * (y + 1) where y < 0, else dy.
// Selu:  dx = dy * (y + scale * alpha) where y < 0, else dy * scale.
std::vector<Value> EluGradGrad(const GradientContext& ctx) {
  const Value dy = ctx.inputs[0];
  const Value y = ctx.inputs[1];
  const Value ddx = ctx.dy[0];
  return {ctx.Call(ctx.op.name, {ddx, y}), WhereNegative(ctx, y, Mul(ctx, ddx, dy))};
}
REGISTER_GRADIENT("EluGrad", EluGradGrad);
REGISTER_GRADIENT("SeluGrad", EluGradGrad);

// dx = dy * s for the sigmoid s = 1 / (1 + exp(-x)), and ds/dx = s * (1 - s).
std::vector<Value> SoftplusGradGrad(const GradientContext& ctx) {
  const Value dy = ctx.inputs[0];
  const Value x = ctx.inputs[1];
  const Value ddx = ctx.dy[0];
  const Value s = ctx.Call("Sigmoid", {x});
  const Value slope = Mul(ctx, s, ctx.Call("Sub", {NumberLike(ctx, x, 1), s}));
  return {ctx.Call("SoftplusGrad", {ddx, x}), Mul(ctx, Mul(ctx, ddx, dy), slope)};
}
REGISTER_GRADIENT("SoftplusGrad", SoftplusGradGrad);

// dx = dy / b^2 for b = 1 + |x|, so d(dx)/dx = -2 * dy * sign(x) / b^3.
std::vector<Value> SoftsignGradGrad(const GradientContext& ctx) {
  const Value dy = ctx.inputs[0];
  const Value x = ctx.inputs[1];
  const Value ddx = ctx.dy[0];
  const Value ddy = ctx.Call("SoftsignGrad", {ddx, x});
  const Value base = ctx.Call("Add", {ctx.Call("Abs", {x}), NumberLike(ctx, x, 1)});
  const Value slope =
      Mul(ctx, NumberLike(ctx, x, -2), ctx.Call("Div", {ctx.Call("Sign", {x}), base}));
  return {ddy, Mul(ctx, Mul(ctx, ddy, dy), slope)};
}
REGISTER_GRADIENT("SoftsignGrad", SoftsignGradGrad);

// ---- Softmax --------------------------------------------------------------------------

// dL/dx for y = softmax(x): the change of one x moves its own y up, and all y down in
// proportion, since they add up to 1.
Value ThroughSoftmax(const GradientContext& ctx, Value y, Value dy) {
  const Value common = SumOfRows(ctx, Mul(ctx, dy, y));
  return Mul(ctx, ctx.Call("Sub", {dy, common}), y);
}

std::vector<Value> SoftmaxGrad(const GradientContext& ctx) {
  return {ThroughSoftmax(ctx, ctx.outputs[0], ctx.dy[0])};
}
REGISTER_GRADIENT("Softmax", SoftmaxGrad);

std::vector<Value> LogSoftmaxGrad(const GradientContext& ctx) {
  const Value dy = ctx.dy[0];
  const Value softmax = ctx.Call("Exp", {ctx.outputs[0]});
  return {ctx.Call("Sub", {dy, Mul(ctx, SumOfRows(ctx, dy), softmax)})};
}
REGISTER_GRADIENT("LogSoftmax", LogSoftmaxGrad);

// ---- Losses ---------------------------------------------------------------------------

// `gradient` [N,C] for input `i`, which may have been stretched from [1,C], [N,1] or [C].
Value SumToInput(const GradientContext& ctx, Value gradient, int i) {
  if (gradient.is_none()) return gradient;
  const PartialShape own = ctx.emitter.shape(ctx.inputs[i]);
  const PartialShape other = ctx.emitter.shape(ctx.inputs[1 - i]);
  if (!own.has_rank() || !other.has_rank()) return SumToShapeOfInput(ctx, gradient, i);
  bool stretched = own.rank() < other.rank();
  for (int axis = 1; axis <= std::min(own.rank(), other.rank()); ++axis) {
    const bool may_be_one = own.dim(-axis) == 1 || own.dim(-axis) == kUnknown;
    stretched = stretched || (may_be_one && other.dim(-axis) != 1);
  }
  return stretched ? SumToShapeOfInput(ctx, gradient, i) : gradient;
}

// dL/d(logits) from the gradients of both outputs, loss [N] and backprop [N,C]. The op
// has made softmax - labels already, which is what the first needs; the second is there
// when this gradient is itself differentiated.
Value LogitsGrad(const GradientContext& ctx) {
  Value result = Value::None();
  if (!ctx.dy[0].is_none()) {
    result = Mul(ctx, AsColumn(ctx, ctx.dy[0]), ctx.outputs[1]);
  }
  if (ctx.dy[1].is_none()) return result;
  const Value softmax = ctx.Call("Softmax", {ctx.inputs[0]});
  return AddValues(ctx, result, ThroughSoftmax(ctx, softmax, ctx.dy[1]));
}

// The labels: loss = -sum(labels * log(softmax)), and backprop = softmax - labels.
Value LabelsGrad(const GradientContext& ctx) {
  Value result = Value::None();
  if (!ctx.dy[0].is_none()) {
    const Value cost = ctx.Call("Neg", {ctx.Call("LogSoftmax", {ctx.inputs[0]})});
    result = Mul(ctx, AsColumn(ctx, ctx.dy[0]), cost);
  }
  if (ctx.dy[1].is_none()) return result;
  return AddValues(ctx, result, ctx.Call("Neg", {ctx.dy[1]}));
}

std::vector<Value> SoftmaxCrossEntropyGrad(const GradientContext& ctx) {
  return {SumToInput(ctx, LogitsGrad(ctx), 0), SumToInput(ctx, LabelsGrad(ctx), 1)};
}
REGISTER_GRADIENT("SoftmaxCrossEntropyWithLogits", SoftmaxCrossEntropyGrad);

std::vector<Value> SparseSoftmaxCrossEntropyGrad(const GradientContext& ctx) {
  return {LogitsGrad(ctx), Value::None()};
}
REGISTER_GRADIENT("SparseSoftmaxCrossEntropyWithLogits", SparseSoftmaxCrossEntropyGrad);

std::vector<Value> L2LossGrad(const GradientContext& ctx) {
  return {Mul(ctx, ctx.inputs[0], ctx.dy[0])};
}
REGISTER_GRADIENT("L2Loss", L2LossGrad);

// ---- The largest of a row -------------------------------------------------------------

// The size of the last axis of x, a scalar.
Value LastSize(const GradientContext& ctx, Value x) {
  const PartialShape shape = ctx.emitter.shape(x);
  if (shape.has_rank() && shape.dim(-1) >= 0) {
    const auto size = static_cast<int32_t>(shape.dim(-1));
    return ctx.emitter.Constant(Tensor::Scalar(size));
  }
  return ctx.Call(
      "StridedSlice",
      {ctx.Call("Shape", {x}), Ints(ctx, {-1}), Ints(ctx, {0}), Ints(ctx, {1})},
      {{"end_mask", int64_t{1}}, {"shrink_axis_mask", int64_t{1}}});
}

// A number that was chosen passes its gradient back to where it stood: dy [...,k] times
// the one-hot vectors [...,k,C] of the places, summed over k.
std::vector<Value> TopKGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value dy = ctx.dy[0];
  if (dy.is_none()) return {Value::None(), Value::None()};
  const Value places = ctx.Call("OneHot", {ctx.outputs[1], LastSize(ctx, x),
                                           NumberLike(ctx, x, 1), NumberLike(ctx, x, 0)});
  const Value spread = Mul(ctx, places, AsColumn(ctx, dy));
  return {ctx.Call("Sum", {spread, Ints(ctx, {-2})}), Value::None()};
}
REGISTER_GRADIENT("TopKV2", TopKGrad);

REGISTER_GRADIENT("InTopK", kNotDifferentiable);
REGISTER_GRADIENT("InTopKV2", kNotDifferentiable);

}  // namespace
}  // namespace minitf
