#include <iterator>

  // TODO(03.10) begin
  const auto cancel = [this] { Fail(errors::Cancelled("the step was cancelled")); };
  if (may_wait) {
    token = outer->NewToken();
    if (!outer->RegisterCallback(token, cancel)) cancel();
  }
  // TODO(03.10) end

  // TODO(03.10) begin
  if (may_wait) outer->DeregisterCallback(token);
  // TODO(03.10) end

    // TODO(03.8) begin
    while (!has_failed_ && !ready.empty()) {
      RunNode(TakeNext(worker), worker);
      if (limits_.IsTimeToCheck(&worker->num_since_check)) CheckLimits();
    }
    // TODO(03.8) end

  // TODO(03.8) begin
  const Status result = status.ok() ? CheckOutputs(ready.node, outputs) : status;
  if (result.ok()) return PassOn(ready, outputs, worker);
  Fail(AtNode(result, *plan_.graph_nodes[ready.node]));
  ResetAll(outputs);
  // TODO(03.8) end

  // TODO(03.11) begin
  // From the one that comes first, which is the last, to the one that comes last.
  const auto goes_away = [&](const ReadyNode& node) {
    if (!costs_.IsExpensive(node.node)) return false;
    if (!std::exchange(worker->has_expensive, true)) return false;
    worker->offered.push_back(node);
    return true;
  };
  const auto last = std::make_reverse_iterator(ready.begin() + begin);
  const auto kept = std::remove_if(ready.rbegin(), last, goes_away);
  ready.erase(ready.begin() + begin, kept.base());
  if (!worker->offered.empty()) threads_->Offer(worker->offered);
  // TODO(03.11) end

  // TODO(03.11) begin
  using Next = StepThreads::Next;
  const auto next = [&] {
    const auto until = has_failed_ ? Clock::time_point::max() : limits_.NextCheck();
    return threads_->NextForCaller(&shared, until);
  };
  for (Next what = next(); what != Next::kStepIsOver; what = next()) {
    if (what == Next::kNode) {
      WorkOnShared(&shared, &caller_);
    } else if (!has_failed_) {
      CheckLimits();
    }
  }
  // TODO(03.11) end

  // TODO(03.9) begin
  {
    const std::lock_guard lock(mutex_);
    if (has_failed_.exchange(true)) return;
    status_ = status;
  }
  // What these call may come here again, and finds that the step has failed.
  if (cancellation_) cancellation_->StartCancel();
  if (context_.rendezvous != nullptr) context_.rendezvous->StartAbort(status);
  // TODO(03.9) end

  // TODO(03.9) begin
  if (status_.ok()) status_ = propagator_.TakeFetches(fetches);
  if (!status_.ok()) {
    propagator_.Clear();
    ResetAll(caller_.outputs);
    fetches->clear();
  }
  // TODO(03.9) end
