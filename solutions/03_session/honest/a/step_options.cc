  // TODO(03.10) begin
  if (options_ == nullptr) return {};
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
  // TODO(03.10) end

  // TODO(03.10) begin
  if (options_ == nullptr) return Clock::time_point::max();
  constexpr std::chrono::milliseconds kAskEvery(50);
  const Clock::time_point deadline = options_->deadline;
  if (!options_->should_stop) return deadline;
  return std::min(deadline, Clock::now() + kAskEvery);
  // TODO(03.10) end
