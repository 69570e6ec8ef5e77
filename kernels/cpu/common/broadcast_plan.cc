// BroadcastPlan: strides of the inputs, and merging of axes.
//
// An input that is stretched along an axis has the stride 0 there: walking along the axis
// meets the same element again. For x [2,3,4] + y [4] the plan is
//
//   axis of the output     2    3    4            merged      6    4
//   strides of x          12    4    1      ->                4    1
//   strides of y           0    0    1                        0    1
//
// The axes of 2 and 3 merge because for both inputs a step along the first is three steps
// along the second. So two loops remain, and the inner one runs over plain memory.

#include "kernels/cpu/common/broadcast_plan.h"

namespace minitf {
namespace {

using Axis = BroadcastPlan::Axis;

// Whether a step along `outer` equals a walk along all of `inner`, for every input. With
// strides of 0 in both, the condition holds, too.
bool AreOneAxis(const Axis& outer, const Axis& inner) {
  for (int i = 0; i < BroadcastPlan::kMaxInputs; ++i) {
    if (outer.strides[i] != inner.strides[i] * inner.size) return false;
  }
  return true;
}

}  // namespace

BroadcastPlan::BroadcastPlan(const Shape& output, std::span<const Shape* const> inputs) {
  // From the last axis to the first; `axes_` is reversed at the end.
  Offsets sizes_below{};
  sizes_below.fill(1);
  for (int from_end = 1; from_end <= output.rank(); ++from_end) {
    Axis axis;
    axis.size = output.dim(output.rank() - from_end);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int rank = inputs[i]->rank();
      const int64_t size = from_end <= rank ? inputs[i]->dim(rank - from_end) : 1;
      axis.strides[i] = size == 1 ? 0 : sizes_below[i];
      sizes_below[i] *= size;
    }
    Add(axis);
  }
  if (axes_.empty()) axes_.emplace_back();
  std::ranges::reverse(axes_);
}

void BroadcastPlan::Add(const Axis& axis) {
  if (axis.size == 1) return;
  if (!axes_.empty() && AreOneAxis(axis, axes_.back())) {
    axes_.back().size *= axis.size;
  } else {
    axes_.push_back(axis);
  }
}

}  // namespace minitf
