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

#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

using Axis = BroadcastPlan::Axis;

// Whether every input walks along two neighbouring axes as if they were one.
bool AreOneAxis(const Axis& outer, const Axis& inner) {
  // LAB(01.9) begin: return whether all do
  for (int i = 0; i < BroadcastPlan::kMaxInputs; ++i) {
    if (outer.strides[i] != inner.strides[i] * inner.size) return false;
  }
  return true;
  // LAB(01.9) end
}

}  // namespace

BroadcastPlan::BroadcastPlan(const Shape& output, std::span<const Shape* const> inputs)
    : axes_(output.rank()) {
  // LAB(01.9) begin: set size and strides of each of axes_, which are the output's
  Sizes strides(output.sizes());  // of one input after another
  for (size_t i = 0; i < inputs.size(); ++i) {
    ExpandedStrides(*inputs[i], output, strides.data());
    for (int k = 0; k < output.rank(); ++k) axes_[k].strides[i] = strides.data()[k];
  }
  for (int k = 0; k < output.rank(); ++k) axes_[k].size = output.sizes()[k];
  // LAB(01.9) end
  Merge();
}

void BroadcastPlan::Merge() {
  // LAB(01.9) begin: leave out axes of size 1; make one of neighbours where possible
  size_t count = 0;  // of the merged axes, which come first
  for (const Axis& axis : axes_) {
    if (axis.size == 1) continue;
    if (count > 0 && AreOneAxis(axes_[count - 1], axis)) {
      // Beside a size of 0 the product may wrap around, and becomes 0 or is never used.
      const uint64_t size = static_cast<uint64_t>(axes_[count - 1].size) * axis.size;
      axes_[count - 1] = {static_cast<int64_t>(size), axis.strides};
    } else {
      axes_[count++] = axis;
    }
  }
  axes_.resize(count);
  // LAB(01.9) end
  if (axes_.empty()) axes_.emplace_back();
}

}  // namespace minitf
