// StepTrace: which thread ran which node, when, on which device, with how many bytes.
//
// Hand it to a run as its observer, and ask afterwards for a RunMetadata message, which
// TensorFlow's tools read as they read TensorFlow's own. Times are in microseconds and
// nanoseconds since 1970, as measured by this machine's clock.
//
// Compare    tensorflow/core/common_runtime/step_stats_collector.h
// Read next  minitf/runtime/executor/kernel_cache.h

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "minitf/runtime/executor/step_observer.h"

namespace minitf {

class StepTrace final : public StepObserver {
 public:
  StepTrace();

  void NodeStarts(const Node& /*node*/, std::span<const Tensor> /*inputs*/) override {}
  void NodeEnds(const NodeRun& run) override;

  /// The bytes of a RunMetadata: each device with its nodes in the order in which they
  /// ended, and `partitions`, if there are any, as its partition_graphs.
  std::string Serialize(const std::vector<const Graph*>& partitions) const;

 private:
  struct TracedOutput {
    DType dtype;
    Shape shape;
    int64_t bytes;
    uint64_t address;
  };

  struct TracedRun {
    std::string name;
    std::string label;
    std::string device;
    int64_t start_ns;
    int64_t end_ns;
    int thread;
    std::vector<TracedOutput> outputs;
  };

  const int64_t start_ns_;  // since 1970
  mutable std::mutex mutex_;
  std::vector<TracedRun> runs_;
};

}  // namespace minitf
