// StepOptions: what one step is told besides its feeds, and when it has to end.
//
// Compare    tensorflow/core/common_runtime/executor.h: Executor::Args
// Read next  minitf/runtime/executor/step_observer.h

#pragma once

#include <chrono>
#include <functional>

#include "minitf/base/status.h"
#include "minitf/framework/cancellation.h"
#include "minitf/framework/rendezvous.h"

namespace minitf {

class StepObserver;

struct StepOptions {
  using Clock = std::chrono::steady_clock;

  /// DeadlineExceeded if the step is not over by then.
  Clock::time_point deadline = Clock::time_point::max();
  /// Asked now and then, in a thread that runs the step: when it gives true, the step
  /// is cancelled. What it throws ends the step as well.
  std::function<bool()> should_stop;
  StepObserver* observer = nullptr;
  /// Cancels the step when it is cancelled itself.
  CancellationManager* cancellation = nullptr;
  /// For steps with Send and Recv nodes.
  Rendezvous* rendezvous = nullptr;
};

/// The limits of one step. The threads that work on it ask from time to time whether it
/// may go on.
class StepLimits {
 public:
  using Clock = StepOptions::Clock;

  StepLimits() = default;
  /// Requires: `options` lives as long as this.
  explicit StepLimits(const StepOptions& options);

  /// Whether to ask after a node, when `*num_nodes` have run since the last question:
  /// after every node if there is a deadline, else after some.
  bool IsTimeToCheck(int* num_nodes) const {
    if (!has_deadline_ && ++*num_nodes < kCheckEvery) return false;
    *num_nodes = 0;
    return true;
  }

  /// Ok as long as the step may go on; else what ends it: the deadline, should_stop or
  /// the cancellation, the first of these that holds. From any thread that runs the step;
  /// throws what should_stop throws.
  Status Check() const;

  /// When a thread that waits has to wake up and ask; never, if nothing but a
  /// cancellation, which wakes it, can end the step.
  Clock::time_point NextCheck() const;

 private:
  static constexpr int kCheckEvery = 64;

  const StepOptions* options_ = nullptr;
  bool has_deadline_ = false;
};

}  // namespace minitf
