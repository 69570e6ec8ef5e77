#include <iterator>

  // TODO(14.11) begin
  Line ended;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    ended.swap(enqueuers_);
  }
  for (Attempt& attempt : ended) {
    const Status status = errors::Cancelled(attempt.name(), " operation was cancelled");
    Report({std::move(attempt), status});
  }
  ServeLines();
  done({}, {});
  // TODO(14.11) end

  // TODO(14.11) begin
  Line leaving;
  {
    const std::lock_guard lock(mutex_);
    const auto place = std::ranges::find(*line, id, &Attempt::id);
    if (place == line->end()) return;
    leaving.splice(leaving.end(), *line, place);
    PutBackAll(&leaving.front());
  }
  Attempt& attempt = leaving.front();
  const Status status = errors::Cancelled(attempt.name(), " operation was cancelled");
  Report({std::move(attempt), status});
  ServeLines();
  // TODO(14.11) end

  // TODO(14.11) begin
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(mutex_);
    Line* line = &enqueuers_;
    // The number of lines in a row that could not move.
    for (int still = 0; still < 2;) {
      still = ServeFirst(line, &outcomes) ? 0 : still + 1;
      line = line == &enqueuers_ ? &dequeuers_ : &enqueuers_;
    }
  }
  for (Outcome& outcome : outcomes) Report(std::move(outcome));
  // TODO(14.11) end

  // TODO(14.9) begin
  const auto has_room = [this] {
    return spec_.capacity < 0 || NumElements() < spec_.capacity;
  };
  const int64_t before = attempt->remaining;
  while (attempt->remaining > 0 && has_room()) {
    const bool is_batch = attempt->kind == Attempt::Kind::kEnqueueMany;
    Put(is_batch ? RowOf(attempt->element, attempt->next_row)
                 : std::move(attempt->element));
    ++attempt->next_row;
    --attempt->remaining;
  }
  *is_done = attempt->remaining == 0;
  return attempt->remaining < before;
  // TODO(14.9) end

  // TODO(14.10) begin
  const int64_t there = is_closed_ ? NumElements() : NumElements() - NumKept();
  const bool is_over = is_closed_ && there < attempt->remaining;
  const bool is_something = there > 0 || !attempt->taken.empty();
  if (is_over && !(attempt->allow_fewer && is_something)) {
    *status = TooFew(attempt->remaining + std::ssize(attempt->taken), there);
    PutBackAll(attempt);
    *is_done = true;
    return true;
  }
  const int64_t n = std::clamp(there, int64_t{0}, attempt->remaining);
  attempt->taken.reserve(attempt->taken.size() + static_cast<size_t>(n));
  std::generate_n(std::back_inserter(attempt->taken), n, [this] { return Take(); });
  attempt->remaining -= n;
  *is_done = is_over || attempt->remaining == 0;
  return n > 0 || *is_done;
  // TODO(14.10) end

  // TODO(14.10) begin
  std::vector<Element>& taken = attempt->taken;
  for (; !taken.empty(); taken.pop_back()) PutBack(std::move(taken.back()));
  // TODO(14.10) end

  // TODO(14.12) begin
  Element first;
  first.swap(elements_.front());
  elements_.pop_front();
  return first;
  // TODO(14.12) end

  // TODO(14.12) begin
  const size_t place = random_() % elements_.size();
  std::swap(elements_[place], elements_.back());
  Element last = std::move(elements_.back());
  elements_.pop_back();
  return last;
  // TODO(14.12) end

  // TODO(14.12) begin
  Insert(std::move(element), ++last_order_);
  // TODO(14.12) end

  // TODO(14.12) begin
  Insert(std::move(element), first_order_--);
  // TODO(14.12) end

  // TODO(14.12) begin
  return std::move(elements_.extract(elements_.begin()).mapped());
  // TODO(14.12) end
