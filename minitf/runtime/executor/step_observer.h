// StepObserver: what a step tells a tracer or a debugger about each node that it runs.
//
// Compare    tensorflow/core/common_runtime/step_stats_collector.h
// Read next  minitf/runtime/executor/step_trace.h

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "minitf/framework/rendezvous.h"
#include "minitf/graph/graph.h"
#include "minitf/runtime/executor/executor_plan.h"
#include "minitf/runtime/executor/step_options.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// One run of one node.
struct NodeRun {
  const Node& node;
  std::string_view device;
  FrameAndIter frame_iter;
  int64_t start_ns = 0;  ///< since the step began
  int64_t end_ns = 0;
  int thread = 0;  ///< a number for the thread that ran it, 0 for the caller
  std::span<const Tensor> outputs;
  /// By which of several ways to its result the kernel has worked, or "" (tier_note.h).
  std::string_view tier;
};

/// Called from any thread, and from several at once; a step waits for what it calls.
class StepObserver {
 public:
  virtual ~StepObserver() = default;

  virtual void NodeStarts(const Node& node, std::span<const Tensor> inputs) = 0;
  /// Also for a node that failed, without outputs; not for one that is dead.
  virtual void NodeEnds(const NodeRun& run) = 0;
};

/// What a step tells its observer, if it has one.
class ObservedStep {
 public:
  using Clock = StepOptions::Clock;

  explicit ObservedStep(const ExecutorPlan& plan) : plan_(plan) {}

  /// A step begins, with an observer or, if that is null, without.
  void Begin(StepObserver* observer) {
    observer_ = observer;
    if (observer != nullptr) begin_ = Clock::now();
  }
  bool has_observer() const { return observer_ != nullptr; }

  /// Node `number` is about to run. Returns when it starts. Requires: has_observer().
  Clock::time_point NodeStarts(int32_t number, std::span<const Tensor> inputs) const;
  /// It has run. Requires: has_observer().
  void NodeEnds(int32_t number, const FrameAndIter& frame_iter, Clock::time_point start,
                int thread, std::span<const Tensor> outputs) const;

 private:
  int64_t SinceBegin(Clock::time_point time) const;

  const ExecutorPlan& plan_;
  StepObserver* observer_ = nullptr;
  Clock::time_point begin_;
};

}  // namespace minitf
