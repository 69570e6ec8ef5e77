// ObservedStep: telling an observer what runs.

#include "minitf/runtime/executor/step_observer.h"

#include "minitf/base/tier_note.h"

namespace minitf {

int64_t ObservedStep::SinceBegin(Clock::time_point time) const {
  return (time - begin_) / std::chrono::nanoseconds(1);
}

ObservedStep::Clock::time_point ObservedStep::NodeStarts(
    int32_t number, std::span<const Tensor> inputs) const {
  observer_->NodeStarts(*plan_.graph_nodes[number], inputs);
  TakeTierNote();  // of a kernel that ran on this thread before
  return Clock::now();
}

void ObservedStep::NodeEnds(int32_t number, const FrameAndIter& frame_iter,
                            Clock::time_point start, int thread,
                            std::span<const Tensor> outputs) const {
  observer_->NodeEnds({*plan_.graph_nodes[number],
                       plan_.device_names[plan_.placed_in[number]], frame_iter,
                       SinceBegin(start), SinceBegin(Clock::now()), thread, outputs,
                       TakeTierNote()});
}

}  // namespace minitf
