// Executor: runs a graph, each node as soon as its inputs are there.
//
// Everything that can be decided before a step is decided once, when the executor is made
// (executor_plan.h): each node with its kernel, where its inputs lie, how many it waits
// for, and which use its outputs. A step looks nothing up. It takes a node that is ready,
// runs its kernel, passes on what came out, and learns which nodes that makes ready:
//
//   propagator.h     which nodes are ready, and the tensors that wait: counts, slots, the
//                    frames of loops. The core, without kernels and threads
//   executor.cc      the loop around it: kernels, errors, and which nodes to share
//   step_threads.h   other threads that help, and waiting for them
//   async_run.h      kernels that hold no thread while they wait
//   node_costs.h     which nodes are worth a thread, as measured now and then
//   step_memory.h    where memory is planned: the order of the plan, in the caller alone
//   step_options.h   deadline, interruption, cancellation
//   step_observer.h  what a tracer or a debugger is told
//
// What becomes ready waits in a list of the thread that made it ready, and runs there: no
// recursion and no lock, so 100,000 nodes in a row are a loop. If several become ready
// that take long, the thread keeps one and offers the others to helpers from the pool.
// With a pool of one thread all run in the caller, in an order that depends on the graph
// alone. The first node that fails names the step's status; nothing new is started, what
// waits is cancelled, and the step ends when the nodes that run have ended.
//
// Compare    tensorflow/core/common_runtime/executor.h
// Read next  minitf/runtime/executor/node_costs.h

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/base/thread_pool.h"
#include "minitf/runtime/executor/executor_plan.h"
#include "minitf/runtime/executor/kernel_cache.h"
#include "minitf/runtime/executor/node_costs.h"
#include "minitf/runtime/executor/step_memory.h"
#include "minitf/runtime/executor/step_options.h"

namespace minitf {

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

  std::unique_ptr<Step> TakeStep();

  const ExecutorPlan plan_;
  std::optional<StepMemory> memory_;
  ThreadPool* const pool_;
  NodeCosts costs_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Step>> idle_steps_;  // to be used again
};

}  // namespace minitf
