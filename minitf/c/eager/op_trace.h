// OpTrace: which ops a context ran, when, and what they returned.
//
// Compare    minitf/runtime/executor/step_trace.h, which traces the nodes of a graph
// Read next  minitf/c/eager/op_trace.cc

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "minitf/tensor/tensor.h"

namespace minitf::proto {
class RunMetadata;
}

namespace minitf::c {

class OpTrace {
 public:
  OpTrace();
  ~OpTrace();

  OpTrace(const OpTrace&) = delete;
  OpTrace& operator=(const OpTrace&) = delete;

  void Enable(bool enable) { is_enabled_ = enable; }
  bool is_enabled() const { return is_enabled_; }

  /// Nanoseconds since 1970.
  static int64_t Now();

  /// Adds a call of `op` that began at `start_ns` and ends now.
  void Add(const std::string& op, int64_t start_ns, const std::vector<Tensor>& outputs);

  /// Returns the records as a RunMetadata message, and deletes them.
  std::unique_ptr<proto::RunMetadata> Take();

 private:
  std::atomic<bool> is_enabled_ = false;
  std::mutex mutex_;
  std::unique_ptr<proto::RunMetadata> metadata_;
};

}  // namespace minitf::c
