// BroadcastPlan: merging axes.

#include "kernels/cpu/common/broadcast_plan.h"

#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

using Axis = BroadcastPlan::Axis;

// Whether a step along `outer` equals a walk along all of `inner`, for every input.
bool AreOneAxis(const Axis& outer, const Axis& inner) {
  for (int i = 0; i < BroadcastPlan::kMaxInputs; ++i) {
    if (outer.strides[i] != inner.strides[i] * inner.size) return false;
  }
  return true;
}

}  // namespace

BroadcastPlan::BroadcastPlan(const Shape& output, std::span<const Shape* const> inputs) {
  axes_.reserve(output.rank() + 1);
  std::array<Sizes, kMaxInputs> strides;
  for (size_t i = 0; i < inputs.size(); ++i) {
    strides[i] = ExpandedStrides(*inputs[i], output);
  }
  for (int k = 0; k < output.rank(); ++k) {
    Axis axis{output.sizes()[k], {}};
    for (size_t i = 0; i < inputs.size(); ++i) axis.strides[i] = strides[i].data()[k];
    Add(axis);
  }
  if (axes_.empty()) axes_.emplace_back();
}

void BroadcastPlan::Add(const Axis& axis) {
  if (axis.size == 1) return;
  if (!axes_.empty() && AreOneAxis(axes_.back(), axis)) {
    axes_.back() = {axes_.back().size * axis.size, axis.strides};
  } else {
    axes_.push_back(axis);
  }
}

}  // namespace minitf
