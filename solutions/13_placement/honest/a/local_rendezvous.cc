  // TODO(13.9) begin
  if (queue == table_.end() || queue->second.front().is_recv() != recv) return front;
  front.splice(front.begin(), queue->second, queue->second.begin());
  if (queue->second.empty()) table_.erase(queue);
  // TODO(13.9) end

  // TODO(13.10) begin
  CancellationManager* const manager = recv.args.cancellation;
  if (manager == nullptr || manager->is_cancelled()) return;
  manager->DeregisterCallback(recv.token);
  // TODO(13.10) end

  // TODO(13.9) begin
  Queue receiver;
  {
    const std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return aborted_;
    ++num_events_;
    receiver = TakeFront(table_.find(key.full_key), /*recv=*/true);
    if (receiver.empty()) {
      table_[key.full_key].push_back({args, value, is_dead, nullptr, 0});
      return {};
    }
  }
  const Item& recv = receiver.front();
  ForgetCancellation(recv);
  recv.done({}, args, recv.args, value, is_dead);
  return {};
  // TODO(13.9) end

  // TODO(13.10) begin
  if (CancellationManager* const manager = args.cancellation; manager != nullptr) {
    token = manager->NewToken();
    auto cancel = [weak = weak_from_this(), name = key.full_key, manager, token] {
      if (const auto self = weak.lock()) self->CancelRecv(name, manager, token);
    };
    if (!manager->RegisterCallback(token, std::move(cancel))) return false;
  }
  // TODO(13.10) end

  // TODO(13.9) begin
  Queue sent;
  Status reason;
  {
    const std::lock_guard lock(mutex_);
    reason = aborted_;
    if (reason.ok()) {
      ++num_events_;
      sent = TakeFront(table_.find(key.full_key), /*recv=*/false);
      if (sent.empty()) {
        if (Wait(key, args, &done)) return;
        reason = errors::Cancelled("the Recv of ", key.full_key, " was cancelled");
      }
    }
  }
  if (!reason.ok()) return done(reason, {}, args, {}, false);
  Item& item = sent.front();
  done({}, item.args, args, std::move(item.value), item.is_dead);
  // TODO(13.9) end

  // TODO(13.10) begin
  Queue taken;
  {
    const std::lock_guard lock(mutex_);
    const auto found = table_.find(key);
    if (found == table_.end()) return;
    Queue& queue = found->second;
    const auto recv = std::ranges::find_if(queue, [&](const Item& item) {
      return item.is_recv() && item.args.cancellation == manager && item.token == token;
    });
    if (recv == queue.end()) return;
    taken.splice(taken.begin(), queue, recv);
    if (queue.empty()) table_.erase(found);
  }
  const Item& recv = taken.front();
  recv.done(errors::Cancelled("the Recv of ", key, " was cancelled"), {}, recv.args, {},
            false);
  // TODO(13.10) end

  // TODO(13.10) begin
  Table ended;
  {
    const std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = reason;
    ended.swap(table_);
  }
  for (const auto& [key, queue] : ended) {
    for (const Item& item : queue) {
      if (!item.is_recv()) continue;
      ForgetCancellation(item);
      item.done(reason, {}, item.args, {}, false);
    }
  }
  // TODO(13.10) end
