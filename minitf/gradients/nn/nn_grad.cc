// Gradients of convolutions, poolings and BiasAddGrad.
//
// A convolution is linear in its images and linear in its filters. So its two gradients,
// and the gradients of those, are the same three ops over and over, each a sum over two
// of the three tensors x, w and y:
//
//   y  = Conv2D(x, w)
//   dx = Conv2DBackpropInput(w, dy)
//   dw = Conv2DBackpropFilter(x, dy)
//
// Ops        minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/python/ops/nn_grad.py, tensorflow/cc/gradients/nn_grad.cc
// Read next  minitf/gradients/nn/activation_grad.cc

#include <initializer_list>
#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

// Those of the attributes `names` that the node has, for its gradient ops, and which of
// several kernels is wanted.
Attrs SharedAttrs(const GradientContext& ctx,
                  std::initializer_list<std::string_view> names) {
  Attrs result;
  const auto share = [&](std::string_view name) {
    if (const AttrValue* value = ctx.attrs.Find(name)) result.Set(name, *value);
  };
  for (const std::string_view name : names) share(name);
  share("_kernel");
  return result;
}

// ---- Convolution ----------------------------------------------------------------------
// What holds of Conv2D holds of DepthwiseConv2dNative too, which has no attributes for
// explicit paddings and cuDNN.

Attrs ConvolutionAttrsOf(const GradientContext& ctx) {
  return SharedAttrs(ctx, {"strides", "use_cudnn_on_gpu", "padding", "explicit_paddings",
                           "data_format", "dilations"});
}

// "Conv2D" of Conv2DBackpropInput.
std::string ConvolutionOf(const GradientContext& ctx) {
  return ctx.op.name.substr(0, ctx.op.name.find("Backprop"));
}

std::vector<Value> ConvolutionGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value w = ctx.inputs[1];
  const Value dy = ctx.dy[0];
  const Attrs attrs = ConvolutionAttrsOf(ctx);
  // LAB(10.12) begin: return {dL/dx, dL/dw}
  return {ctx.Call(ctx.op.name + "BackpropInput", {ShapeOf(ctx, x), w, dy}, attrs),
          ctx.Call(ctx.op.name + "BackpropFilter", {x, ShapeOf(ctx, w), dy}, attrs)};
  // LAB(10.12) end
}
REGISTER_GRADIENT("Conv2D", ConvolutionGrad);
REGISTER_GRADIENT("DepthwiseConv2dNative", ConvolutionGrad);

// The node is dx = Conv2DBackpropInput(sizes of x, w, dy); `ddx` is dL/d(dx).
std::vector<Value> BackpropInputGrad(const GradientContext& ctx) {
  const std::string op = ConvolutionOf(ctx);
  const Value w = ctx.inputs[1];
  const Value dy = ctx.inputs[2];
  const Value ddx = ctx.dy[0];
  const Attrs attrs = ConvolutionAttrsOf(ctx);
  // LAB(10.12) begin: return the gradients of the three inputs
  return {Value::None(),
          ctx.Call(op + "BackpropFilter", {ddx, ShapeOf(ctx, w), dy}, attrs),
          ctx.Call(op, {ddx, w}, attrs)};
  // LAB(10.12) end
}
REGISTER_GRADIENT("Conv2DBackpropInput", BackpropInputGrad);
REGISTER_GRADIENT("DepthwiseConv2dNativeBackpropInput", BackpropInputGrad);

// The node is dw = Conv2DBackpropFilter(x, sizes of w, dy); `ddw` is dL/d(dw).
std::vector<Value> BackpropFilterGrad(const GradientContext& ctx) {
  const std::string op = ConvolutionOf(ctx);
  const Value x = ctx.inputs[0];
  const Value dy = ctx.inputs[2];
  const Value ddw = ctx.dy[0];
  const Attrs attrs = ConvolutionAttrsOf(ctx);
  // LAB(10.12) begin: return the gradients of the three inputs
  return {ctx.Call(op + "BackpropInput", {ShapeOf(ctx, x), ddw, dy}, attrs),
          Value::None(), ctx.Call(op, {x, ddw}, attrs)};
  // LAB(10.12) end
}
REGISTER_GRADIENT("Conv2DBackpropFilter", BackpropFilterGrad);
REGISTER_GRADIENT("DepthwiseConv2dNativeBackpropFilter", BackpropFilterGrad);

// ---- Patches --------------------------------------------------------------------------

// The number of channels of images [N,H,W,C].
Value ChannelsOf(const GradientContext& ctx, Value images) {
  return ctx.Call("StridedSlice",
                  {ShapeOf(ctx, images), Ints(ctx, {3}), Ints(ctx, {4}), Ints(ctx, {1})},
                  {{"shrink_axis_mask", int64_t{1}}});
}

// Filters [R,S,C,R*S*C] of which each picks one number of the patch.
Value PickingFilters(const GradientContext& ctx, int64_t r, int64_t s) {
  const auto number = [&ctx](int64_t value) {
    return ctx.emitter.Constant(Tensor::Scalar(static_cast<int32_t>(value)));
  };
  const Value channels = ChannelsOf(ctx, ctx.inputs[0]);
  const Value size = ctx.Call("Mul", {number(r * s), channels});
  const Value ones =
      ctx.Call("Fill", {ctx.Call("Pack", {size}), NumberLike(ctx, ctx.inputs[0], 1)});
  const Value shape = ctx.Call("Pack", {number(r), number(s), channels, size});
  return ctx.Call("Reshape", {ctx.Call("MatrixDiag", {ones}), shape});
}

