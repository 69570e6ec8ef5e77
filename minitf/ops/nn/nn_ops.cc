// Definitions of the ops that move a window over images, convolutions and poolings, with
// their gradient ops; and of BiasAdd, which follows a convolution.
//
// Letters such as [N,H,W,C] are those of minitf/framework/shapes/conv2d_geometry.h. With
// data_format 'NCHW' images and results are [N,C,H,W]; filters are [R,S,C,K] always.
//
// Compare    tensorflow/core/ops/nn_ops.cc
// Read next  minitf/ops/nn/activation_ops.cc

#include <string>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

constexpr auto kPoolTypes =
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8} = float";
constexpr auto kSecondPoolTypes =
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8}";
constexpr auto kStrides = "strides: list(int)";
constexpr auto kWindow = "ksize: list(int) >= 4";
constexpr auto kPoolStrides = "strides: list(int) >= 4";
constexpr auto kPadding = "padding: {'SAME', 'VALID'}";
constexpr auto kFormat = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
constexpr auto kDilations = "dilations: list(int) = [1, 1, 1, 1]";

// ---- Shapes ---------------------------------------------------------------------------

// Input i, which is a list of the four sizes of images or filters.
PartialShape FourSizes(const InferenceContext& ctx, int i, std::string_view what) {
  ctx.WithRank(i, 1, what);
  PartialShape sizes = ctx.InputAsShape(i);
  Require(!sizes.has_rank() || sizes.rank() == 4, what, " must be four, are ", sizes);
  return sizes;
}

// A shape function asks the geometry, as the kernel does in the step. So the sizes are
// worked out by one formula, and whatever does not fit is an error when the node is made,
// if it is known by then, or else in the step, in the same words.

// Conv2dGeometry::Of or ::OfDepthwise.
using GeometryFn = Conv2dGeometry (*)(const PartialShape&, const PartialShape&,
                                      const Conv2dAttrs&);

template <GeometryFn kGeometry>
void ConvolutionShape(InferenceContext* ctx) {
  const auto g = kGeometry(ctx->input(0), ctx->input(1), Conv2dAttrs::Of(ctx->attrs()));
  ctx->set_output(0, g.output_shape());
}

template <GeometryFn kGeometry>
void BackpropInputShape(InferenceContext* ctx) {
  const auto attrs = Conv2dAttrs::Of(ctx->attrs());
  ctx->WithRank(0, 1, "input_sizes");
  // For Conv2D height and width may stand for all sizes.
  const bool has_four = kGeometry == Conv2dGeometry::OfDepthwise;
  const PartialShape sizes =
      has_four ? FourSizes(*ctx, 0, "input_sizes") : ctx->InputAsShape(0);
  const PartialShape& w = ctx->input(1);
  const PartialShape& dy = ctx->input(2);
  const PartialShape x = Conv2dInputShape(sizes, w, dy, attrs.format);
  CheckOutputGradient(kGeometry(x, w, attrs), dy);
  const PartialShape batch = {dy.dim(0), kUnknown, kUnknown, kUnknown};
  ctx->set_output(0, x.MergedWith(batch));
}

template <GeometryFn kGeometry>
void BackpropFilterShape(InferenceContext* ctx) {
  const PartialShape w = FourSizes(*ctx, 1, "filter_sizes");
  const auto g = kGeometry(ctx->input(0), w, Conv2dAttrs::Of(ctx->attrs()));
  CheckOutputGradient(g, ctx->input(2));
  ctx->set_output(0, w.has_rank() ? w : PartialShape::OfRank(4));
}

Conv2dGeometry PoolGeometry(const InferenceContext& ctx, const PartialShape& x) {
  return Conv2dGeometry::OfPool(x, PoolAttrs::Of(ctx.attrs()));
}

void PoolShape(InferenceContext* ctx) {
  ctx->set_output(0, PoolGeometry(*ctx, ctx->input(0)).output_shape());
}

void PoolWithArgmaxShape(InferenceContext* ctx) {
  PoolShape(ctx);
  ctx->set_output(1, PartialShape(ctx->outputs()[0]));
}

// The gradient of a pooling takes x, y and dy. Of these y and dy have one shape, that
// of the pooled x.
void MaxPoolGradShape(InferenceContext* ctx) {
  const PartialShape y = PoolGeometry(*ctx, ctx->input(0)).output_shape();
  y.MergedWith(ctx->input(1)).MergedWith(ctx->input(2));
  ctx->set_output(0, ctx->input(0).MergedWith(PartialShape::OfRank(4)));
}

void MaxPoolGradGradShape(InferenceContext* ctx) {
  const PartialShape x = ctx->input(0).MergedWith(ctx->input(2));
  ctx->set_output(0, PoolGeometry(*ctx, x).output_shape().MergedWith(ctx->input(1)));
}

