// ControlFlow: where tensors go when a graph has branches and loops.
//
// Branches and loops are nodes like all others, with four rules for their tensors:
//
//   dead      Switch puts its data on one of two outputs. The other is dead, and so is
//             everything that needs it: such a node is not run, it only passes on that it
//             is dead. Merge takes the first input that is alive, so there a branch that
//             was not taken ends
//   frame     Enter brings a tensor into a loop, Exit brings it out. Each time that a
//             loop is entered it is a frame, with slots and counters of its own
//   turn      NextIteration brings a tensor from one turn of a loop to the next. Turns of
//             one loop may run at once, up to parallel_iterations of them; each has slots
//             and counters of its own, and so no two mix
//   constant  what enters a loop with is_constant is handed to every turn
//
//        x -> Enter -> Merge --> Switch -> body -> NextIteration --+
//                        ^         | false                         |
//                        +---------|-------------------------------+
//                                  +-> Exit -> value after the loop
//
// A turn is over when nothing in it runs or can run any more, and then its memory goes to
// the next one. A loop is over when all its turns are; then, if it was entered with dead
// tensors only, its Exits are dead.
//
// Compare    tensorflow/core/common_runtime/propagator_state.h
//            Yu et al., Dynamic Control Flow in Large-Scale Machine Learning, 2018
// Read next  minitf/runtime/executor/kernel_cache.h

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "minitf/runtime/executor/executor_plan.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

struct Frame;

/// One turn of a loop, or of what is outside of all loops: the tensors that wait, and how
/// many edges each node still waits for.
struct Iteration {
  Frame* frame = nullptr;
  int64_t number = 0;
  std::vector<Tensor> slots;
  std::vector<int32_t> pending;
  std::vector<int32_t> num_dead;  ///< inputs that came dead; with control flow only
  int num_running = 0;            ///< nodes that are ready or run
  std::vector<std::unique_ptr<Frame>> inner;  ///< loops entered from here, not yet over
};

/// A node that can run, and in which turn of which loop.
struct ReadyNode {
  int32_t node = 0;
  bool is_dead = false;
  Iteration* iteration = nullptr;
};

/// One run of a loop.
struct Frame {
  const PlannedFrame* plan = nullptr;
  int32_t plan_number = 0;
  int64_t id = 0;
  Iteration* parent = nullptr;
  int num_enters_to_come = 0;
  int64_t newest = 0;                                  ///< number of the newest iteration
  std::vector<std::unique_ptr<Iteration>> iterations;  ///< those not over, oldest first
  std::vector<std::pair<int32_t, Tensor>> constants;   ///< by Enter
  std::vector<std::pair<int32_t, Tensor>> next_roots;  ///< wait for a turn to be over
  std::vector<int32_t> dead_exits;                     ///< of the newest iteration
};

class ControlFlow {
 public:
  /// `root` is the iteration outside of all loops, which the step owns.
  ControlFlow(const ExecutorPlan& plan, Iteration* root) : plan_(plan), root_(root) {}

  /// Notes that `node` is about to run, for the roots of a step. All others are noted
  /// when they become ready.
  void Start(const ReadyNode& node) { ++node.iteration->num_running; }

  /// `done` has run, or was dead, and gave `outputs`, of which those without a value are
  /// dead. Puts them where they go and adds the nodes that are now ready to *ready. Takes
  /// the outputs. Safe to call from any thread.
  void PassOn(const ReadyNode& done, std::span<Tensor> outputs,
              std::vector<ReadyNode>* ready);

  /// Drops all loops: after a step that failed.
  void Clear();

 private:
  using Ready = std::vector<ReadyNode>;

  // What comes along an edge.
  struct Arrival {
    Tensor* value = nullptr;  // null: a control edge
    bool is_dead = false;
    bool from_enter = false;

    bool is_control() const { return value == nullptr; }
  };

  void Enter(const PlannedNode& node, const ReadyNode& done, std::span<Tensor> outputs,
             Ready* ready);
  void Exit(const ReadyNode& done, std::span<Tensor> outputs, Ready* ready);
  void NextIteration(const ReadyNode& done, std::span<Tensor> outputs, Ready* ready);
  void Activate(int32_t from, bool is_dead, std::span<Tensor> outputs, Iteration* into,
                Ready* ready);
  void Deliver(const PlannedEdge& edge, const Arrival& arrival, Iteration* into,
               Ready* ready);
  bool DeliverToMerge(const PlannedEdge& edge, const Arrival& arrival, Iteration* into,
                      bool* merge_dead);

  Frame* FrameFor(const PlannedNode& enter, Iteration* parent);
  void AddIteration(Frame* frame, Ready* ready);
  std::unique_ptr<Iteration> NewIteration(Frame* frame);
  void CleanUp(Frame* frame, Ready* ready);
  void EndFrame(Frame* frame, Ready* ready);

  const ExecutorPlan& plan_;
  Iteration* const root_;
  std::mutex mutex_;  // guards all iterations but for the slots of nodes that run
  int64_t next_frame_id_ = 1;
  std::vector<std::vector<std::unique_ptr<Iteration>>> spare_;  // by frame of the plan
};

}  // namespace minitf
