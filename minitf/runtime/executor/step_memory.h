// StepMemory: where the outputs of each node go, when a session runs by a memory plan.
//
// A session that is asked for it works out the plan of passes/memory_plan.h when it makes
// an executor. A step then runs its nodes one after another, in the order that the plan
// was made for, with an arena of its own:
//
//   node 3   Conv2D   2,304,000 bytes at 0
//   node 4   Relu     writes over its input
//   node 5   MaxPool  576,000 bytes at 2,304,000
//
// What the plan does not know goes where it would go without one: tensors whose shape is
// known only when the step runs, temporary memory of kernels, fetches.
//
// In checking mode, whatever dies is overwritten with NaN at once. A step that gives the
// same with and without it reads no tensor after its death.
//
// Compare    tensorflow/lite/arena_planner.h
// Read next  minitf/runtime/graph_pipeline.h

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "minitf/passes/memory_plan.h"
#include "minitf/runtime/executor/executor_plan.h"
#include "minitf/runtime/executor/planned_arena.h"
#include "minitf/runtime/executor/propagator.h"

namespace minitf {

/// Whether the steps of a session share out memory by a plan.
enum class MemoryPlanMode {
  kOff,      ///< each tensor gets memory from the device's pool when it is made
  kOn,       ///< by the plan, if there are no branches, loops, waiting or other devices
  kChecked,  ///< the same, and what is dead is overwritten
};

struct StepMemory {
  /// The places of the tensors in `lives`, for the nodes of `plan`. Requires: both are of
  /// one step, and CanPlan(plan).
  StepMemory(const PlannedStep& lives, const ExecutorPlan& plan, bool poisons);

  /// Whether there is one order in which the nodes of `plan` may always run.
  static bool CanPlan(const ExecutorPlan& plan);

  /// Tells `arena` where the outputs of node `number` go.
  void ExpectOutputsOf(int32_t number, PlannedArena* arena) const;

  std::vector<int32_t> order;  ///< numbers of nodes, as they run
  /// By number of the node.
  std::vector<std::vector<PlannedArena::Place>> places;
  int64_t arena_size = 0;  ///< bytes
  bool poisons = false;
};

/// The memory of one step at a time: an arena, and what kernels are given to use it.
class StepArena {
 public:
  /// Takes its memory from the device of `plan` when the first node is about to run.
  /// Requires: `memory` was made for `plan`, and both outlive this.
  StepArena(const StepMemory& memory, const ExecutorPlan& plan);

  /// Instead of the first nodes that `propagator` gave, puts all into *ready: each is
  /// ready when the plan comes to it. The first one comes last.
  void BeginInOrder(Propagator* propagator, Propagator::Ready* ready) const;
  /// Node `number` is about to run. Throws ResourceExhausted when there is no room.
  void ExpectOutputsOf(int32_t number);
  /// The step is over. If a fetched tensor or a variable still has memory of the arena,
  /// the arena stays until that is freed, and the next step gets another one.
  void End();

  /// That of all nodes of the plan, with the arena as its memory.
  const DeviceContext& device() const { return device_; }

 private:
  const StepMemory& memory_;
  const DeviceContext& plain_device_;
  DeviceContext device_;
  std::unique_ptr<PlannedArena, void (*)(PlannedArena*)> arena_;
};

}  // namespace minitf
