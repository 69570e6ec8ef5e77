// StepLimits: asking whether a step may go on.
//
// Exercise   exercises/03_session

#include "minitf/runtime/executor/step_options.h"

#include <algorithm>

namespace minitf {

StepLimits::StepLimits(const StepOptions& options)
    : options_(&options), has_deadline_(options.deadline != Clock::time_point::max()) {}

Status StepLimits::Check() const {
  // LAB(03.10) begin: ask for the deadline, should_stop and the cancellation
  if (has_deadline_ && Clock::now() >= options_->deadline) {
    return errors::DeadlineExceeded("the step took longer than its timeout allows");
  }
  if (options_->should_stop && options_->should_stop()) {
    return errors::Cancelled("the step was interrupted");
  }
  if (options_->cancellation != nullptr && options_->cancellation->is_cancelled()) {
    return errors::Cancelled("the step was cancelled");
  }
  return {};
  // LAB(03.10) end
}

StepLimits::Clock::time_point StepLimits::NextCheck() const {
  // LAB(03.10) begin: never, or soon; and not after the deadline
  if (!has_deadline_ && !options_->should_stop) return Clock::time_point::max();
  const auto soon = Clock::now() + std::chrono::milliseconds(50);
  return std::min(soon, options_->deadline);
  // LAB(03.10) end
}

}  // namespace minitf
