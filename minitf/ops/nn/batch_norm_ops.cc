// Definitions of batch normalization and its gradient, three versions of each.
//
// The versions compute the same. In the first all numbers have one type; since the second
// those of the channels are float32 where x may have 16 bits; the third has an output
// more, reserve_space_3, in which TensorFlow's kernels for cards hand on what cuDNN has
// found out. Here it is 0.
//
// reserve_space_1 and 2 are the mean and the variance that x was normalized by, for the
// gradient; the variance over n elements, where batch_variance is over n - 1.
//
// Compare    tensorflow/core/ops/nn_ops.cc
// Read next  kernels/cpu/nn/batch_norm.cc

#include <string>
#include <string_view>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/batch_norm_shapes.h"

namespace minitf {
namespace {

BatchNormInputs FirstInputs(const InferenceContext& ctx) {
  BatchNormInputs inputs;
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = ctx.input(static_cast<int>(i));
  return inputs;
}

void BatchNormShape(InferenceContext* ctx) {
  const auto attrs = BatchNormAttrs::Of(ctx->attrs());
  const PartialShape images = BatchNormImages(attrs, FirstInputs(*ctx));
  ctx->set_output(0, images);
  for (int i = 1; i < 5; ++i) {
    ctx->set_output(i, BatchNormVector(images, attrs.format));
  }
}

void BatchNormV3Shape(InferenceContext* ctx) {
  BatchNormShape(ctx);
  ctx->set_output(5, Shape{});
}

void BatchNormGradShape(InferenceContext* ctx) {
  const auto attrs = BatchNormAttrs::Of(ctx->attrs());
  const PartialShape images = BatchNormGradImages(attrs, FirstInputs(*ctx));
  ctx->set_output(0, images);
  for (int i = 1; i < 3; ++i) {
    ctx->set_output(i, BatchNormVector(images, attrs.format));
  }
  // Gradients of a mean and a variance that nobody needs.
  for (int i = 3; i < 5; ++i) ctx->set_output(i, Shape{0});
}

// The attributes of types, and epsilon. Of the first version, U is T.
OpDefBuilder& AddTypes(OpDefBuilder& builder, bool is_first) {
  if (is_first) {
    builder.Attr("T: {float}");
  } else {
    builder.Attr("T: {half, bfloat16, float}").Attr("U: {float}");
  }
  return builder.Attr("epsilon: float = 0.0001");
}

OpDefBuilder BatchNormOp(std::string_view name, int version) {
  const std::string of_channels = version == 1 ? ": T" : ": U";
  OpDefBuilder builder(name);
  builder.Input("x: T").Output("y: T");
  for (const char* input : {"scale", "offset", "mean", "variance"}) {
    builder.Input(input + of_channels);
  }
  for (const char* output :
       {"batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}) {
    builder.Output(output + of_channels);
  }
  if (version == 3) builder.Output("reserve_space_3: U");
  return AddTypes(builder, version == 1)
      .Attr("exponential_avg_factor: float = 1.0")
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
      .Attr("is_training: bool = true")
      .SetHasFreshOutputs()
      .SetShapeFn(version == 3 ? BatchNormV3Shape : BatchNormShape)
      .Doc(
          "scale * (x - m) / sqrt(v + epsilon) + offset for images x [N,H,W,C] or "
          "[N,C,H,W] and vectors [C] (Ioffe and Szegedy 2015). m and v are mean and "
          "variance; in training those of x, of which exponential_avg_factor goes into "
          "batch_mean and batch_variance.");
}

OpDefBuilder BatchNormGradOp(std::string_view name, int version) {
  const std::string of_channels = version == 1 ? ": T" : ": U";
  OpDefBuilder builder(name);
  builder.Input("y_backprop: T").Input("x: T").Output("x_backprop: T");
  builder.Input(version == 1 ? "scale: T" : "scale: float");
  for (const char* input : {"reserve_space_1", "reserve_space_2"}) {
    builder.Input(input + of_channels);
  }
  if (version == 3) builder.Input("reserve_space_3: U");
  for (const char* output : {"scale_backprop", "offset_backprop"}) {
    builder.Output(output + of_channels);
  }
  for (const int i : {3, 4}) {
    builder.Output(StrCat("reserve_space_", version == 3 ? i + 1 : i, of_channels));
  }
  return AddTypes(builder, version == 1)
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
      .Attr("is_training: bool = true")
      .SetHasFreshOutputs()
      .SetShapeFn(BatchNormGradShape)
      .Doc(
          "The gradients of FusedBatchNorm's x, scale and offset. reserve_space_1 and 2 "
          "are the mean and the variance that x was normalized by; in training they "
          "depend on x.");
}

const OpRegistrar kBatchNormOps[] = {
    BatchNormOp("FusedBatchNorm", 1),
    BatchNormOp("FusedBatchNormV2", 2),
    BatchNormOp("FusedBatchNormV3", 3),
    BatchNormGradOp("FusedBatchNormGrad", 1),
    BatchNormGradOp("FusedBatchNormGradV2", 2),
    BatchNormGradOp("FusedBatchNormGradV3", 3),
};

}  // namespace
}  // namespace minitf
