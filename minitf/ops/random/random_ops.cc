// Random ops. What their two seeds mean stands in minitf/framework/random.h.
//
// All are stateful: two steps, or two equal nodes, give different numbers. None has a
// gradient: a number that is drawn does not depend on the shape that was asked for.
//
// Kernels    kernels/cpu/random/random.cc
// Gradients  minitf/gradients/array/array_grad.cc
// Compare    tensorflow/core/ops/random_ops.cc
// Read next  minitf/ops/state/state_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

void RandomShape(InferenceContext* ctx) {
  ctx->WithRank(0, 1, "shape");
  ctx->set_output(0, ctx->InputAsShape(0));
}

// Random numbers of one distribution.
OpDefBuilder RandomOp(std::string_view name, std::string_view doc) {
  return OpDefBuilder(name)
      .Input("shape: T")
      .Output("output: dtype")
      .Attr("seed: int = 0")
      .Attr("seed2: int = 0")
      .Attr("dtype: {half, bfloat16, float, double}")
      .Attr("T: {int32, int64}")
      .SetIsStateful(StateUse::kReads)
      .SetHasFreshOutputs()
      .SetShapeFn(RandomShape)
      .Doc(doc);
}

const OpRegistrar kRandomOps[] = {
    RandomOp("RandomUniform",
             "A tensor of `shape` of numbers spread evenly over [0, 1)."),
    RandomOp("RandomStandardNormal",
             "A tensor of `shape` of normal numbers with mean 0 and deviation 1."),
    RandomOp("TruncatedNormal",
             "As RandomStandardNormal, but numbers that are more than 2 from 0 are drawn "
             "again."),
};

void RandomIntShape(InferenceContext* ctx) {
  ctx->WithRank(1, 0, "minval");
  ctx->WithRank(2, 0, "maxval");
  RandomShape(ctx);
}

REGISTER_OP("RandomUniformInt")
    .Input("shape: T")
    .Input("minval: Tout")
    .Input("maxval: Tout")
    .Output("output: Tout")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("Tout: {int32, int64}")
    .Attr("T: {int32, int64}")
    .SetIsStateful(StateUse::kReads)
    .SetShapeFn(RandomIntShape)
    .Doc("A tensor of `shape` of integers spread evenly over [minval, maxval).");

REGISTER_OP("RandomShuffle")
    .Input("value: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: type")
    .SetIsStateful(StateUse::kReads)
    .SetReleasesInputs()
    .SetShapeFn(UnchangedShape)
    .Doc("The rows of the value (its slices along axis 0) in random order.");

void MultinomialShape(InferenceContext* ctx) {
  const PartialShape& logits = ctx->WithRank(0, 2, "logits");
  ctx->WithRank(1, 0, "num_samples");
  int64_t samples = PartialShape::kUnknown;
  if (const Tensor* value = ctx->input_value(1)) {
    samples = value->scalar<int32_t>();
    Require(samples >= 0, "num_samples should be nonnegative, got ", samples);
  }
  ctx->set_output(0, {logits.dim(0), samples});
}

REGISTER_OP("Multinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Output("output: output_dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("output_dtype: {int32, int64} = int64")
    .SetIsStateful(StateUse::kReads)
    .SetShapeFn(MultinomialShape)
    .Doc(
        "For each row of `logits` [batch,classes], num_samples classes drawn with "
        "probabilities in proportion to exp(logit).");

}  // namespace
}  // namespace minitf
