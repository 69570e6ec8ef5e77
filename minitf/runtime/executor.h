// Executor: runs the nodes of a graph, each as soon as its inputs are there.
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
//   memory     the last consumer of a tensor gets it, the others get copies, so that a
//              kernel can see whether it is the only owner and may write over it
//   errors     the first node that fails names the step's status; nothing new is started,
//              and the step ends when the nodes that run have ended
//
// Compare    tensorflow/core/common_runtime/executor.h
// Read next  minitf/runtime/kernel_cache.h

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/base/thread_pool.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/graph/graph.h"
#include "minitf/runtime/executor_plan.h"
#include "minitf/runtime/kernel_cache.h"

namespace minitf {

class Executor {
 public:
  /// Compiles the part of the graph that `fetches` and `targets` need when `feeds` are
  /// given from outside. `pool` runs nodes; a pool of one thread runs them in the caller.
  /// Throws what making a kernel throws, InvalidArgument for a cycle or an output that
  /// does not exist. Requires: nobody changes the graph meanwhile.
  Executor(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
           const std::vector<Node*>& targets, const DeviceContext& device,
           ThreadPool* pool, KernelCache* kernel_cache);
  ~Executor();

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// One step. `feeds` and *fetches are in the order given to the constructor. Any number
  /// of threads may run steps at the same time.
  Status Run(std::span<const Tensor> feeds, std::vector<Tensor>* fetches);

  /// How many nodes a step runs.
  int num_nodes() const { return plan_.num_nodes(); }
  /// The nodes that a step runs.
  const std::vector<const Node*>& nodes() const { return plan_.graph_nodes; }

 private:
  class Step;

  /// How long each node takes, in nanoseconds, as measured last.
  using Costs = std::vector<std::atomic<int64_t>>;

  std::shared_ptr<Step> TakeStep();

  const ExecutorPlan plan_;
  ThreadPool* const pool_;
  Costs costs_;
  std::atomic<int64_t> num_steps_ = 0;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Step>> idle_steps_;  // to be used again
};

}  // namespace minitf
