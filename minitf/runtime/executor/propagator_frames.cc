// Propagator: dead tensors; the life of frames and their iterations.

#include <utility>

#include "minitf/runtime/executor/propagator.h"

namespace minitf {

// With control flow, the feeds are what _Arg nodes give.
void Propagator::BeginInFrames(std::span<const Tensor> feeds, Ready* ready) {
  root_.pending = plan_.frames[0].pending;
  root_.num_dead.assign(root_.pending.size(), 0);
  for (const int32_t root : plan_.roots) {
    if (plan_.nodes[root].role == OpRole::kArg) {
      Tensor feed = feeds[plan_.nodes[root].other];
      Activate(root, false, {&feed, 1}, &root_, ready);
    } else {
      ready->push_back({root, false, &root_});
    }
  }
}

void Propagator::PassOnInFrames(const ReadyNode& done, std::span<Tensor> outputs,
                                Ready* ready) {
  const std::lock_guard lock(mutex_);
  const PlannedNode& node = plan_.nodes[done.node];
  switch (node.role) {
    case OpRole::kEnter: Enter(node, done, outputs, ready); break;
    case OpRole::kExit: Exit(done, outputs, ready); break;
    case OpRole::kNextIteration: NextIteration(done, outputs, ready); break;
    default: {
      // A Recv runs, and may find that what was sent is dead.
      const bool got_dead = node.role == OpRole::kReceive && !outputs[0].has_value();
      Activate(done.node, done.is_dead || got_dead, outputs, done.iteration, ready);
    }
  }
  for (Tensor& output : outputs) output.Reset();
  --done.iteration->num_running;
  if (done.iteration != &root_) CleanUp(done.iteration->frame, ready);
}

void Propagator::Enter(const PlannedNode& node, const ReadyNode& done,
                       std::span<Tensor> outputs, Ready* ready) {
  Frame* frame = FrameFor(node, done.iteration);
  --frame->num_enters_to_come;
  if (node.is_constant_enter && !done.is_dead) {
    frame->constants.emplace_back(done.node, outputs[0]);
    for (const auto& iteration : frame->iterations) {
      std::vector<Tensor> copy{outputs[0]};
      Activate(done.node, false, copy, iteration.get(), ready);
    }
  } else {
    Activate(done.node, done.is_dead, outputs, frame->iterations.front().get(), ready);
  }
  CleanUp(frame, ready);
}

void Propagator::Exit(const ReadyNode& done, std::span<Tensor> outputs, Ready* ready) {
  Frame* frame = done.iteration->frame;
  if (!done.is_dead) return Activate(done.node, false, outputs, frame->parent, ready);
  // Dead in every iteration but the last. If it is dead there, too, so is the loop.
  if (done.iteration->number == frame->newest) frame->dead_exits.push_back(done.node);
}

void Propagator::NextIteration(const ReadyNode& done, std::span<Tensor> outputs,
                               Ready* ready) {
  if (done.is_dead) return;  // no further iteration
  Frame* frame = done.iteration->frame;
  if (done.iteration->number == frame->newest) {
    if (static_cast<int>(frame->iterations.size()) >= frame->plan->parallel_iterations) {
      frame->next_roots.emplace_back(done.node, std::move(outputs[0]));
      return;
    }
    AddIteration(frame, ready);
  }
  // The iteration after this one is there as long as this one is: they end in order.
  const int64_t behind_oldest =
      done.iteration->number + 1 - frame->iterations.front()->number;
  Activate(done.node, false, outputs, frame->iterations[behind_oldest].get(), ready);
}

// Puts the outputs of node `from` into the slots of its consumers in `into`.
void Propagator::Activate(int32_t from, bool is_dead, std::span<Tensor> outputs,
                          Iteration* into, Ready* ready) {
  const PlannedNode& node = plan_.nodes[from];
  const bool from_enter = node.role == OpRole::kEnter;
  int edge = node.first_edge;
  for (int i = 0; i < node.num_outputs; ++i) {
    const int end = plan_.edge_ends[node.first_output + i];
    const bool is_dead_output = is_dead || !outputs[i].has_value();
    for (; edge < end; ++edge) {
      // The last one owns the tensor alone, and may write over it.
      Tensor value = edge + 1 < end || is_dead_output ? Tensor() : std::move(outputs[i]);
      if (edge + 1 < end && !is_dead_output) value = outputs[i];
      Deliver(plan_.edges[edge], {&value, is_dead_output, from_enter}, into, ready);
    }
  }
  for (; edge < node.end_edge; ++edge) {
    Deliver(plan_.edges[edge], {nullptr, is_dead, from_enter}, into, ready);
  }
}

// Takes one edge off the count of a consumer, which may be ready then.
void Propagator::Deliver(const PlannedEdge& edge, const Arrival& arrival, Iteration* into,
                         Ready* ready) {
  if (edge.node < 0) {  // a fetch
    if (!arrival.is_dead) into->slots[edge.slot] = std::move(*arrival.value);
    return;
  }
  const PlannedNode& consumer = plan_.nodes[edge.node];
  bool is_ready = false;
  bool consumer_is_dead = false;
  if (consumer.role == OpRole::kMerge) {
    is_ready = DeliverToMerge(edge, arrival, into, &consumer_is_dead);
  } else {
    if (arrival.is_dead) ++into->num_dead[consumer.counter];
    if (!arrival.is_control() && !arrival.is_dead) {
      into->slots[edge.slot] = std::move(*arrival.value);
    }
    is_ready = --into->pending[consumer.counter] == 0;
    consumer_is_dead =
        into->num_dead[consumer.counter] > 0 && consumer.role != OpRole::kControlTrigger;
  }
  if (!is_ready) return;
  ++into->num_running;
  ready->push_back({edge.node, consumer_is_dead, into});
}

// A Merge waits for its control edges and for one input that is alive. Its counter holds
// twice the control edges to come, and 1 while no live input has come. It is dead when
// all inputs are; in a loop it also is when what enters is, since what would come back
// from a NextIteration then never comes.
bool Propagator::DeliverToMerge(const PlannedEdge& edge, const Arrival& arrival,
                                Iteration* into, bool* merge_dead) {
  const PlannedNode& merge = plan_.nodes[edge.node];
  int32_t& pending = into->pending[merge.counter];
  int32_t& num_dead = into->num_dead[merge.counter];
  if (arrival.is_control()) {
    pending -= 2;
    *merge_dead = num_dead >= merge.num_inputs;
    return pending == 0 || (pending == 1 && *merge_dead);
  }
  if (arrival.is_dead) {
    num_dead = arrival.from_enter ? merge.num_inputs : num_dead + 1;
    *merge_dead = num_dead >= merge.num_inputs;
    return pending == 1 && *merge_dead;
  }
  if ((pending & 1) == 0) return false;  // another live input was first
  into->slots[edge.slot] = std::move(*arrival.value);
  return --pending == 0;
}

// The frame that `enter` enters from `parent`, made by the first Enter that comes.
Frame* Propagator::FrameFor(const PlannedNode& enter, Iteration* parent) {
  for (const auto& frame : parent->inner) {
    if (frame->plan_number == enter.other) return frame.get();
  }
  auto frame = std::make_unique<Frame>();
  frame->plan_number = enter.other;
  frame->plan = &plan_.frames[enter.other];
  frame->id = next_frame_id_++;
  frame->parent = parent;
  frame->num_enters_to_come = frame->plan->num_enters;
  frame->iterations.push_back(NewIteration(frame.get()));
  parent->inner.push_back(std::move(frame));
  return parent->inner.back().get();
}

std::unique_ptr<Iteration> Propagator::NewIteration(Frame* frame) {
  spare_.resize(plan_.frames.size());
  auto& spare = spare_[frame->plan_number];
  std::unique_ptr<Iteration> iteration;
  if (spare.empty()) {
    iteration = std::make_unique<Iteration>();
    iteration->slots.resize(frame->plan->num_slots);
  } else {
    iteration = std::move(spare.back());
    spare.pop_back();
  }
  iteration->frame = frame;
  iteration->number = frame->newest;
  iteration->pending = frame->plan->pending;
  iteration->num_dead.assign(frame->plan->pending.size(), 0);
  return iteration;
}

// Starts the next iteration, which gets the constants, and what waited for it.
void Propagator::AddIteration(Frame* frame, Ready* ready) {
  ++frame->newest;
  frame->dead_exits.clear();
  frame->iterations.push_back(NewIteration(frame));
  Iteration* iteration = frame->iterations.back().get();
  for (const auto& [enter, value] : frame->constants) {
    std::vector<Tensor> copy{value};
    Activate(enter, false, copy, iteration, ready);
  }
  for (auto& [node, value] : std::exchange(frame->next_roots, {})) {
    Activate(node, false, {&value, 1}, iteration, ready);
  }
}

// Ends the iterations that are over, oldest first, and the loop when all are.
void Propagator::CleanUp(Frame* frame, Ready* ready) {
  auto& iterations = frame->iterations;
  while (!iterations.empty()) {
    Iteration& oldest = *iterations.front();
    const bool is_over = oldest.num_running == 0 && oldest.inner.empty() &&
                         (oldest.number > 0 || frame->num_enters_to_come == 0);
    if (!is_over) return;
    // Inputs of a Merge that came too late, and of nodes that never became ready.
    for (Tensor& slot : oldest.slots) slot.Reset();
    if (!frame->next_roots.empty()) AddIteration(frame, ready);
    spare_[frame->plan_number].push_back(std::move(iterations.front()));
    iterations.erase(iterations.begin());
  }
  EndFrame(frame, ready);
}

void Propagator::EndFrame(Frame* frame, Ready* ready) {
  Iteration* parent = frame->parent;
  for (const int32_t exit : frame->dead_exits) {
    std::vector<Tensor> none(1);
    Activate(exit, true, none, parent, ready);
  }
  std::erase_if(parent->inner, [&](const auto& inner) { return inner.get() == frame; });
  if (parent != &root_) CleanUp(parent->frame, ready);
}

}  // namespace minitf