void AvgPoolGradShape(InferenceContext* ctx) {
  const PartialShape x = FourSizes(*ctx, 0, "orig_input_shape");
  CheckOutputGradient(PoolGeometry(*ctx, x), ctx->input(1));
  ctx->set_output(0, x.has_rank() ? x : PartialShape::OfRank(4));
}

// Where the channels of x are: axis 1 of NCHW, the last of NHWC.
int ChannelAxis(const InferenceContext& ctx, const PartialShape& x) {
  const auto format = DataFormatFrom(ctx.attr<std::string>("data_format"));
  const int least = format == DataFormat::kNchw ? 3 : 2;
  Require(x.rank() >= least, "Input tensor must be at least ", least, "D: ", x);
  return format == DataFormat::kNchw ? 1 : x.rank() - 1;
}

// If the number of channels is not known from x, it is that of the biases.
void BiasAddShape(InferenceContext* ctx) {
  const PartialShape& x = ctx->input(0);
  const PartialShape& bias = ctx->WithRank(1, 1, "Biases");
  ctx->set_output(0, x);
  if (!x.has_rank()) return;
  const int axis = ChannelAxis(*ctx, x);
  Require(!bias.has_rank() || bias.IsCompatibleWith({x.dim(axis)}),
          "Must provide as many biases as there are channels: ", bias, " vs. ", x);
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  if (sizes[axis] == kUnknown) sizes[axis] = bias.dim(0);
  ctx->set_output(0, PartialShape(sizes));
}

void BiasAddGradShape(InferenceContext* ctx) {
  const PartialShape& dy = ctx->input(0);
  if (!dy.has_rank()) return ctx->set_output(0, PartialShape::OfRank(1));
  ctx->set_output(0, {dy.dim(ChannelAxis(*ctx, dy))});
}

void ExtractImagePatchesShape(InferenceContext* ctx) {
  const auto g =
      Conv2dGeometry::OfPatches(ctx->input(0), PoolAttrs::OfPatches(ctx->attrs()));
  ctx->set_output(0, g.output_shape());
}

// ---- Convolution ----------------------------------------------------------------------

using Specs = std::vector<std::string_view>;

OpDefBuilder ConvolutionOp(std::string_view name, const Specs& inputs, const Specs& attrs,
                           const ShapeFn& shape_fn, std::string_view doc) {
  OpDefBuilder builder(name);
  for (const std::string_view input : inputs) builder.Input(input);
  builder.Output("output: T").Attr(kFloatTypes).Attr(kStrides);
  for (const std::string_view attr : attrs) builder.Attr(attr);
  return builder.Attr(kFormat).Attr(kDilations).SetShapeFn(shape_fn).Doc(doc);
}

const Specs kDepthwiseAttrs = {kPadding};
const Specs kConv2dAttrs = {"use_cudnn_on_gpu: bool = true",
                            "padding: {'SAME', 'VALID', 'EXPLICIT'}",
                            "explicit_paddings: list(int) = []"};

const OpRegistrar kConvolutionOps[] = {
    ConvolutionOp("Conv2D", {"input: T", "filter: T"}, kConv2dAttrs,
                  ConvolutionShape<Conv2dGeometry::Of>,
                  "Correlates images [N,H,W,C] with filters [R,S,C,K] to [N,P,Q,K]: at "
                  "every place of the filter, the sum of image times filter.")
        .SetHasFreshOutputs(),
    ConvolutionOp("Conv2DBackpropInput",
                  {"input_sizes: int32", "filter: T", "out_backprop: T"}, kConv2dAttrs,
                  BackpropInputShape<Conv2dGeometry::Of>,
                  "The gradient of Conv2D's images. input_sizes is their shape "
                  "[N,H,W,C], and out_backprop [N,P,Q,K] the gradient of the result.")
        .SetHasFreshOutputs(),
    ConvolutionOp("Conv2DBackpropFilter",
                  {"input: T", "filter_sizes: int32", "out_backprop: T"}, kConv2dAttrs,
                  BackpropFilterShape<Conv2dGeometry::Of>,
                  "The gradient of Conv2D's filters. filter_sizes is their shape "
                  "[R,S,C,K], and out_backprop [N,P,Q,K] the gradient of the result.")
        .SetHasFreshOutputs(),
    ConvolutionOp("DepthwiseConv2dNative", {"input: T", "filter: T"}, kDepthwiseAttrs,
                  ConvolutionShape<Conv2dGeometry::OfDepthwise>,
                  "Correlates each channel of images [N,H,W,C] with its own M filters, "
                  "[R,S,C,M] in all, to [N,P,Q,C*M]."),
    ConvolutionOp("DepthwiseConv2dNativeBackpropInput",
                  {"input_sizes: int32", "filter: T", "out_backprop: T"}, kDepthwiseAttrs,
                  BackpropInputShape<Conv2dGeometry::OfDepthwise>,
                  "The gradient of DepthwiseConv2dNative's images, whose shape [N,H,W,C] "
                  "is input_sizes."),
    ConvolutionOp("DepthwiseConv2dNativeBackpropFilter",
                  {"input: T", "filter_sizes: int32", "out_backprop: T"}, kDepthwiseAttrs,
                  BackpropFilterShape<Conv2dGeometry::OfDepthwise>,
                  "The gradient of DepthwiseConv2dNative's filters, whose shape "
                  "[R,S,C,M] is filter_sizes."),
};

