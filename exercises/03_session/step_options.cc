// StepLimits: asking whether a step may go on.
//
// Exercise   exercises/03_session

#include "minitf/runtime/executor/step_options.h"

#include <algorithm>

#include "minitf/base/lab.h"

namespace minitf {

StepLimits::StepLimits(const StepOptions& options)
    : options_(&options), has_deadline_(options.deadline != Clock::time_point::max()) {}

Status StepLimits::Check() const {
  // TODO(03.10) begin: ask for the deadline, should_stop and the cancellation
  MINITF_TODO("03.10");
  // TODO(03.10) end
}

StepLimits::Clock::time_point StepLimits::NextCheck() const {
  // TODO(03.10) begin: never, or soon; and not after the deadline
  MINITF_TODO("03.10");
  // TODO(03.10) end
}

}  // namespace minitf
