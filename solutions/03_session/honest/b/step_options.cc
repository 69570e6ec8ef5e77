  // TODO(03.10) begin
  const StepOptions& asked = *options_;
  if (has_deadline_ && Clock::now() >= asked.deadline) {
    return errors::DeadlineExceeded("the step took longer than its timeout allows");
  }
  const char* const cancelled_by =
      asked.should_stop && asked.should_stop() ? "interrupted"
      : asked.cancellation != nullptr && asked.cancellation->is_cancelled() ? "cancelled"
                                                                            : nullptr;
  if (cancelled_by == nullptr) return {};
  return errors::Cancelled("the step was ", cancelled_by);
  // TODO(03.10) end

  // TODO(03.10) begin
  constexpr std::chrono::milliseconds kAskEvery(50);
  const auto soon =
      options_->should_stop ? Clock::now() + kAskEvery : Clock::time_point::max();
  return std::min(soon, options_->deadline);
  // TODO(03.10) end
