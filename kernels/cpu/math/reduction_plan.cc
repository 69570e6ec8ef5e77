// ReductionPlan: the shape of the result, and which axis comes next.
//
// Exercise   exercises/01_tensor

#include "kernels/cpu/math/reduction_plan.h"

#include <array>

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
  // LAB(01.10) begin: return whether it is
  return axis.strides[0] == 0 && axis.size != 1;  // a plan of scalars has an axis of 1
  // LAB(01.10) end
}

ReductionPlan PlanReduction(const Shape& input, const Tensor& axes, bool keep_dims) {
  const std::vector<bool> is_reduced = AreReduced(axes, input.rank());
  ReductionPlan plan;
  std::vector<int64_t> with_ones;  // the shape of the result with keep_dims
  std::vector<int64_t> without;    // and without
  // LAB(01.10) begin: set with_ones, `without` and plan.num_reduced
  uint64_t num_reduced = 1;  // wraps around only beside a size of 0
  for (int axis = 0; axis < input.rank(); ++axis) {
    const int64_t size = input.dim(axis);
    with_ones.push_back(is_reduced[axis] ? 1 : size);
    if (!is_reduced[axis]) without.push_back(size);
    if (is_reduced[axis]) num_reduced *= size;
  }
  plan.num_reduced = static_cast<int64_t>(num_reduced);
  // LAB(01.10) end
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
  // LAB(01.10) begin: set `sizes`, and take the axis out of `axes`
  auto last = axes->end() - 1;
  for (; !IsReduced(*last); --last) sizes.inner *= last->size;
  sizes.length = last->size;
  for (auto axis = axes->begin(); axis != last; ++axis) sizes.outer *= axis->size;
  axes->erase(last);
  // LAB(01.10) end
  return sizes;
}

}  // namespace minitf
