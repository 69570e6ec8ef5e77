// Definitions of what stands between and after the layers of a network: activations,
// softmax, the losses of classification, and the normalisation of channels.
//
// An activation has an op for its gradient, too. It could be made of smaller ops, but as
// one kernel it goes through memory once. Where the result is enough to compute it, the
// op takes the result and not the input, so that the input need not be kept until then.
//
// Compare    tensorflow/core/ops/nn_ops.cc
// Read next  minitf/gradients/nn/nn_grad.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

constexpr auto kRealTypes =
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8}";

// ---- Activations ----------------------------------------------------------------------

OpDefBuilder ActivationOp(std::string_view name, std::string_view types,
                          std::string_view doc) {
  return OpDefBuilder(name)
      .Input("features: T")
      .Output("activations: T")
      .Attr(types)
      .SetShapeFn(UnchangedShape)
      .Doc(doc);
}

// `known` is what the gradient is computed from, the features or the outputs.
OpDefBuilder ActivationGradOp(std::string_view name, std::string_view known,
                              std::string_view types, std::string_view doc) {
  return OpDefBuilder(name)
      .Input("gradients: T")
      .Input(known)
      .Output("backprops: T")
      .Attr(types)
      .SetShapeFn(MergedShape)
      .Doc(doc);
}

const OpRegistrar kActivationOps[] = {
    ActivationOp("Relu", kRealTypes, "max(x, 0), element by element."),
    ActivationGradOp("ReluGrad", "features: T", kRealTypes,
                     "gradients where features are above 0, else 0. The outputs of Relu "
                     "may stand for the features."),
    ActivationOp("Relu6", kRealTypes, "min(max(x, 0), 6), element by element."),
    ActivationGradOp("Relu6Grad", "features: T", kRealTypes,
                     "gradients where features are between 0 and 6, else 0."),
    ActivationOp("Elu", kFloatTypes,
                 "x where x is at least 0, else exp(x) - 1 (Clevert et al. 2015)."),
    ActivationGradOp("EluGrad", "outputs: T", kFloatTypes,
                     "gradients * (outputs + 1) where the outputs of Elu are below 0, "
                     "else gradients."),
    ActivationOp("Selu", kFloatTypes,
                 "scale * x where x is at least 0, else scale * alpha * (exp(x) - 1), "
                 "with the constants 1.0507 and 1.6733 of Klambauer et al. 2017."),
    ActivationGradOp("SeluGrad", "outputs: T", kFloatTypes,
                     "gradients * (outputs + scale * alpha) where the outputs of Selu "
                     "are below 0, else gradients * scale."),
    ActivationOp("Softplus", kFloatTypes, "log(exp(x) + 1), element by element."),
    ActivationGradOp("SoftplusGrad", "features: T", kFloatTypes,
                     "gradients / (exp(-features) + 1)."),
    ActivationOp("Softsign", kFloatTypes, "x / (abs(x) + 1), element by element."),
    ActivationGradOp("SoftsignGrad", "features: T", kFloatTypes,
                     "gradients / (abs(features) + 1)^2."),
};

