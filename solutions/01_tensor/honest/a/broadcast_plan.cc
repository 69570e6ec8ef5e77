// BroadcastPlan: strides of the inputs, and merging of axes.
//
// An input that is stretched along an axis has the stride 0 there: walking along the axis
// meets the same element again. For x [2,3,4] + y [4] the plan is
//
//   axis of the output     2    3    4            merged      6    4
//   strides of x          12    4    1      ->                4    1
//   strides of y           0    0    1                        0    1
//
// Exercise   exercises/01_tensor

#include "kernels/cpu/common/broadcast_plan.h"

#include "minitf/base/lab.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

using Axis = BroadcastPlan::Axis;

// Whether every input walks along two neighbouring axes as if they were one.
bool AreOneAxis(const Axis& outer, const Axis& inner) {
  // TODO(01.9) begin: return whether all do
  for (int i = 0; i < BroadcastPlan::kMaxInputs; ++i) {
    if (outer.strides[i] != inner.strides[i] * inner.size) return false;
  }
  return true;
  // TODO(01.9) end
}

}  // namespace

BroadcastPlan::BroadcastPlan(const Shape& output, std::span<const Shape* const> inputs)
    : axes_(output.rank()) {
  // TODO(01.9) begin: set size and strides of each of axes_, which are the output's
  std::vector<int64_t> strides(output.rank());
  for (int axis = 0; axis < output.rank(); ++axis) axes_[axis].size = output.dim(axis);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ExpandedStrides(*inputs[i], output, strides.data());
    for (int axis = 0; axis < output.rank(); ++axis) {
      axes_[axis].strides[i] = strides[axis];
    }
  }
  // TODO(01.9) end
  Merge();
}

void BroadcastPlan::Merge() {
  // TODO(01.9) begin: leave out axes of size 1; make one of neighbours where possible
  std::vector<Axis> merged;
  for (const Axis& axis : axes_) {
    if (axis.size == 1) continue;
    if (!merged.empty() && AreOneAxis(merged.back(), axis)) {
      // Wraps around only beside a size of 0, which makes 0 of it in the end.
      const uint64_t size = static_cast<uint64_t>(merged.back().size) *
                            static_cast<uint64_t>(axis.size);
      merged.back() = axis;
      merged.back().size = static_cast<int64_t>(size);
    } else {
      merged.push_back(axis);
    }
  }
  axes_ = merged;
  // TODO(01.9) end
  if (axes_.empty()) axes_.emplace_back();
}

}  // namespace minitf
