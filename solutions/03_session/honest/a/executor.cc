  // TODO(03.10) begin
  if (may_wait) {
    const auto cancel = [this] { Fail(errors::Cancelled("the step was cancelled")); };
    token = outer->NewToken();
    if (!outer->RegisterCallback(token, cancel)) cancel();
  }
  // TODO(03.10) end

  // TODO(03.10) begin
  if (may_wait) outer->DeregisterCallback(token);
  // TODO(03.10) end

    // TODO(03.8) begin
    while (!ready.empty() && !has_failed_) {
      RunNode(TakeNext(worker), worker);
      if (limits_.IsTimeToCheck(&worker->num_since_check)) CheckLimits();
    }
    // TODO(03.8) end

  // TODO(03.8) begin
  const Status result = status.ok() ? CheckOutputs(ready.node, outputs) : status;
  if (result.ok()) {
    PassOn(ready, outputs, worker);
  } else {
    ResetAll(outputs);
    Fail(AtNode(result, *plan_.graph_nodes[ready.node]));
  }
  // TODO(03.8) end

  // TODO(03.11) begin
  // From the one that runs first on; those that stay are moved together at the end.
  size_t kept = ready.size();
  for (size_t i = ready.size(); i-- > begin;) {
    const ReadyNode node = ready[i];
    if (costs_.IsExpensive(node.node)) {
      if (worker->has_expensive) {
        worker->offered.push_back(node);
        continue;
      }
      worker->has_expensive = true;
    }
    ready[--kept] = node;
  }
  if (worker->offered.empty()) return;
  ready.erase(ready.begin() + begin, ready.begin() + kept);
  threads_->Offer(worker->offered);
  // TODO(03.11) end

  // TODO(03.11) begin
  while (true) {
    const auto until = has_failed_ ? Clock::time_point::max() : limits_.NextCheck();
    switch (threads_->NextForCaller(&shared, until)) {
      case StepThreads::Next::kNode: WorkOnShared(&shared, &caller_); break;
      case StepThreads::Next::kTimeOut:
        if (!has_failed_) CheckLimits();
        break;
      case StepThreads::Next::kStepIsOver: return;
    }
  }
  // TODO(03.11) end

  // TODO(03.9) begin
  {
    const std::lock_guard lock(mutex_);
    if (has_failed_) return;
    status_ = status;
    has_failed_ = true;
  }
  // Not under the lock: what is ended here may come back to Fail.
  if (cancellation_) cancellation_->StartCancel();
  if (context_.rendezvous != nullptr) context_.rendezvous->StartAbort(status);
  // TODO(03.9) end

  // TODO(03.9) begin
  if (!has_failed_) {
    const Status taken = propagator_.TakeFetches(fetches);
    if (!taken.ok()) Fail(taken);
  }
  if (has_failed_) {
    fetches->clear();
    propagator_.Clear();
    ResetAll(caller_.outputs);
  }
  // TODO(03.9) end