REGISTER_OP("ExtractImagePatches")
    .Input("images: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8}")
    .Attr(kPadding)
    .SetShapeFn(ExtractImagePatchesShape)
    .Doc(
        "What a window sees from each of its places: images [N,H,W,C] to [N,P,Q,R*S*C], "
        "where ksizes is [1,R,S,1] and rates are the distances of the window's taps.");

// ---- Pooling --------------------------------------------------------------------------

REGISTER_OP("MaxPool")
    .Attr(kPoolTypes)
    .Input("input: T")
    .Output("output: T")
    .Attr(kWindow)
    .Attr(kPoolStrides)
    .Attr(kPadding)
    .Attr(kFormat)
    .SetHasFreshOutputs()
    .SetShapeFn(PoolShape)
    .Doc(
        "The largest number of each window of ksize: [N,H,W,C] to [N,P,Q,C]. "
        "Padding does not take part.");

REGISTER_OP("MaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr(kWindow)
    .Attr(kPoolStrides)
    .Attr(kPadding)
    .Attr(kFormat)
    .Attr(kPoolTypes)
    .SetHasFreshOutputs()
    .SetShapeFn(MaxPoolGradShape)
    .Doc(
        "The gradient of MaxPool's input: each number of grad [N,P,Q,C] is added "
        "where the window had its maximum; of several, to the first.");

REGISTER_OP("MaxPoolGradGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr(kWindow)
    .Attr(kPoolStrides)
    .Attr(kPadding)
    .Attr(kFormat)
    .Attr(kSecondPoolTypes)
    .SetShapeFn(MaxPoolGradGradShape)
    .Doc(
        "The gradient of MaxPoolGrad's grad: for each window the number of grad "
        "[N,H,W,C] that stands where orig_input has its first maximum.");

REGISTER_OP("MaxPoolWithArgmax")
    .Attr(kWindow)
    .Attr(kPoolStrides)
    .Attr("Targmax: {int32, int64} = int64")
    .Attr(kPadding)
    .Attr("include_batch_in_index: bool = false")
    .Input("input: T")
    .Output("output: T")
    .Output("argmax: Targmax")
    .Attr(kFloatTypes)
    .SetShapeFn(PoolWithArgmaxShape)
    .Doc(
        "MaxPool, and for each maximum its place (h * W + w) * C + c in the image, or "
        "with include_batch_in_index ((n * H + h) * W + w) * C + c in the batch.");

REGISTER_OP("AvgPool")
    .Input("value: T")
    .Output("output: T")
    .Attr(kWindow)
    .Attr(kPoolStrides)
    .Attr(kPadding)
    .Attr(kFormat)
    .Attr(kFloatTypes)
    .SetHasFreshOutputs()
    .SetShapeFn(PoolShape)
    .Doc(
        "The mean of each window of ksize: [N,H,W,C] to [N,P,Q,C]. Padding is not "
        "counted.");

REGISTER_OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .Attr(kWindow)
    .Attr(kPoolStrides)
    .Attr(kPadding)
    .Attr(kFormat)
    .Attr(kFloatTypes)
    .SetHasFreshOutputs()
    .SetShapeFn(AvgPoolGradShape)
    .Doc(
        "The gradient of AvgPool's input, whose shape is orig_input_shape: each "
        "number of grad [N,P,Q,C] is shared out evenly over its window.");

// ---- Bias -----------------------------------------------------------------------------

REGISTER_OP("BiasAdd")
    .Attr("T: {half, bfloat16, float, double, int32, int64}")
    .Input("value: T")
    .Input("bias: T")
    .Attr(kFormat)
    .Output("output: T")
    .SetForwardsInputs(1)
    .SetShapeFn(BiasAddShape)
    .Doc(
        "Adds bias [C] to each place of value, which has C channels on its last axis, or "
        "with data_format 'NCHW' on axis 1.");

REGISTER_OP("BiasAddGrad")
    .Attr("T: {half, bfloat16, float, double, int32, int64}")
    .Input("out_backprop: T")
    .Attr(kFormat)
    .Output("output: T")
    .SetHasFreshOutputs()
    .SetShapeFn(BiasAddGradShape)
    .Doc(
        "The gradient of BiasAdd's bias: out_backprop summed over all axes but that of "
        "the channels, [C].");

}  // namespace
}  // namespace minitf
