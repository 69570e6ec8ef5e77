// Propagator: which nodes of a step are ready, and the tensors that wait for the others.
//
// The propagator runs no kernel and starts no thread. When a node has run, the propagator
// puts the outputs into the slots of the consumers and returns the nodes that are ready:
//
//   Begin      counts as the plan has them, feeds in their slots; gives the first nodes
//   InputsOf   the slots of a node that is ready
//   PassOn     outputs into slots, counts down; gives the nodes that are ready now
//   TakeFetches, Clear   the end of a step
//
// The last consumer of a tensor gets it, the others get copies, so that a kernel can see
// whether it is the only owner and may write over it.
//
// Branches and loops are nodes like all others, with four rules for their tensors:
//
//   dead       Switch puts its data on one of two outputs. The other output is dead. A
//              node with a dead input does not run, and its outputs are dead. Merge takes
//              the first input that is alive
//   frame      Enter brings a tensor into a loop, Exit brings it out. Each entry of a
//              loop makes a frame with its own slots and counts
//   iteration  NextIteration brings a tensor from one iteration to the next. Up to
//              parallel_iterations of a loop run at once, each with slots and counts
//   constant   a tensor that enters with is_constant is an input of every iteration
//
//        x -> Enter -> Merge --> Switch -> body -> NextIteration --+
//                        ^         | false                         |
//                        +---------|-------------------------------+
//                                  +-> Exit -> value after the loop
//
// An iteration ends when no node in it can run any more. A loop ends with its last
// iteration. If only dead tensors entered the loop, its Exits are dead.
//
// Compare    tensorflow/core/common_runtime/propagator_state.h
//            Yu et al., Dynamic Control Flow in Large-Scale Machine Learning, 2018
// Read next  minitf/runtime/executor/executor.h

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/framework/rendezvous.h"
#include "minitf/runtime/executor/executor_plan.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

struct Frame;

/// One iteration of a loop, or what is outside of all loops: the tensors that wait, and
/// how many edges each node still waits for.
struct Iteration {
  Frame* frame = nullptr;  ///< null outside of all loops
  int64_t number = 0;
  std::vector<Tensor> slots;
  std::vector<int32_t> pending;
  std::vector<int32_t> num_dead;  ///< inputs that came dead; with control flow only
  int num_running = 0;            ///< in a loop: nodes that are ready or run
  std::vector<std::unique_ptr<Frame>> inner;  ///< loops entered from here, not yet over
};

/// A node that can run, and in which iteration of which loop.
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
  std::vector<std::pair<int32_t, Tensor>> next_roots;  ///< wait for an iteration's end
  std::vector<int32_t> dead_exits;                     ///< of the newest iteration
};

class Propagator {
 public:
  using Ready = std::vector<ReadyNode>;

  /// For steps of `plan`, one at a time. `is_shared`: PassOn may be called by several
  /// threads at once.
  Propagator(const ExecutorPlan& plan, bool is_shared);

  /// Begins a step. Adds the nodes that wait for nothing to *ready, the first one last.
  /// Requires: feeds[i] is that of _Arg i; what the step before left has been taken or
  /// cleared.
  void Begin(std::span<const Tensor> feeds, Ready* ready);

  /// Node `number`, outside of all loops: to run nodes in another order than they become
  /// ready in.
  ReadyNode Outermost(int32_t number) { return {number, false, &root_}; }

  /// Where the inputs of a node that is ready wait; running it takes them away.
  std::span<Tensor> InputsOf(const ReadyNode& ready) const {
    const PlannedNode& node = plan_.nodes[ready.node];
    return {ready.iteration->slots.data() + node.first_slot,
            static_cast<size_t>(node.num_inputs)};
  }

  static FrameAndIter FrameAndIterOf(const ReadyNode& ready) {
    const Iteration& iteration = *ready.iteration;
    return {iteration.frame == nullptr ? 0 : iteration.frame->id, iteration.number};
  }

  /// `done` has run, or was dead, and gave `outputs`, of which those without a value are
  /// dead. Puts them where they go, and adds the nodes that are ready now to *ready.
  /// Takes the outputs.
  void PassOn(const ReadyNode& done, std::span<Tensor> outputs, Ready* ready);

  /// Ends a step in which everything has run. InvalidArgument for a fetch that is dead.
  Status TakeFetches(std::vector<Tensor>* fetches);

  /// Ends a step that failed: drops all tensors and all loops.
  void Clear();

 private:
  // What comes along an edge.
  struct Arrival {
    Tensor* value = nullptr;  // null: a control edge
    bool is_dead = false;
    bool from_enter = false;

    bool is_control() const { return value == nullptr; }
  };

  // Without control flow.
  void FillSlots(const PlannedNode& node, std::span<Tensor> outputs, Ready* ready);
  bool IsLastToArrive(int32_t node);

  // With control flow.
  void BeginInFrames(std::span<const Tensor> feeds, Ready* ready);
  void PassOnInFrames(const ReadyNode& done, std::span<Tensor> outputs, Ready* ready);
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

  // The life of frames.
  Frame* FrameFor(const PlannedNode& enter, Iteration* parent);
  void AddIteration(Frame* frame, Ready* ready);
  std::unique_ptr<Iteration> NewIteration(Frame* frame);
  void CleanUp(Frame* frame, Ready* ready);
  void EndFrame(Frame* frame, Ready* ready);

  const ExecutorPlan& plan_;
  const bool is_shared_;
  Iteration root_;    // what is outside of all loops
  std::mutex mutex_;  // with control flow, guards all but the slots of nodes that run
  int64_t next_frame_id_ = 1;
  std::vector<std::vector<std::unique_ptr<Iteration>>> spare_;  // by frame of the plan
};

}  // namespace minitf
