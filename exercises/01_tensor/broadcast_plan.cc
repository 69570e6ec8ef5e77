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
  MINITF_TODO("01.9");
  // TODO(01.9) end
}

}  // namespace

BroadcastPlan::BroadcastPlan(const Shape& output, std::span<const Shape* const> inputs)
    : axes_(output.rank()) {
  // TODO(01.9) begin: set size and strides of each of axes_, which are the output's
  MINITF_TODO("01.9");
  // TODO(01.9) end
  Merge();
}

void BroadcastPlan::Merge() {
  // TODO(01.9) begin: leave out axes of size 1; make one of neighbours where possible
  MINITF_TODO("01.9");
  // TODO(01.9) end
  if (axes_.empty()) axes_.emplace_back();
}

}  // namespace minitf
