// Executor: runs a graph, each node as soon as its inputs are there.
//
// Everything that can be decided before a step is decided once, when the executor is made
// (executor_plan.h): each node with its kernel, where its inputs lie, how many it waits
// for, and whom it feeds. A step then looks nothing up. It has an array of slots for
// tensors and an array of counters, kept from step to step; a kernel's outputs are put
// into the slots of its consumers, a consumer's counter falls, and at zero it is ready.
//
//   own list   what becomes ready waits in a list of the thread that made it ready, and
//              runs there: no recursion and no lock, so 100,000 nodes in a row are a loop
//   shared     if several become ready that take long, the thread keeps one and offers
//              the others to helpers from the pool. How long a node takes is measured now
//              and then; before that its kernel's word counts
//   alone      with a pool of one thread all run in the caller, in an order that depends
//              on the graph alone
//   waiting    an asynchronous kernel returns before it is done and holds no thread. When
//              it is done, its node is offered as a ready one is
//   by plan    where memory is planned, nodes run in the order of the plan: step_memory.h
//   memory     the last consumer of a tensor gets it, the others get copies, so that a
//              kernel can see whether it is the only owner and may write over it
//   branches   and loops have rules of their own: control_flow.h
//   errors     the first node that fails names the step's status; nothing new is started,
//              what waits is cancelled, and the step ends when the nodes that run have
//              ended
//
// Compare    tensorflow/core/common_runtime/executor/executor.h
// Read next  minitf/runtime/executor/executor_step.h

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/base/thread_pool.h"
#include "minitf/framework/cancellation.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/graph/graph.h"
#include "minitf/runtime/executor/executor_plan.h"
#include "minitf/runtime/executor/kernel_cache.h"
#include "minitf/runtime/executor/step_memory.h"

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
};

/// Whoever wants to watch a step: a tracer, a debugger. Called from any thread, and from
/// several at once; a step waits for what it calls.
class StepObserver {
 public:
  virtual ~StepObserver() = default;

  virtual void NodeStarts(const Node& node, std::span<const Tensor> inputs) = 0;
  /// Also for a node that failed, without outputs; not for one that is dead.
  virtual void NodeEnds(const NodeRun& run) = 0;
};

struct StepOptions {
  using Clock = std::chrono::steady_clock;

  /// DeadlineExceeded if the step is not over by then.
  Clock::time_point deadline = Clock::time_point::max();
  /// Asked now and then, in the thread that runs the step: when it gives true, the step
  /// is cancelled.
  std::function<bool()> should_stop;
  StepObserver* observer = nullptr;
  /// Cancels the step when it is cancelled itself.
  CancellationManager* cancellation = nullptr;
  /// For steps with Send and Recv nodes.
  Rendezvous* rendezvous = nullptr;
};

class Executor {
 public:
  /// Compiles `graphs`, which must outlive the executor. `pool` runs nodes; a pool of one
  /// thread runs them in the caller. Throws as ExecutorPlan does. Feeds and fetches have
  /// the numbers that _Arg and _Retval nodes give them.
  Executor(const std::vector<PlacedGraph>& graphs, int num_feeds, int num_fetches,
           ThreadPool* pool, KernelCache* kernel_cache);
  ~Executor();

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// From now on, steps run by the plan of `memory`, each in its caller's thread. Call it
  /// before the first step.
  void UseMemoryPlan(StepMemory memory);

  /// One step. Any number of threads may run steps at the same time.
  Status Run(std::span<const Tensor> feeds, const StepOptions& options,
             std::vector<Tensor>* fetches);

  /// How many nodes a step runs, if none is in a loop or dead.
  int num_nodes() const { return plan_.num_nodes_to_run; }
  const ExecutorPlan& plan() const { return plan_; }

 private:
  class Step;

  /// How long each node takes, in nanoseconds, as measured last.
  using Costs = std::vector<std::atomic<int64_t>>;

  std::shared_ptr<Step> TakeStep();

  const ExecutorPlan plan_;
  std::optional<StepMemory> memory_;
  ThreadPool* const pool_;
  Costs costs_;
  std::atomic<int64_t> num_steps_ = 0;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Step>> idle_steps_;  // to be used again
};

}  // namespace minitf
