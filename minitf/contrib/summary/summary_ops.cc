// Ops that make summaries: a string tensor that holds a Summary message.
//
// Kernels    minitf/contrib/summary/summary_kernels.cc, summary_media.cc
// Compare    tensorflow/core/ops/logging_ops.cc
// Read next  minitf/contrib/summary/summary_builder.h

#include "minitf/contrib/families.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

const FamilyRegistrar kSummaryFamily("summary");

void ScalarTagAndMedia(InferenceContext* ctx, int least_rank, int most_rank) {
  ctx->WithRank(0, 0, "tag");
  const PartialShape& x = ctx->input(1);
  Require(!x.has_rank() || (least_rank <= x.rank() && x.rank() <= most_rank),
          "tensor must have rank ", least_rank, " to ", most_rank, ", its shape is ", x);
  ScalarShape(ctx);
}

REGISTER_OP("ScalarSummary")
    .Input("tags: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
        "uint32, uint64}")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A Summary with one number for each element of `values`, under the tag in the "
        "same place of `tags`, which has the same shape.");
REGISTER_GRADIENT("ScalarSummary", kNotDifferentiable);

REGISTER_OP("HistogramSummary")
    .Input("tag: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
        "uint32, uint64} = float")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 0, "tag");
      ScalarShape(ctx);
    })
    .Doc(
        "A Summary with the histogram of `values`, which has any shape. Fails if one is "
        "not finite.");
REGISTER_GRADIENT("HistogramSummary", kNotDifferentiable);

REGISTER_OP("ImageSummary")
    .Input("tag: string")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, float, half, double} = float")
    .Attr("bad_color: tensor = uint8 [255, 0, 0, 255]")
    .SetShapeFn([](InferenceContext* ctx) { ScalarTagAndMedia(ctx, 4, 4); })
    .Doc(
        "A Summary with the first images of `tensor` [batch,height,width,channels] as "
        "PNG files; channels are 1, 3 or 4. Numbers that are not uint8 are scaled, image "
        "by image, to fill the range; pixels that are not finite get `bad_color`, a "
        "uint8 [channels] or longer.");
REGISTER_GRADIENT("ImageSummary", kNotDifferentiable);

REGISTER_OP("AudioSummaryV2")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Output("summary: string")
    .Attr("max_outputs: int >= 1 = 3")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(2, 0, "sample_rate");
      ScalarTagAndMedia(ctx, 2, 3);
    })
    .Doc(
        "A Summary with the first sounds of `tensor` [batch,frames,channels] or "
        "[batch,frames], numbers from -1 to 1, as WAV files.");
REGISTER_GRADIENT("AudioSummaryV2", kNotDifferentiable);

REGISTER_OP("TensorSummaryV2")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("serialized_summary_metadata: string")
    .Output("summary: string")
    .Attr("T: type")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 0, "tag");
      ctx->WithRank(2, 0, "serialized_summary_metadata");
      ScalarShape(ctx);
    })
    .Doc(
        "A Summary that holds `tensor` itself, of any shape, with a SummaryMetadata "
        "message that says what plugin of TensorBoard it is for.");
REGISTER_GRADIENT("TensorSummaryV2", kNotDifferentiable);

REGISTER_OP("MergeSummary")
    .Input("inputs: N * string")
    .Output("summary: string")
    .Attr("N: int >= 1")
    .SetShapeFn(ScalarShape)
    .Doc(
        "One Summary with the values of all `inputs`, which have any shape. Fails if a "
        "tag comes twice.");
REGISTER_GRADIENT("MergeSummary", kNotDifferentiable);

}  // namespace
}  // namespace minitf