REGISTER_OP("LeakyRelu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("alpha: float = 0.2")
    .Attr("T: {half, bfloat16, float, double} = float")
    .SetShapeFn(UnchangedShape)
    .Doc("x where x is above 0, else alpha * x.");

REGISTER_OP("LeakyReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("alpha: float = 0.2")
    .Attr("T: {half, bfloat16, float, double} = float")
    .SetShapeFn(MergedShape)
    .Doc("gradients where features are above 0, else alpha * gradients.");

// ---- Softmax and losses ---------------------------------------------------------------

void SoftmaxShape(InferenceContext* ctx) {
  const PartialShape& logits = ctx->input(0);
  Require(!logits.has_rank() || logits.rank() >= 1,
          "logits must have >= 1 dimension, got ", logits);
  ctx->set_output(0, logits);
}

REGISTER_OP("Softmax")
    .Input("logits: T")
    .Output("softmax: T")
    .Attr(kFloatTypes)
    .SetHasFreshOutputs()
    .SetShapeFn(SoftmaxShape)
    .Doc("exp(x) / sum(exp(x)) along the last axis: probabilities that add up to 1.");

REGISTER_OP("LogSoftmax")
    .Input("logits: T")
    .Output("logsoftmax: T")
    .Attr(kFloatTypes)
    .SetHasFreshOutputs()
    .SetShapeFn(SoftmaxShape)
    .Doc("x - log(sum(exp(x))) along the last axis: the logarithm of Softmax.");

// Logits or labels of unknown rank are taken for matrices, so the others must be one.
void CrossEntropyShape(InferenceContext* ctx) {
  const PartialShape& logits = ctx->input(0);
  const PartialShape& labels = ctx->input(1);
  const auto matrix = PartialShape::OfRank(2);
  const PartialShape both = BroadcastShapes(logits.has_rank() ? logits : matrix,
                                            labels.has_rank() ? labels : matrix);
  const bool fits = (logits.has_rank() && labels.has_rank()) ||
                    (logits.IsCompatibleWith(matrix) && labels.IsCompatibleWith(matrix));
  Require(fits && both.rank() == 2,
          "logits and labels must be either 2-dimensional, or broadcasted to be "
          "2-dimensional: logits are ",
          logits, ", labels are ", labels);
  // No rows stay none, whatever is beside them.
  const auto is_empty = [](const PartialShape& shape) {
    return shape.has_rank() && shape.rank() == 2 && shape.dim(0) == 0;
  };
  const bool has_none = is_empty(logits) || is_empty(labels);
  const PartialShape rows = has_none ? PartialShape{0, both.dim(1)} : both;
  ctx->set_output(0, {rows.dim(0)});
  ctx->set_output(1, rows);
}

REGISTER_OP("SoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: T")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr(kFloatTypes)
    .SetHasFreshOutputs()
    .SetShapeFn(CrossEntropyShape)
    .Doc(
        "For each row of logits and of label probabilities [N,C], -sum(labels * "
        "log(softmax(logits))), [N]; and its gradient softmax(logits) - labels, [N,C].");

void SparseCrossEntropyShape(InferenceContext* ctx) {
  const PartialShape& logits = ctx->WithRank(0, 2, "logits");
  const PartialShape& labels = ctx->WithRank(1, 1, "labels");
  const int64_t rows = logits.dim(0);
  Require(!labels.has_rank() || labels.IsCompatibleWith({rows}),
          "logits and labels must have the same first dimension, got logits shape ",
          logits, " and labels shape ", labels);
  ctx->set_output(0, labels.has_rank() ? labels.MergedWith({rows}) : PartialShape{rows});
  ctx->set_output(1, logits.has_rank() ? logits : PartialShape::OfRank(2));
}

REGISTER_OP("SparseSoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: Tlabels")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr(kFloatTypes)
    .Attr("Tlabels: {int32, int64} = int64")
    .SetHasFreshOutputs()
    .SetShapeFn(SparseCrossEntropyShape)
    .Doc(
        "For each row of logits [N,C] and its label in [0, C), -log(softmax(logits)) at "
        "the label, [N]; and its gradient softmax(logits) - onehot(label), [N,C].");

REGISTER_OP("L2Loss")
    .Input("t: T")
    .Output("output: T")
    .Attr(kFloatTypes)
    .SetShapeFn(ScalarShape)
    .Doc("sum(t^2) / 2, a scalar.");

// ---- The largest of a row -------------------------------------------------------------

void InTopKShape(InferenceContext* ctx) {
  const PartialShape& predictions = ctx->WithRank(0, 2, "predictions");
  const PartialShape& targets = ctx->WithRank(1, 1, "targets");
  if (ctx->num_inputs() > 2) ctx->WithRank(2, 0, "k");
  const int64_t rows = predictions.dim(0);
  Require(!targets.has_rank() || targets.IsCompatibleWith({rows}),
          "First dimension of predictions ", predictions,
          " must match length of targets ", targets);
  ctx->set_output(0, {rows == PartialShape::kUnknown ? targets.dim(0) : rows});
}

REGISTER_OP("InTopK")
    .Input("predictions: float")
    .Input("targets: T")
    .Output("precision: bool")
    .Attr("k: int")
    .Attr("T: {int32, int64} = int32")
    .SetShapeFn(InTopKShape)
    .Doc(
        "For each row of predictions [N,C], whether fewer than k of them are above that "
        "of its target, [N]. False where a prediction in question is not finite.");

REGISTER_OP("InTopKV2")
    .Input("predictions: float")
    .Input("targets: T")
    .Input("k: T")
    .Output("precision: bool")
    .Attr("T: {int32, int64} = int32")
    .SetShapeFn(InTopKShape)
    .Doc("InTopK with k as an input.");

void TopKShape(InferenceContext* ctx) {
  const PartialShape& x = ctx->input(0);
  ctx->WithRank(1, 0, "k");
  Require(!x.has_rank() || x.rank() >= 1, "input must have at least rank 1, is ", x);
  PartialShape top;
  if (x.has_rank()) {
    std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
    const int64_t columns = sizes.back();
    sizes.back() = PartialShape::kUnknown;
    if (const Tensor* k = ctx->input_value(1)) {
      sizes.back() = IntegersOf(*k).front();
      Require(sizes.back() >= 0, "Need k >= 0, got ", sizes.back());
      Require(columns < 0 || columns >= sizes.back(),
              "input must have at least k columns. Had ", columns, ", needed ",
              sizes.back());
    }
    top = PartialShape(sizes);
  }
  ctx->set_output(0, top);
  ctx->set_output(1, top);
}

REGISTER_OP("TopKV2")
    .Input("input: T")
    .Input("k: int32")
    .Output("values: T")
    .Output("indices: int32")
    .Attr("sorted: bool = true")
    .Attr(kRealTypes)
    .SetShapeFn(TopKShape)
    .Doc(
        "The k largest of each row along the last axis, the largest first, and where "
        "they "
        "stand. Of equal ones the first comes first.");

// ---- Normalisation --------------------------------------------------------------------

void LrnShape(InferenceContext* ctx) {
  ctx->set_output(0, ctx->WithRank(0, 4, "input").MergedWith(PartialShape::OfRank(4)));
}

void LrnGradShape(InferenceContext* ctx) {
  PartialShape all = PartialShape::OfRank(4);
  for (int i = 0; i < ctx->num_inputs(); ++i) all = all.MergedWith(ctx->input(i));
  ctx->set_output(0, all);
}

REGISTER_OP("LRN")
    .Input("input: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = float")
    .SetShapeFn(LrnShape)
    .Doc(
        "x / (bias + alpha * s)^beta for x [N,H,W,C], where s is the sum of the squares "
        "of the depth_radius channels on either side and of x (Krizhevsky et al. 2012).");

REGISTER_OP("LRNGrad")
    .Input("input_grads: T")
    .Input("input_image: T")
    .Input("output_image: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = float")
    .SetShapeFn(LrnGradShape)
    .Doc(
        "The gradient of LRN's input, from that of its output, its input and its "
        "output.");

}  // namespace
}  // namespace minitf
