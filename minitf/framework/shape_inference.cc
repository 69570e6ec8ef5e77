// Shape inference: the context, and the rules that many ops share.

#include "minitf/framework/shape_inference.h"

#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {

PartialShape InferenceContext::InputAsShape(int i) const {
  if (const Tensor* value = input_value(i)) {
    Require(value->rank() <= 1, "a list of sizes must have rank 1, the shape is ",
            value->shape());
    return PartialShape(IntegersOf(*value));
  }
  const PartialShape& shape = input(i);
  if (!value_shapes_.empty() && value_shapes_[i].has_rank()) return value_shapes_[i];
  return shape.has_rank() && shape.rank() == 1 ? ShapeOfLength(shape.dim(0))
                                               : PartialShape();
}

void InferenceContext::set_output(int i, PartialShape shape) {
  constexpr int kMaxOutputs = 1 << 20;  // as many as a handle of Python can number
  Require(0 <= i && i < kMaxOutputs, "the shape function sets output ", i,
          ", which does not exist");
  if (static_cast<size_t>(i) >= outputs_.size()) outputs_.resize(i + 1);
  outputs_[i] = std::move(shape);
}

void InferenceContext::Finish(int count) {
  Require(std::ssize(outputs_) <= count, "the shape function sets output ",
          outputs_.size() - 1, ", which does not exist; number of outputs: ", count);
  outputs_.resize(count);
}

const PartialShape& InferenceContext::WithRank(int i, int rank,
                                               std::string_view what) const {
  const PartialShape& shape = input(i);
  Require(!shape.has_rank() || shape.rank() == rank, what, " must have rank ", rank,
          ", its shape is ", shape);
  return shape;
}

void UnchangedShape(InferenceContext* ctx) { ctx->set_output(0, ctx->input(0)); }

void MergedShape(InferenceContext* ctx) {
  PartialShape merged = ctx->input(0);
  for (int i = 1; i < ctx->num_inputs(); ++i) merged = merged.MergedWith(ctx->input(i));
  ctx->set_output(0, merged);
}

void BroadcastShapeFn(InferenceContext* ctx) {
  ctx->set_output(0, BroadcastShapes(ctx->input(0), ctx->input(1)));
}

void ScalarShape(InferenceContext* ctx) { ctx->set_output(0, Shape{}); }

void UnknownShape(InferenceContext*) {}

void NoOutputs(InferenceContext*) {}

std::vector<int64_t> IntegersOf(const Tensor& tensor) {
  if (tensor.dtype() == DType::kInt64) {
    const auto values = tensor.flat<int64_t>();
    return {values.begin(), values.end()};
  }
  Require(tensor.dtype() == DType::kInt32, "int32 or int64 needed, is ", tensor.dtype());
  const auto values = tensor.flat<int32_t>();
  return {values.begin(), values.end()};
}

std::optional<std::vector<int64_t>> KnownIntegers(InferenceContext* ctx, int i) {
  if (const Tensor* value = ctx->input_value(i)) return IntegersOf(*value);
  return std::nullopt;
}

int NormalizedAxis(int64_t axis, int rank) {
  Require(-rank <= axis && axis < rank, "axis ", axis, " is not in [", -rank, ", ", rank,
          ")");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace minitf
