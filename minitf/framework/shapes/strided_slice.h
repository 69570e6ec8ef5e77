// StridedSlice: what x[1:5:2, ..., tf.newaxis, -1] means.
//
// The call gives one entry for each item between the brackets, and five masks, bit i of
// which says something about item i:
//
//   begin_mask, end_mask   begin[i] or end[i] is left out: x[:5], x[1:]
//   ellipsis_mask          item i is "...", as many whole axes as are not named otherwise
//   new_axis_mask          item i is tf.newaxis: a new axis of size 1
//   shrink_axis_mask       item i is one index: the axis is taken there, and goes
//
// A plan has one entry for each axis of x instead, with nothing left out or negative.
//
// Compare    tensorflow/core/util/strided_slice_op.h
// Read next  minitf/framework/shapes/conv2d_geometry.h

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {

class InferenceContext;

struct StridedSliceMasks {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t ellipsis = 0;
  int64_t new_axis = 0;
  int64_t shrink_axis = 0;

  /// The five attributes of a StridedSlice or a StridedSliceGrad.
  static StridedSliceMasks Of(const Attrs& attrs);
};

struct StridedSlicePlan {
  /// Which elements of one axis of x are taken: begin, begin + stride, ...
  struct Axis {
    int64_t begin = 0;  ///< only where size is known
    int64_t stride = 1;
    int64_t size = PartialShape::kUnknown;
  };
  std::vector<Axis> axes;  ///< one for each axis of x
  PartialShape result;     ///< with the new axes, and without those that go

  /// What is taken of a tensor of shape `x`, for which the plan was made.
  StridedLayout PartOf(const Shape& x) const;
};

/// Makes the plan for a tensor of shape `x`. `begin` and `end` are missing where they are
/// not known yet; the plan then leaves open what depends on them.
/// Requires: x.has_rank(), and begin and end are as long as strides.
/// Throws InvalidArgument for a stride of 0, too many items, an index out of range.
StridedSlicePlan PlanStridedSlice(const PartialShape& x,
                                  const std::optional<std::vector<int64_t>>& begin,
                                  const std::optional<std::vector<int64_t>>& end,
                                  const std::vector<int64_t>& strides,
                                  const StridedSliceMasks& masks);

/// The same of tensors. Throws InvalidArgument, too, unless they are vectors of a length.
StridedSlicePlan PlanStridedSlice(const Shape& x, const Tensor& begin, const Tensor& end,
                                  const Tensor& strides, const StridedSliceMasks& masks);

/// The result's shape for `x`, by what is known of begin, end and strides, inputs 1 to 3.
PartialShape SlicedByInputs(InferenceContext* ctx, const PartialShape& x);

}  // namespace minitf
