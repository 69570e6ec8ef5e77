// Segment ops: reductions in which a list says what goes where.
//
//   data         [[1,2], [3,4], [5,6]]    [n,...]
//   segment_ids  [0, 0, 1]                [n]: rows 0 and 1 make up segment 0
//   SegmentSum   [[4,6], [5,6]]           [segments,...]
//
// In the Segment ops the ids ascend and the last one says how many segments there are; in
// the UnsortedSegment ops they have any order, the number is given, and rows with a
// negative id are left out.
//
// Kernels    kernels/cpu/math/segment.cc
// Gradients  minitf/gradients/math/segment_grad.cc
// Compare    tensorflow/core/ops/math_ops.cc
// Read next  kernels/cpu/math/segment.cc

#include <vector>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

// `first`, then the sizes of `shape` without its first `skip` axes.
PartialShape WithFirst(int64_t first, const PartialShape& shape, int skip) {
  std::vector<int64_t> sizes = {first};
  sizes.insert(sizes.end(), shape.sizes().begin() + skip, shape.sizes().end());
  return PartialShape(sizes);
}

// The number of segments is the last id plus one: a value of the step, so the first size
// is not known.
void SegmentShape(InferenceContext* ctx) {
  const PartialShape& data = ctx->input(0);
  const PartialShape& ids = ctx->WithRank(1, 1, "segment_ids");
  if (!data.has_rank()) return ctx->set_output(0, {});
  Require(data.rank() >= 1, "data must have at least rank 1, its shape is ", data);
  const bool fits =
      !ids.has_rank() || ids.dim(0) < 0 || data.dim(0) < 0 || ids.dim(0) == data.dim(0);
  Require(fits, "segment_ids should be the same size as dimension 0 of input: data is ",
          data, ", segment_ids is ", ids);
  ctx->set_output(0, WithFirst(PartialShape::kUnknown, data, 1));
}

// segment_ids has the shape of data, or that of its first axes.
void UnsortedSegmentShape(InferenceContext* ctx) {
  const PartialShape& data = ctx->input(0);
  const PartialShape& ids = ctx->input(1);
  ctx->WithRank(2, 0, "num_segments");
  const Tensor* num_segments = ctx->input_value(2);
  const int64_t count =
      num_segments ? IntegersOf(*num_segments)[0] : PartialShape::kUnknown;
  Require(num_segments == nullptr || count >= 0,
          "num_segments must not be negative, it is ", count);
  if (!data.has_rank() || !ids.has_rank()) return ctx->set_output(0, {});
  const bool fits = ids.rank() <= data.rank() &&
                    ids.IsCompatibleWith(PartialShape(data.sizes().first(ids.rank())));
  Require(fits, "data.shape = ", data, " does not start with segment_ids.shape = ", ids);
  ctx->set_output(0, WithFirst(count, data, ids.rank()));
}

// `what` becomes of the rows of a segment, and `empty` of one without rows.
OpDefBuilder SegmentOp(std::string_view name, std::string_view types,
                       std::string_view what, std::string_view empty) {
  return OpDefBuilder(name)
      .Input("data: T")
      .Input("segment_ids: Tindices")
      .Output("output: T")
      .Attr(types)
      .Attr("Tindices: {int32, int64}")
      .SetShapeFn(SegmentShape)
      .Doc(StrCat("The ", what,
                  " of the rows of data [n,...] in each segment, as [segments,...]; ",
                  empty, " for a segment without rows. segment_ids [n] ascends."));
}

const OpRegistrar kSegmentOps[] = {
    SegmentOp("SegmentSum", kNumbers, "sum", "0"),
    SegmentOp("SegmentMean", kNumbers, "mean", "0"),
    SegmentOp("SegmentProd", kNumbers, "product", "1"),
    SegmentOp("SegmentMax", kOrdered, "largest", "0"),
    SegmentOp("SegmentMin", kOrdered, "smallest", "0"),
};

OpDefBuilder UnsortedSegmentOp(std::string_view name, std::string_view types,
                               std::string_view what, std::string_view empty) {
  return OpDefBuilder(name)
      .Input("data: T")
      .Input("segment_ids: Tindices")
      .Input("num_segments: Tnumsegments")
      .Output("output: T")
      .Attr(types)
      .Attr("Tindices: {int32, int64}")
      .Attr("Tnumsegments: {int32, int64} = int32")
      .SetShapeFn(UnsortedSegmentShape)
      .Doc(StrCat("The ", what,
                  " of the rows of data in each segment, as [num_segments,...]; ", empty,
                  " for a segment without rows. Rows with a negative id are left out."));
}

const OpRegistrar kUnsortedSegmentOps[] = {
    UnsortedSegmentOp("UnsortedSegmentSum", kNumbers, "sum", "0"),
    UnsortedSegmentOp("UnsortedSegmentProd", kNumbers, "product", "1"),
    UnsortedSegmentOp("UnsortedSegmentMax", kOrdered, "largest",
                      "the lowest number of T"),
    UnsortedSegmentOp("UnsortedSegmentMin", kOrdered, "smallest",
                      "the highest number of T"),
};

}  // namespace
}  // namespace minitf
