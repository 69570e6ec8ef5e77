// NodeCosts: how long each node of an executor takes, as measured now and then.
//
// Waking another thread costs about as much as a small node. So the executor wants to
// know which nodes are worth it. At first it goes by what the kernel says of itself
// (OpKernel::IsExpensive); the first steps are measured, and of the later ones some, and
// from then on the time that the node took last decides. Nodes whose kernels say that
// they are cheap are never measured.
//
// Compare    tensorflow/core/common_runtime/executor.cc: KernelStats
// Read next  minitf/runtime/executor/async_run.h

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "minitf/runtime/executor/executor_plan.h"

namespace minitf {

class NodeCosts {
 public:
  using Clock = std::chrono::steady_clock;

  explicit NodeCosts(const ExecutorPlan& plan);

  /// Counts a step. Whether its nodes are to be measured.
  bool MeasuresNextStep();

  /// Whether node `number` takes so long that it is worth another thread.
  bool IsExpensive(int32_t number) const {
    return nanoseconds_[number].load(std::memory_order_relaxed) >= kExpensive;
  }

  /// Node `number` has run since *since, which becomes the present time. From any thread.
  void Measure(int32_t number, Clock::time_point* since);

 private:
  // A node that takes this many nanoseconds is worth waking another thread.
  static constexpr int64_t kExpensive = 10'000;

  const ExecutorPlan& plan_;
  std::vector<std::atomic<int64_t>> nanoseconds_;  // by number of the node
  std::atomic<int64_t> num_steps_ = 0;
};

}  // namespace minitf
