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

#include "minitf/tensor/tensor_view.h"

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

BroadcastPlan::BroadcastPlan(const Shape& output, std::span<const Shape* const> inputs)
    : axes_(output.rank()) {
  Sizes strides(output.sizes());  // of one input after another
  for (size_t i = 0; i < inputs.size(); ++i) {
    ExpandedStrides(*inputs[i], output, strides.data());
    for (int k = 0; k < output.rank(); ++k) axes_[k].strides[i] = strides.data()[k];
  }
  for (int k = 0; k < output.rank(); ++k) axes_[k].size = output.sizes()[k];
  Merge();
}

void BroadcastPlan::Merge() {
  size_t count = 0;  // of the merged axes, which come first
  for (const Axis& axis : axes_) {
    if (axis.size == 1) continue;
    if (count > 0 && AreOneAxis(axes_[count - 1], axis)) {
      axes_[count - 1] = {axes_[count - 1].size * axis.size, axis.strides};
    } else {
      axes_[count++] = axis;
    }
  }
  axes_.resize(count);
  if (axes_.empty()) axes_.emplace_back();
}

}  // namespace minitf
