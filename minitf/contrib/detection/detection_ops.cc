// Ops on boxes in images: crops, non-maximum suppression, drawing.
//
// A box is [y1, x1, y2, x2].
//
// Kernels    minitf/contrib/detection/crop_and_resize.cc, non_max_suppression.cc,
//            draw_bounding_boxes.cc
// Gradients  minitf/contrib/detection/detection_grad.cc
// Compare    tensorflow/core/ops/image_ops.cc
// Read next  minitf/contrib/detection/crop_and_resize.cc

#include <string>
#include <string_view>
#include <vector>

#include "minitf/contrib/families.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

const FamilyRegistrar kDetectionFamily("detection");

// ---- Crops ----------------------------------------------------------------------------

constexpr char kPixels[] =
    "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}";

// Input `boxes` is [n, 4], and input `box_ind` is [n]. Returns n, or kUnknown.
int64_t NumBoxes(InferenceContext* ctx, int boxes, int box_ind) {
  const PartialShape& of_boxes = ctx->WithRank(boxes, 2, "boxes");
  const PartialShape& of_index = ctx->WithRank(box_ind, 1, "box_ind");
  const PartialShape expected{of_index.has_rank() ? of_index.dim(0) : kUnknown, 4};
  Require(of_boxes.IsCompatibleWith(expected), "boxes must have shape ", expected,
          " for box_ind of shape ", of_index, ", got ", of_boxes);
  return of_boxes.MergedWith(expected).dim(0);
}

// The sizes that input i lists; unknown if they are not known.
PartialShape ListedSizes(InferenceContext* ctx, int i, int count, std::string_view name) {
  const PartialShape& shape = ctx->WithRank(i, 1, name);
  Require(!shape.has_rank() || shape.dim(0) == kUnknown || shape.dim(0) == count, name,
          " must have ", count, " elements, has ", shape);
  const PartialShape sizes = ctx->InputAsShape(i);
  return sizes.has_rank() ? sizes : PartialShape::OfRank(count);
}

REGISTER_OP("CropAndResize")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("crop_size: int32")
    .Output("crops: float")
    .Attr(kPixels)
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Attr("extrapolation_value: float = 0")
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape& image = ctx->WithRank(0, 4, "image");
      const int64_t count = NumBoxes(ctx, 1, 2);
      const PartialShape size = ListedSizes(ctx, 3, 2, "crop_size");
      ctx->set_output(0, {count, size.dim(0), size.dim(1),
                          image.has_rank() ? image.dim(3) : kUnknown});
    })
    .Doc(
        "Crops [n,h,w,C] of the images [N,H,W,C]: what lies in each box, resized to "
        "`crop_size`. Box i is part of image box_ind[i], in units of the image's size.");

REGISTER_OP("CropAndResizeGradImage")
    .Input("grads: float")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("image_size: int32")
    .Output("output: T")
    .Attr("T: {float, half, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 4, "grads");
      NumBoxes(ctx, 1, 2);
      ctx->set_output(0, ListedSizes(ctx, 3, 4, "image_size"));
    })
    .Doc("The gradient of CropAndResize for its images.");

REGISTER_OP("CropAndResizeGradBoxes")
    .Input("grads: float")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Output("output: float")
    .Attr(kPixels)
    .Attr("method: {'bilinear'} = 'bilinear'")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 4, "grads");
      ctx->WithRank(1, 4, "image");
      ctx->set_output(0, {NumBoxes(ctx, 2, 3), 4});
    })
    .Doc("The gradient of CropAndResize for its boxes.");

// ---- Non-maximum suppression ----------------------------------------------------------

// Boxes [n, 4] or overlaps [n, n], scores [n], and scalars from input 2 on.
void CheckCandidates(InferenceContext* ctx, bool are_overlaps) {
  const char* name = are_overlaps ? "overlaps" : "boxes";
  const PartialShape& boxes = ctx->WithRank(0, 2, name);
  const PartialShape& scores = ctx->WithRank(1, 1, "scores");
  const int64_t count = scores.has_rank() ? scores.dim(0) : kUnknown;
  const PartialShape expected{count, are_overlaps ? count : 4};
  Require(boxes.IsCompatibleWith(expected), name, " must have shape ", expected,
          " for scores of shape ", scores, ", got ", boxes);
  for (int i = 2; i < ctx->num_inputs(); ++i) ctx->WithRank(i, 0, "each limit");
}

void SelectedShape(InferenceContext* ctx) {
  CheckCandidates(ctx, false);
  ctx->set_output(0, {kUnknown});
}

// The number of outputs is known if they are padded to `max_output_size`.
PartialShape PaddedShape(InferenceContext* ctx) {
  CheckCandidates(ctx, false);
  const auto size = KnownIntegers(ctx, 2);
  if (!ctx->attr<bool>("pad_to_max_output_size") || !size) return {kUnknown};
  Require((*size)[0] >= 0, "max_output_size must not be negative, is ", (*size)[0]);
  return {(*size)[0]};
}

