// Shape inference: the context, and the rules that many ops share.

#include "minitf/framework/shape_inference.h"

#include <algorithm>

#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

// The size that two sizes of one axis broadcast to.
int64_t BroadcastSize(int64_t x, int64_t y) {
  if (x == 1) return y;
  if (y == 1 || x == y) return x;
  // An unknown size either is 1 or equals the other, if that is not 1. Beside a 0 it is
  // left open, as in TensorFlow.
  const int64_t known = std::max(x, y);
  return known > 1 ? known : PartialShape::kUnknown;
}

}  // namespace

PartialShape InferenceContext::InputAsShape(int i) const {
  if (const Tensor* value = input_value(i)) {
    Require(value->rank() <= 1, "a list of sizes must have rank 1, the shape is ",
            value->shape());
    return PartialShape(IntegersOf(*value));
  }
  if (!value_shapes_.empty() && value_shapes_[i].has_rank()) return value_shapes_[i];
  const PartialShape& shape = input(i);
  return shape.has_rank() && shape.rank() == 1 ? ShapeOfLength(shape.dim(0))
                                               : PartialShape();
}

void InferenceContext::set_output(int i, PartialShape shape) {
  if (static_cast<size_t>(i) >= outputs_.size()) outputs_.resize(i + 1);
  outputs_[i] = std::move(shape);
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

PartialShape BroadcastShapes(const PartialShape& x, const PartialShape& y) {
  if (!x.has_rank() || !y.has_rank()) return {};
  const int rank = std::max(x.rank(), y.rank());
  std::vector<int64_t> sizes(rank);
  for (int from_end = 1; from_end <= rank; ++from_end) {
    const int64_t x_size = from_end <= x.rank() ? x.dim(-from_end) : 1;
    const int64_t y_size = from_end <= y.rank() ? y.dim(-from_end) : 1;
    const bool fit = x_size == y_size || x_size == 1 || y_size == 1 ||
                     x_size == PartialShape::kUnknown || y_size == PartialShape::kUnknown;
    Require(fit, "Incompatible shapes: ", x, " vs. ", y);
    sizes[rank - from_end] = BroadcastSize(x_size, y_size);
  }
  return PartialShape(sizes);
}

Shape BroadcastShapes(const Shape& x, const Shape& y) {
  if (x == y) return x;
  return BroadcastShapes(PartialShape(x), PartialShape(y)).ToShape();
}

std::vector<int64_t> IntegersOf(const Tensor& tensor) {
  if (tensor.dtype() == DType::kInt64) {
    const auto values = tensor.flat<int64_t>();
    return {values.begin(), values.end()};
  }
  Require(tensor.dtype() == DType::kInt32, "int32 or int64 needed, is ", tensor.dtype());
  const auto values = tensor.flat<int32_t>();
  return {values.begin(), values.end()};
}

int NormalizedAxis(int64_t axis, int rank) {
  Require(-rank <= axis && axis < rank, "axis ", axis, " is not in [", -rank, ", ", rank,
          ")");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace minitf
