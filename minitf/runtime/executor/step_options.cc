// StepLimits: asking whether a step may go on.

#include "minitf/runtime/executor/step_options.h"

#include <algorithm>

namespace minitf {

StepLimits::StepLimits(const StepOptions& options)
    : options_(&options), has_deadline_(options.deadline != Clock::time_point::max()) {}

Status StepLimits::Check() const {
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
}

StepLimits::Clock::time_point StepLimits::NextCheck() const {
  if (!has_deadline_ && !options_->should_stop) return Clock::time_point::max();
  const auto soon = Clock::now() + std::chrono::milliseconds(50);
  return std::min(soon, options_->deadline);
}

}  // namespace minitf
