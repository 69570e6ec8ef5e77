// ReductionPlan: the shape of the result, and which axis comes next.
//
// Exercise   exercises/01_tensor

#include "kernels/cpu/math/reduction_plan.h"

#include <array>

#include "minitf/base/lab.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// For every axis of a shape of `rank`, whether it is one of `axes`.
std::vector<bool> AreReduced(const Tensor& axes, int rank) {
  Require(axes.rank() <= 1, "the axes must be a scalar or a vector, their shape is ",
          axes.shape());
  std::vector<bool> is_reduced(rank, false);
  for (const int64_t given : IntegersOf(axes)) {
    const int axis = NormalizedAxis(given, rank);
    Require(!is_reduced[axis], "axis ", given, " is given twice");
    is_reduced[axis] = true;
  }
  return is_reduced;
}

}  // namespace

bool IsReduced(const BroadcastPlan::Axis& axis) {
  // TODO(01.10) begin: return whether it is
  return axis.size != 1 && axis.strides[0] == 0;
  // TODO(01.10) end
}

ReductionPlan PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims) {
  const std::vector<bool> is_reduced = AreReduced(axes, input.rank());
  ReductionPlan plan;
  std::vector<int64_t> with_ones;  // the shape of the result with keep_dims
  std::vector<int64_t> without;    // and without
  // TODO(01.10) begin: set with_ones, `without` and plan.num_reduced
  uint64_t reduced = 1;  // may wrap around, beside a size of 0 only
  for (int axis = 0; axis < input.rank(); ++axis) {
    const int64_t size = input.dim(axis);
    if (is_reduced[axis]) {
      with_ones.push_back(1);
      reduced *= static_cast<uint64_t>(size);
    } else {
      with_ones.push_back(size);
      without.push_back(size);
    }
  }
  plan.num_reduced = static_cast<int64_t>(reduced);
  // TODO(01.10) end
  const Shape stretched(with_ones);
  const std::array<const Shape*, 1> results = {&stretched};
  plan.axes = BroadcastPlan(input, results).axes();
  plan.output = keep_dims ? stretched : Shape(without);
  return plan;
}

// The last axis comes first because its elements lie closest together: the step over the
// whole tensor reads memory in long pieces, and the steps after it work on a tensor that
// is smaller by its length.
ReductionSizes NextStep(std::vector<BroadcastPlan::Axis>* axes) {
  ReductionSizes sizes;
  // TODO(01.10) begin: set `sizes`, and take the axis out of `axes`
  int last = static_cast<int>(axes->size()) - 1;
  while (!IsReduced((*axes)[last])) --last;
  for (int i = 0; i < static_cast<int>(axes->size()); ++i) {
    const int64_t size = (*axes)[i].size;
    if (i < last) sizes.outer *= size;
    if (i == last) sizes.length = size;
    if (i > last) sizes.inner *= size;
  }
  axes->erase(axes->begin() + last);
  // TODO(01.10) end
  return sizes;
}

}  // namespace minitf
