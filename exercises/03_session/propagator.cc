// Propagator: counts and slots, where no node is a branch or a loop.
//
// Exercise   exercises/03_session

#include "minitf/runtime/executor/propagator.h"

#include <atomic>
#include <utility>

#include "minitf/base/lab.h"

namespace minitf {

Propagator::Propagator(const ExecutorPlan& plan, bool is_shared)
    : plan_(plan), is_shared_(is_shared) {
  root_.slots.resize(plan.frames[0].num_slots);
}

void Propagator::Begin(std::span<const Tensor> feeds, Ready* ready) {
  if (plan_.has_control_flow) return BeginInFrames(feeds, ready);
  // TODO(03.7) begin: counts as the plan has them, feeds into their slots, and the roots
  MINITF_TODO("03.7");
  // TODO(03.7) end
}

void Propagator::PassOn(const ReadyNode& done, std::span<Tensor> outputs, Ready* ready) {
  if (plan_.has_control_flow) {
    PassOnInFrames(done, outputs, ready);
  } else {
    FillSlots(plan_.nodes[done.node], outputs, ready);
  }
}

// Puts each output into the slots of its consumers, and adds the consumers that have now
// got everything to *ready.
void Propagator::FillSlots(const PlannedNode& node, std::span<Tensor> outputs,
                           Ready* ready) {
  // TODO(03.7) begin: go through the edges of each output, then the control edges
  MINITF_TODO("03.7");
  // TODO(03.7) end
}

// Takes an edge off the count of `node`; whether it was the last. The thread that takes
// the last one sees all that the others have written into slots.
bool Propagator::IsLastToArrive(int32_t node) {
  // TODO(03.7) begin: count down, safely if the step is shared
  MINITF_TODO("03.7");
  // TODO(03.7) end
}

Status Propagator::TakeFetches(std::vector<Tensor>* fetches) {
  fetches->resize(plan_.num_fetches());
  for (int i = 0; i < plan_.num_fetches(); ++i) {
    (*fetches)[i] = std::move(root_.slots[plan_.first_fetch_slot + i]);
    if ((*fetches)[i].has_value()) continue;
    fetches->clear();
    return errors::InvalidArgument("Retval[", i,
                                   "] does not have value: ", plan_.fetch_names[i],
                                   " is in a branch that was not taken");
  }
  return {};
}

void Propagator::Clear() {
  for (Tensor& slot : root_.slots) slot.Reset();
  root_.inner.clear();
}

}  // namespace minitf
