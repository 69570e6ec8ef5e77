  // TODO(14.11) begin
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    for (Attempt& attempt : enqueuers_) {
      const Status status =
          errors::Cancelled(attempt.name(), " operation was cancelled");
      outcomes.push_back({std::move(attempt), status});
    }
    enqueuers_.clear();
  }
  for (Outcome& outcome : outcomes) Report(std::move(outcome));
  ServeLines();
  done({}, {});
  // TODO(14.11) end

  // TODO(14.11) begin
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(*line, id, &Attempt::id);
    if (found == line->end()) return;
    PutBackAll(&*found);
    const Status status = errors::Cancelled(found->name(), " operation was cancelled");
    outcomes.push_back({std::move(*found), status});
    line->erase(found);
  }
  for (Outcome& outcome : outcomes) Report(std::move(outcome));
  ServeLines();
  // TODO(14.11) end

  // TODO(14.11) begin
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(mutex_);
    bool has_moved = true;
    while (has_moved) {
      has_moved = ServeFirst(&enqueuers_, &outcomes);
      has_moved = ServeFirst(&dequeuers_, &outcomes) || has_moved;
    }
  }
  for (Outcome& outcome : outcomes) Report(std::move(outcome));
  // TODO(14.11) end

  // TODO(14.9) begin
  bool has_moved = false;
  while (attempt->remaining > 0 &&
         (spec_.capacity < 0 || NumElements() < spec_.capacity)) {
    if (attempt->kind == Attempt::Kind::kEnqueue) {
      Put(std::move(attempt->element));
    } else {
      Put(RowOf(attempt->element, attempt->next_row));
      ++attempt->next_row;
    }
    --attempt->remaining;
    has_moved = true;
  }
  *is_done = attempt->remaining == 0;
  return has_moved;
  // TODO(14.9) end

  // TODO(14.10) begin
  if (is_closed_ && NumElements() < attempt->remaining) {
    const int64_t num_taken = std::ssize(attempt->taken);
    if (!attempt->allow_fewer || NumElements() + num_taken == 0) {
      const int64_t requested = attempt->remaining + num_taken;
      PutBackAll(attempt);
      *status = TooFew(requested, NumElements());
      *is_done = true;
      return true;
    }
    attempt->remaining = NumElements();
  }
  const int64_t kept = is_closed_ ? 0 : NumKept();
  bool has_moved = false;
  while (attempt->remaining > 0 && NumElements() > kept) {
    attempt->taken.push_back(Take());
    --attempt->remaining;
    has_moved = true;
  }
  *is_done = attempt->remaining == 0;
  return has_moved;
  // TODO(14.10) end

  // TODO(14.10) begin
  // The last one first: each goes in front of those that are back already.
  while (!attempt->taken.empty()) {
    PutBack(std::move(attempt->taken.back()));
    attempt->taken.pop_back();
  }
  // TODO(14.10) end

  // TODO(14.12) begin
  Element element = std::move(elements_.front());
  elements_.pop_front();
  return element;
  // TODO(14.12) end

  // TODO(14.12) begin
  const size_t i = random_() % elements_.size();
  std::swap(elements_[i], elements_.back());
  Element element = std::move(elements_.back());
  elements_.pop_back();
  return element;
  // TODO(14.12) end

  // TODO(14.12) begin
  Insert(std::move(element), last_order_++);
  // TODO(14.12) end

  // TODO(14.12) begin
  Insert(std::move(element), --first_order_);
  // TODO(14.12) end

  // TODO(14.12) begin
  const auto first = elements_.begin();
  Element element = std::move(first->second);
  elements_.erase(first);
  return element;
  // TODO(14.12) end
