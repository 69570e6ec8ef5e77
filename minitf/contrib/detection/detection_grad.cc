// Gradients of crops. The choice of boxes has none.
//
// Ops        minitf/contrib/detection/detection_ops.cc
// Compare    tensorflow/python/ops/image_grad.py
// Read next  minitf/contrib/detection/crop_and_resize.cc

#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

bool IsReal(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

std::vector<Value> CropAndResizeGrad(const GradientContext& ctx) {
  const Value image = ctx.inputs[0];
  const Value boxes = ctx.inputs[1];
  const Value box_ind = ctx.inputs[2];
  const DType dtype = ctx.emitter.dtype(image);
  Value of_image = Value::None();
  if (IsReal(dtype)) {
    of_image = ctx.Call("CropAndResizeGradImage",
                        {ctx.dy[0], boxes, box_ind, ShapeOf(ctx, image)},
                        {{"T", dtype}, {"method", ctx.attr<std::string>("method")}});
  }
  const Value of_boxes =
      ctx.Call("CropAndResizeGradBoxes", {ctx.dy[0], image, boxes, box_ind});
  return {of_image, of_boxes, Value::None(), Value::None()};
}
REGISTER_GRADIENT("CropAndResize", CropAndResizeGrad);

// The op is linear in `grads`: the transpose of CropAndResize without extrapolation.
std::vector<Value> CropAndResizeGradImageGrad(const GradientContext& ctx) {
  const Value grads = ctx.inputs[0];
  const Value boxes = ctx.inputs[1];
  const Value box_ind = ctx.inputs[2];
  const Value size =
      ctx.Call("Slice", {ShapeOf(ctx, grads), Ints(ctx, {1}), Ints(ctx, {2})});
  const Value of_grads = ctx.Call("CropAndResize", {ctx.dy[0], boxes, box_ind, size},
                                  {{"method", ctx.attr<std::string>("method")}});
  const Value of_boxes =
      ctx.Call("CropAndResizeGradBoxes", {grads, ctx.dy[0], boxes, box_ind});
  return {of_grads, of_boxes, Value::None(), Value::None()};
}
REGISTER_GRADIENT("CropAndResizeGradImage", CropAndResizeGradImageGrad);

const NotDifferentiable kBoxesWithoutGradient(
    "CropAndResizeGradBoxes", "DrawBoundingBoxes", "DrawBoundingBoxesV2",
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3",
    "NonMaxSuppressionV4", "NonMaxSuppressionV5", "NonMaxSuppressionWithOverlaps");

}  // namespace
}  // namespace minitf
