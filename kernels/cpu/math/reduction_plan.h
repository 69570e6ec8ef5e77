// ReductionPlan: by which steps a tensor is reduced along any of its axes.
//
// A reduction is a broadcast backwards. With 1 for the sizes that are reduced, the result
// broadcasts to the input, and stands still along the axes that are reduced. So the axes
// of a BroadcastPlan are what is asked for: neighbours that are all reduced, or all kept,
// are one. Each reduced axis then takes one step over the tensor, and the last axis comes
// first:
//
//   [8,5,5,32] over axes 0,1,2   ->  [200,32] over 0     one step
//   [8,5,5,32] over axes 0,2     ->  [8,5,5,32] over 2, then [8,5,32] over 0
//
// Read next  kernels/cpu/gemm/matrix_product.h

#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/common/broadcast_plan.h"
#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// One step: x [outer,length,inner] becomes y [outer,inner].
struct ReductionSizes {
  int64_t outer = 1;
  int64_t length = 1;  ///< of the axis that is reduced
  int64_t inner = 1;
};

/// What a call reduces: the shape of the result, and the axes of the input, merged. They
/// mean nothing if the result has no elements.
struct ReductionPlan {
  Shape output;
  std::vector<BroadcastPlan::Axis> axes;  ///< the result is their only input
  int64_t num_reduced = 1;                ///< elements of the input for one of the output
};

/// The plan for `axes`, a scalar or a vector of integers, which count from the end if
/// they are negative. With `keep_dims` they remain, with size 1. Throws InvalidArgument
/// for an axis that is not there, or is given twice.
ReductionPlan PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims);

/// Whether an axis of a plan is one that is reduced.
bool IsReduced(const BroadcastPlan::Axis& axis);

/// Takes the last reduced axis out of `axes`, and returns the step that reduces it.
/// Requires: there is a reduced axis.
ReductionSizes NextStep(std::vector<BroadcastPlan::Axis>* axes);

}  // namespace minitf
