// Reductions: ops that make one element of many, along some axes.
//
//   input              [2,3,5]
//   reduction_indices  [0,2]     axes; a negative one counts from the end
//   output             [3], or [1,3,1] if keep_dims
//
// Along an axis of size 0 the result is what adding nothing to it would not change: 0 for
// Sum, 1 for Prod, the lowest number for Max.
//
// Kernels    kernels/cpu/math/reduction.cc
// Gradients  minitf/gradients/math/math_grad.cc, minitf/gradients/math/reduction_grad.cc
// Compare    tensorflow/core/ops/math_ops.cc
// Read next  minitf/ops/math/segment_ops.cc

#include <vector>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

constexpr char kIndex[] = "Tidx: {int32, int64} = int32";

// What is known of the output while the axes are not known.
PartialShape WithUnknownAxes(const PartialShape& input, bool keep_dims) {
  return keep_dims && input.has_rank() ? PartialShape::OfRank(input.rank())
                                       : PartialShape();
}

// Axes that are not known yet leave the rank open, unless reduced ones stay with size 1.
void ReductionShape(InferenceContext* ctx) {
  const PartialShape& input = ctx->input(0);
  const PartialShape& indices = ctx->input(1);
  Require(!indices.has_rank() || indices.rank() <= 1,
          "the axes must be a scalar or a vector, their shape is ", indices);
  const bool keep_dims = ctx->attr<bool>("keep_dims");
  const Tensor* axes = ctx->input_value(1);
  if (axes == nullptr || !input.has_rank()) {
    return ctx->set_output(0, WithUnknownAxes(input, keep_dims));
  }
  std::vector<bool> is_reduced(input.rank(), false);
  for (const int64_t axis : IntegersOf(*axes)) {
    const int normalized = NormalizedAxis(axis, input.rank());
    Require(!is_reduced[normalized], "axis ", axis, " is given twice");
    is_reduced[normalized] = true;
  }
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < input.rank(); ++axis) {
    if (!is_reduced[axis]) sizes.push_back(input.dim(axis));
    if (is_reduced[axis] && keep_dims) sizes.push_back(1);
  }
  ctx->set_output(0, PartialShape(sizes));
}

// `types` is what T may be; without it the elements are bools.
OpDefBuilder ReductionOp(std::string_view name, std::string_view types,
                         std::string_view doc) {
  const std::string element = types.empty() ? "bool" : "T";
  OpDefBuilder builder(name);
  builder.Input("input: " + element)
      .Input("reduction_indices: Tidx")
      .Output("output: " + element)
      .Attr("keep_dims: bool = false");
  if (!types.empty()) builder.Attr(types);
  return builder.Attr(kIndex).SetShapeFn(ReductionShape).Doc(doc);
}

const OpRegistrar kReductionOps[] = {
    ReductionOp("Sum", kNumbers, "The sum of the elements along some axes."),
    ReductionOp(
        "Mean", kNumbers,
        "The mean of the elements along some axes; of no elements, not a number."),
    ReductionOp("Prod", kNumbers, "The product of the elements along some axes."),
    ReductionOp(
        "EuclideanNorm", kNumbers,
        "The square root of the sum of the squares of the elements along some axes."),
    ReductionOp("Max", kOrdered,
                "The largest element along some axes; not a number if one of them is."),
    ReductionOp("Min", kOrdered,
                "The smallest element along some axes; not a number if one of them is."),
    ReductionOp("Any", "", "Whether any element is true along some axes."),
    ReductionOp("All", "", "Whether all elements are true along some axes."),
};

//   s0, s1  shapes, as vectors
//   r0, r1  axes, in ascending order
REGISTER_OP("BroadcastGradientArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Output("r1: T")
    .Attr("T: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 1, "s0");
      ctx->WithRank(1, 1, "s1");
      ctx->set_output(0, PartialShape::OfRank(1));
      ctx->set_output(1, PartialShape::OfRank(1));
    })
    .Doc(
        "The axes along which a gradient must be summed for an input of shape s0, "
        "and for one of shape s1, when both broadcast together.");

}  // namespace
}  // namespace minitf
