// Propagator: counts and slots, where no node is a branch or a loop.
//
// Exercise   exercises/03_session

#include "minitf/runtime/executor/propagator.h"

#include <atomic>
#include <utility>

namespace minitf {

Propagator::Propagator(const ExecutorPlan& plan, bool is_shared)
    : plan_(plan), is_shared_(is_shared) {
  root_.slots.resize(plan.frames[0].num_slots);
}

void Propagator::Begin(std::span<const Tensor> feeds, Ready* ready) {
  if (plan_.has_control_flow) return BeginInFrames(feeds, ready);
  // LAB(03.7) begin: counts as the plan has them, feeds into their slots, and the roots
  root_.pending = plan_.frames[0].pending;
  int edge = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    for (; edge < plan_.feed_ends[i]; ++edge) {
      root_.slots[plan_.feed_edges[edge].slot] = feeds[i];
    }
  }
  for (const int32_t root : plan_.roots) ready->push_back({root, false, &root_});
  // LAB(03.7) end
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
  // LAB(03.7) begin: go through the edges of each output, then the control edges
  int edge = node.first_edge;
  for (int i = 0; i < node.num_outputs; ++i) {
    Tensor& output = outputs[i];
    const int end = plan_.edge_ends[node.first_output + i];
    for (; edge < end; ++edge) {
      const auto [slot, consumer] = plan_.edges[edge];
      if (edge + 1 < end) {
        root_.slots[slot] = output;  // NOLINT(bugprone-use-after-move): not the last
      } else {  // The last one owns the tensor alone, and may write over it.
        root_.slots[slot] = std::move(output);
      }
      if (consumer >= 0 && IsLastToArrive(consumer)) {
        ready->push_back({consumer, false, &root_});
      }
    }
    output.Reset();
  }
  for (; edge < node.end_edge; ++edge) {
    const int32_t consumer = plan_.edges[edge].node;
    if (IsLastToArrive(consumer)) ready->push_back({consumer, false, &root_});
  }
  // LAB(03.7) end
}

// Takes an edge off the count of `node`; whether it was the last. The thread that takes
// the last one sees all that the others have written into slots.
bool Propagator::IsLastToArrive(int32_t node) {
  // LAB(03.7) begin: count down, safely if the step is shared
  const int32_t counter = plan_.nodes[node].counter;
  if (plan_.frames[0].pending[counter] == 1) return true;
  int32_t& pending = root_.pending[counter];
  if (!is_shared_) return --pending == 0;
  // It acquires and releases.
  return std::atomic_ref(pending).fetch_sub(1, std::memory_order_acq_rel) == 1;
  // LAB(03.7) end
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
