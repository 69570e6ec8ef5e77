// Gradients of scaling images, which is a weighted sum: the same sum from the other side.
//
// Op         minitf/contrib/image/image_ops.cc
// Compare    tensorflow/python/ops/image_grad.py
// Read next  minitf/contrib/image/image_scale.h

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

std::vector<Value> ScaledGrad(const GradientContext& ctx, const std::string& op) {
  const Attrs attrs = {{"align_corners", ctx.attr<bool>("align_corners")},
                       {"half_pixel_centers", ctx.attr<bool>("half_pixel_centers")}};
  return {ctx.Call(op, {ctx.dy[0], ctx.inputs[0]}, attrs), Value::None()};
}

std::vector<Value> ResizeBilinearGrad(const GradientContext& ctx) {
  return ScaledGrad(ctx, "ResizeBilinearGrad");
}
REGISTER_GRADIENT("ResizeBilinear", ResizeBilinearGrad);

// As in TensorFlow, images of 16 bit numbers have a gradient by ResizeBilinear only.
std::vector<Value> ResizeBicubicGrad(const GradientContext& ctx) {
  const DType dtype = ctx.attr<DType>("T");
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64)
    return {Value::None(), Value::None()};
  return ScaledGrad(ctx, "ResizeBicubicGrad");
}
REGISTER_GRADIENT("ResizeBicubic", ResizeBicubicGrad);

// The height and width of `images` [N,H,W,C].
Value SidesOf(const GradientContext& ctx, Value images) {
  const Value shape = ctx.Call("Shape", {images});
  const Value begin = ctx.emitter.Constant(Tensor::Of<int32_t>({1}, {1}));
  const Value size = ctx.emitter.Constant(Tensor::Of<int32_t>({1}, {2}));
  return ctx.Call("Slice", {shape, begin, size});
}

Attrs HowResized(const GradientContext& ctx) {
  return {{"align_corners", ctx.attr<bool>("align_corners")},
          {"half_pixel_centers", ctx.attr<bool>("half_pixel_centers")}};
}

// The gradient op wants to know how large the images were.
std::vector<Value> ResizeNearestNeighborGrad(const GradientContext& ctx) {
  return {ctx.Call("ResizeNearestNeighborGrad", {ctx.dy[0], SidesOf(ctx, ctx.inputs[0])},
                   HowResized(ctx)),
          Value::None()};
}
REGISTER_GRADIENT("ResizeNearestNeighbor", ResizeNearestNeighborGrad);

// Each of `grads` went to one pixel, and takes what comes from there.
std::vector<Value> ResizeNearestNeighborGradGrad(const GradientContext& ctx) {
  return {ctx.Call("ResizeNearestNeighbor", {ctx.dy[0], SidesOf(ctx, ctx.inputs[0])},
                   HowResized(ctx)),
          Value::None()};
}
REGISTER_GRADIENT("ResizeNearestNeighborGrad", ResizeNearestNeighborGradGrad);

const NotDifferentiable kImageWithoutGradient("DecodeBmp", "DecodeGif", "DecodeJpeg",
                                              "DecodePng", "EncodeJpeg", "EncodePng",
                                              "ExtractJpegShape", "HSVToRGB",
                                              "ResizeBilinearGrad");

}  // namespace
}  // namespace minitf
