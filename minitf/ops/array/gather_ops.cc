// Array ops that take or put elements where another tensor says.
//
// The values of the indices decide which elements are taken, but not how many: the shape
// of the result follows from the shapes of the inputs (gather_shapes.h), with the axis as
// the only value that has to be known. Where elements are put, the shape is an input.
//
// Kernels    kernels/cpu/array/gather.cc, kernels/cpu/array/partition.cc
// Gradients  minitf/gradients/array/array_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc, data_flow_ops.cc
// Read next  minitf/ops/random/random_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/gather_shapes.h"

namespace minitf {
namespace {

REGISTER_OP("Gather")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("validate_indices: bool = true")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, GatheredShape(ctx->input(0), ctx->input(1), 0, 0));
    })
    .Doc(
        "The rows of params that `indices` names: output[i...] = params[indices[i...]].");

void GatherV2Shape(InferenceContext* ctx) {
  ctx->WithRank(2, 0, "axis");
  const int64_t batch_dims = ctx->attr<int64_t>("batch_dims");
  if (const Tensor* axis = ctx->input_value(2)) {
    ctx->set_output(
        0, GatheredShape(ctx->input(0), ctx->input(1), IntegersOf(*axis)[0], batch_dims));
    return;
  }
  Require(!ctx->input(0).has_rank() || ctx->input(0).rank() > 0,
          "params must be at least 1-dimensional");
  if (ctx->input(0).has_rank() && ctx->input(1).has_rank() && batch_dims == 0) {
    const int rank = ctx->input(0).rank() + ctx->input(1).rank() - 1;
    if (rank >= 0) ctx->set_output(0, PartialShape::OfRank(rank));
  }
}

REGISTER_OP("GatherV2")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .SetShapeFn(GatherV2Shape)
    .Doc(
        "The slices of params along `axis` that `indices` names. The first batch_dims "
        "axes of both run together.");

REGISTER_OP("GatherNd")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, GatheredNdShape(ctx->input(0), ctx->input(1)));
    })
    .Doc("The parts of params at `indices`, whose last axis holds one place of params.");

void ScatterNdShape(InferenceContext* ctx) {
  ctx->WithRank(2, 1, "shape");
  const PartialShape shape = ctx->InputAsShape(2);
  CheckScatterNd(shape, ctx->input(0), ctx->input(1));
  ctx->set_output(0, shape);
}

REGISTER_OP("ScatterNd")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr(
        "T: {half, bfloat16, float, double, int8, uint8, int16, uint16, int32, uint32, "
        "int64, uint64, complex64, complex128}")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(ScatterNdShape)
    .Doc("Zeros of `shape`, with every update added at its place in `indices`.");

REGISTER_OP("Where")
    .Input("input: T")
    .Output("index: int64")
    .Attr(
        "T: {half, bfloat16, float, double, int8, uint8, int16, uint16, int32, uint32, "
        "int64, uint64, complex64, complex128, bool} = bool")
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape& input = ctx->input(0);
      ctx->set_output(0, {kUnknown, input.has_rank() ? input.rank() : kUnknown});
    })
    .Doc("The places of all elements that are true, or not 0, one in a row, in order.");

// ---- Sorting elements into groups, and back -------------------------------------------

REGISTER_OP("Unique")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, PartialShape::OfRank(1));
      ctx->set_output(1, ctx->WithRank(0, 1, "x"));
    })
    .Doc("The different elements of the vector x in order, so that x[i] = y[idx[i]].");

REGISTER_OP("ListDiff")
    .Input("x: T")
    .Input("y: T")
    .Output("out: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 1, "x");
      ctx->WithRank(1, 1, "y");
      ctx->set_output(0, PartialShape::OfRank(1));
      ctx->set_output(1, PartialShape::OfRank(1));
    })
    .Doc("The elements of x that are not in y, in order, and where they are in x.");

void DynamicPartitionShape(InferenceContext* ctx) {
  const PartialShape rest = ShapeAfterPrefix(ctx->input(0), ctx->input(1));
  PartialShape part;
  if (rest.has_rank()) {
    std::vector<int64_t> sizes(rest.sizes().begin(), rest.sizes().end());
    sizes.insert(sizes.begin(), kUnknown);
    part = PartialShape(sizes);
  }
  const int64_t count = ctx->attr<int64_t>("num_partitions");
  for (int i = 0; i < count; ++i) ctx->set_output(i, part);
}

REGISTER_OP("DynamicPartition")
    .Input("data: T")
    .Input("partitions: int32")
    .Output("outputs: num_partitions * T")
    .Attr("num_partitions: int >= 1")
    .Attr("T: type")
    .SetShapeFn(DynamicPartitionShape)
    .Doc("Puts data[i...] into output partitions[i...], in order.");

void DynamicStitchShape(InferenceContext* ctx) {
  const int count = ctx->num_inputs() / 2;
  PartialShape rest;
  int64_t largest = -1;
  bool all_known = true;
  for (int i = 0; i < count; ++i) {
    const PartialShape one = ShapeAfterPrefix(ctx->input(count + i), ctx->input(i));
    Require(rest.IsCompatibleWith(one), "data[", i, "] has elements of shape ", one,
            ", those before have ", rest);
    rest = rest.MergedWith(one);
    const Tensor* indices = ctx->input_value(i);
    all_known = all_known && indices != nullptr;
    if (indices == nullptr) continue;
    for (const int64_t index : IntegersOf(*indices)) largest = std::max(largest, index);
  }
  if (!rest.has_rank()) return;
  std::vector<int64_t> sizes(rest.sizes().begin(), rest.sizes().end());
  sizes.insert(sizes.begin(), all_known ? largest + 1 : kUnknown);
  ctx->set_output(0, PartialShape(sizes));
}

REGISTER_OP("DynamicStitch")
    .Input("indices: N * int32")
    .Input("data: N * T")
    .Output("merged: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .SetShapeFn(DynamicStitchShape)
    .Doc(
        "Undoes DynamicPartition: merged[indices[m][i...]] = data[m][i...]. Where an "
        "index comes twice, the last one counts.");

}  // namespace
}  // namespace minitf
