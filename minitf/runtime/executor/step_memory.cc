// From the plan of a graph to the places of an executor's nodes.

#include "minitf/runtime/executor/step_memory.h"

#include <unordered_map>

#include "minitf/base/logging.h"

namespace minitf {

bool StepMemory::CanPlan(const ExecutorPlan& plan) {
  return plan.device_names.size() == 1 && !plan.has_control_flow && !plan.has_async;
}

StepMemory::StepMemory(const PlannedStep& lives, const ExecutorPlan& plan, bool poisons)
    : places(plan.nodes.size()), poisons(poisons) {
  const MemoryPlan memory = PlanMemory(lives.buffers);
  arena_size = memory.arena_size;

  std::unordered_map<const Node*, int32_t> numbers;
  for (int32_t i = 0; i < plan.num_nodes(); ++i) numbers[plan.graph_nodes[i]] = i;
  for (const Node* node : lives.order) {
    const bool is_run = node->role() != OpRole::kArg && node->role() != OpRole::kRetval;
    if (is_run) order.push_back(numbers.at(node));
  }
  for (const PlannedTensor& planned : lives.tensors) {
    const BufferLife& life = lives.buffers[planned.buffer];
    if (lives.OutlivesStep(life)) continue;
    places[numbers.at(planned.tensor.node)].push_back(
        {memory.offsets[planned.buffer], life.size});
  }
  VLOG(1) << "memory plan: " << lives.tensors.size() << " tensors of "
          << lives.total_bytes << " bytes in " << arena_size << " bytes, "
          << lives.num_unknown << " tensors are not planned";
}

void StepMemory::ExpectOutputsOf(int32_t number, PlannedArena* arena) const {
  arena->ExpectNothing();
  for (const auto& [offset, bytes] : places[number]) arena->Expect(offset, bytes);
}

StepArena::StepArena(const StepMemory& memory, const ExecutorPlan& plan)
    : memory_(memory),
      plain_device_(*plan.nodes[memory.order.front()].device),
      device_(plain_device_),
      arena_(nullptr, [](PlannedArena* arena) { arena->Release(); }) {}

void StepArena::BeginInOrder(Propagator* propagator, Propagator::Ready* ready) const {
  ready->clear();
  for (auto number = memory_.order.rbegin(); number != memory_.order.rend(); ++number) {
    ready->push_back(propagator->Outermost(*number));
  }
}

void StepArena::ExpectOutputsOf(int32_t number) {
  if (arena_ == nullptr) {
    arena_.reset(
        new PlannedArena(memory_.arena_size, memory_.poisons, plain_device_.allocator));
    device_.allocator = arena_.get();
  }
  memory_.ExpectOutputsOf(number, arena_.get());
}

void StepArena::End() {
  if (arena_ != nullptr && arena_->stats().bytes_in_use > 0) arena_.reset();
}

}  // namespace minitf