OpDefBuilder OfBoxes(const std::string& name, const std::string& type) {
  OpDefBuilder builder(name);
  builder.Input("boxes: " + type)
      .Input("scores: " + type)
      .Input("max_output_size: int32");
  return builder;
}

constexpr char kBoxType[] = "T: {half, float} = float";
constexpr char kThresholdType[] = "T_threshold: {half, float} = float";
constexpr char kSelectDoc[] =
    "The numbers of boxes, highest scores first, that overlap no box chosen before by "
    "more than a threshold.";

const OpRegistrar kSuppressionOps[] = {
    OfBoxes("NonMaxSuppression", "float")
        .Output("selected_indices: int32")
        .Attr("iou_threshold: float = 0.5")
        .SetShapeFn(SelectedShape)
        .Doc(kSelectDoc),
    OfBoxes("NonMaxSuppressionV2", "T")
        .Input("iou_threshold: T_threshold")
        .Output("selected_indices: int32")
        .Attr(kBoxType)
        .Attr(kThresholdType)
        .SetShapeFn(SelectedShape)
        .Doc(kSelectDoc),
    OfBoxes("NonMaxSuppressionV3", "T")
        .Input("iou_threshold: T_threshold")
        .Input("score_threshold: T_threshold")
        .Output("selected_indices: int32")
        .Attr(kBoxType)
        .Attr(kThresholdType)
        .SetShapeFn(SelectedShape)
        .Doc(kSelectDoc),
    OfBoxes("NonMaxSuppressionV4", "T")
        .Input("iou_threshold: T_threshold")
        .Input("score_threshold: T_threshold")
        .Output("selected_indices: int32")
        .Output("valid_outputs: int32")
        .Attr(kBoxType)
        .Attr(kThresholdType)
        .Attr("pad_to_max_output_size: bool = false")
        .SetShapeFn([](InferenceContext* ctx) {
          ctx->set_output(0, PaddedShape(ctx));
          ctx->set_output(1, Shape{});
        })
        .Doc("As NonMaxSuppressionV3, with the number of boxes; perhaps padded by 0."),
    OfBoxes("NonMaxSuppressionV5", "T")
        .Input("iou_threshold: T")
        .Input("score_threshold: T")
        .Input("soft_nms_sigma: T")
        .Output("selected_indices: int32")
        .Output("selected_scores: T")
        .Output("valid_outputs: int32")
        .Attr(kBoxType)
        .Attr("pad_to_max_output_size: bool = false")
        .SetShapeFn([](InferenceContext* ctx) {
          ctx->set_output(0, PaddedShape(ctx));
          ctx->set_output(1, PaddedShape(ctx));
          ctx->set_output(2, Shape{});
        })
        .Doc("As NonMaxSuppressionV4, with the scores. A positive `soft_nms_sigma` "
             "lowers the scores of boxes that overlap, and drops no box at once."),
};

REGISTER_OP("NonMaxSuppressionWithOverlaps")
    .Input("overlaps: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Input("overlap_threshold: float")
    .Input("score_threshold: float")
    .Output("selected_indices: int32")
    .SetShapeFn([](InferenceContext* ctx) {
      CheckCandidates(ctx, true);
      ctx->set_output(0, {kUnknown});
    })
    .Doc("As NonMaxSuppressionV3, where overlaps[i,j] says how much two boxes overlap.");

// ---- Drawing --------------------------------------------------------------------------

void DrawShape(InferenceContext* ctx) {
  const PartialShape& images = ctx->WithRank(0, 4, "images");
  const PartialShape& boxes = ctx->WithRank(1, 3, "boxes");
  const PartialShape expected{images.has_rank() ? images.dim(0) : kUnknown, kUnknown, 4};
  Require(boxes.IsCompatibleWith(expected), "boxes must have shape ", expected,
          " for images of shape ", images, ", got ", boxes);
  const int64_t depth = images.has_rank() ? images.dim(3) : kUnknown;
  Require(depth == kUnknown || depth == 1 || depth == 3 || depth == 4,
          "images must have 1, 3 or 4 channels, have ", depth);
  ctx->set_output(0, images);
}

REGISTER_OP("DrawBoundingBoxes")
    .Input("images: T")
    .Input("boxes: float")
    .Output("output: T")
    .Attr("T: {float, half} = float")
    .SetShapeFn(DrawShape)
    .Doc(
        "The images [N,H,W,C] with the outlines of boxes [N,n,4], in colors of a fixed "
        "list.");

REGISTER_OP("DrawBoundingBoxesV2")
    .Input("images: T")
    .Input("boxes: float")
    .Input("colors: float")
    .Output("output: T")
    .Attr("T: {float, half} = float")
    .SetShapeFn([](InferenceContext* ctx) {
      DrawShape(ctx);
      ctx->WithRank(2, 2, "colors");
    })
    .Doc("As DrawBoundingBoxes, in colors [m,C] that take turns.");

}  // namespace
}  // namespace minitf
