  // TODO(13.9) begin
  if (queue == table_.end()) return front;
  Queue& items = queue->second;
  if (items.front().is_recv() == recv) front.splice(front.end(), items, items.begin());
  if (items.empty()) table_.erase(queue);
  // TODO(13.9) end

  // TODO(13.10) begin
  CancellationManager* manager = recv.args.cancellation;
  if (manager == nullptr || manager->is_cancelled()) return;
  manager->DeregisterCallback(recv.token);
  // TODO(13.10) end

  // TODO(13.9) begin
  Queue front;
  {
    const std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return aborted_;
    ++num_events_;
    front = TakeFront(table_.find(key.full_key), /*recv=*/true);
    if (front.empty()) {
      Item item;
      item.args = args;
      item.value = value;
      item.is_dead = is_dead;
      table_[key.full_key].push_back(std::move(item));
    }
  }
  for (const Item& recv : front) {  // one, or none
    ForgetCancellation(recv);
    recv.done({}, args, recv.args, value, is_dead);
  }
  return {};
  // TODO(13.9) end

  // TODO(13.10) begin
  if (CancellationManager* manager = args.cancellation; manager != nullptr) {
    token = manager->NewToken();
    auto cancel = [weak = weak_from_this(), name = key.full_key, manager, token] {
      if (const auto self = weak.lock()) self->CancelRecv(name, manager, token);
    };
    if (!manager->RegisterCallback(token, std::move(cancel))) return false;
  }
  // TODO(13.10) end

  // TODO(13.9) begin
  Queue sent;
  Status status;
  {
    const std::lock_guard lock(mutex_);
    status = aborted_;
    if (status.ok()) {
      ++num_events_;
      sent = TakeFront(table_.find(key.full_key), /*recv=*/false);
      if (sent.empty()) {
        if (Wait(key, args, &done)) return;
        status = errors::Cancelled("the step was cancelled before it received ",
                                   key.full_key);
      }
    }
  }
  if (sent.empty()) sent.emplace_back();  // an error has no value
  Item& item = sent.front();
  done(status, item.args, args, std::move(item.value), item.is_dead);
  // TODO(13.9) end

  // TODO(13.10) begin
  Queue found;
  {
    const std::lock_guard lock(mutex_);
    const auto queue = table_.find(key);
    if (queue == table_.end()) return;
    const auto is_meant = [&](const Item& item) {
      return item.is_recv() && item.args.cancellation == manager && item.token == token;
    };
    Queue& items = queue->second;
    const auto item = std::ranges::find_if(items, is_meant);
    if (item == items.end()) return;
    found.splice(found.begin(), items, item);
    if (items.empty()) table_.erase(queue);
  }
  const Item& recv = found.front();
  ForgetCancellation(recv);
  recv.done(errors::Cancelled("cancelled while it waited to receive ", key), {}, recv.args,
            {}, false);
  // TODO(13.10) end

  // TODO(13.10) begin
  Queue waiting;
  {
    Table table;
    const std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = reason;
    table.swap(table_);
    for (auto& [key, queue] : table) {
      if (queue.front().is_recv()) waiting.splice(waiting.end(), queue);
    }
  }
  for (const Item& recv : waiting) {
    ForgetCancellation(recv);
    recv.done(reason, {}, recv.args, {}, false);
  }
  // TODO(13.10) end