// Taking patches is a convolution with filters that pick, so its gradient is that of a
// convolution's input.
std::vector<Value> ExtractImagePatchesGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const auto& window = ctx.attr<std::vector<int64_t>>("ksizes");
  Attrs attrs = SharedAttrs(ctx, {"strides", "padding"});
  attrs.Set("dilations", *ctx.attrs.Find("rates"));
  const Value filters = PickingFilters(ctx, window[1], window[2]);
  return {ctx.Call("Conv2DBackpropInput", {ShapeOf(ctx, x), filters, ctx.dy[0]}, attrs)};
}
REGISTER_GRADIENT("ExtractImagePatches", ExtractImagePatchesGrad);

// ---- Pooling --------------------------------------------------------------------------

Attrs PoolAttrsOf(const GradientContext& ctx) {
  return SharedAttrs(ctx, {"ksize", "strides", "padding", "data_format"});
}

std::vector<Value> MaxPoolGrad(const GradientContext& ctx) {
  // LAB(10.13) begin: return {dL/dx}; there is an op MaxPoolGrad
  return {ctx.Call("MaxPoolGrad", {ctx.inputs[0], ctx.outputs[0], ctx.dy[0]},
                   PoolAttrsOf(ctx))};
  // LAB(10.13) end
}
REGISTER_GRADIENT("MaxPool", MaxPoolGrad);

// The gradient of MaxPoolGrad, and that of MaxPoolGradGrad.
std::vector<Value> MaxPoolGradGrad(const GradientContext& ctx) {
  // LAB(10.13) begin: return the gradients of the three inputs, for either op
  // Both are linear in their last input, and each is the other's adjoint. Where the
  // maxima stand does not depend smoothly on the first two: zeros.
  const char* adjoint = ctx.op.name == "MaxPoolGrad" ? "MaxPoolGradGrad" : "MaxPoolGrad";
  return {ctx.Call("ZerosLike", {ctx.inputs[0]}), ctx.Call("ZerosLike", {ctx.inputs[1]}),
          ctx.Call(adjoint, {ctx.inputs[0], ctx.inputs[1], ctx.dy[0]}, PoolAttrsOf(ctx))};
  // LAB(10.13) end
}
REGISTER_GRADIENT("MaxPoolGrad", MaxPoolGradGrad);
REGISTER_GRADIENT("MaxPoolGradGrad", MaxPoolGradGrad);

std::vector<Value> MaxPoolWithArgmaxGrad(const GradientContext& ctx) {
  // LAB(10.13) begin: return {dL/dx}; none if only the places, output 1, are used
  if (ctx.dy[0].is_none()) return {Value::None()};
  return {ctx.Call("MaxPoolGrad", {ctx.inputs[0], ctx.outputs[0], ctx.dy[0]},
                   SharedAttrs(ctx, {"ksize", "strides", "padding"}))};
  // LAB(10.13) end
}
REGISTER_GRADIENT("MaxPoolWithArgmax", MaxPoolWithArgmaxGrad);

std::vector<Value> AvgPoolGrad(const GradientContext& ctx) {
  // LAB(10.13) begin: return {dL/dx}; there is an op AvgPoolGrad
  return {ctx.Call("AvgPoolGrad", {ShapeOf(ctx, ctx.inputs[0]), ctx.dy[0]},
                   PoolAttrsOf(ctx))};
  // LAB(10.13) end
}
REGISTER_GRADIENT("AvgPool", AvgPoolGrad);

std::vector<Value> AvgPoolGradGrad(const GradientContext& ctx) {
  // LAB(10.13) begin: return the gradients of the two inputs, sizes and dy
  return {Value::None(), ctx.Call("AvgPool", {ctx.dy[0]}, PoolAttrsOf(ctx))};
  // LAB(10.13) end
}
REGISTER_GRADIENT("AvgPoolGrad", AvgPoolGradGrad);

// ---- Bias -----------------------------------------------------------------------------

// BiasAddGrad sums over all places.
std::vector<Value> BiasAddGradGrad(const GradientContext& ctx) {
  // LAB(10.13) begin: return the gradient of its input: each place gets that of the sum
  const Value zeros = ctx.Call("ZerosLike", {ctx.inputs[0]});
  return {ctx.Call("BiasAdd", {zeros, ctx.dy[0]}, SharedAttrs(ctx, {"data_format"}))};
  // LAB(10.13) end
}
REGISTER_GRADIENT("BiasAddGrad", BiasAddGradGrad);

// ---- Local response normalisation -----------------------------------------------------

// There is no second derivative: LRNGrad has no gradient function.
std::vector<Value> LrnGrad(const GradientContext& ctx) {
  return {ctx.Call("LRNGrad", {ctx.dy[0], ctx.inputs[0], ctx.outputs[0]},
                   SharedAttrs(ctx, {"depth_radius", "bias", "alpha", "beta"}))};
}
REGISTER_GRADIENT("LRN", LrnGrad);

}  // namespace
}  // namespace minitf
