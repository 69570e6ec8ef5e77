// Queues: two lines of attempts, and which of them is served when.
//
// Exercise   exercises/14_input
// Compare    tensorflow/core/kernels/queue_base.cc, random_shuffle_queue_op.cc
// Read next  minitf/io/queues/forget_callback.h

#include "minitf/io/queues/queues.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "minitf/base/text.h"
#include "minitf/io/queues/forget_callback.h"

namespace minitf {
struct Queue::Attempt {
  enum class Kind { kEnqueue, kEnqueueMany, kDequeue, kDequeueMany, kClose };

  Kind kind;
  Done done;
  CancellationManager* cancellation = nullptr;
  int64_t remaining = 1;     // elements still to put in or to take
  int64_t next_row = 0;      // of EnqueueMany
  bool allow_fewer = false;  // of DequeueMany
  Element element = {};      // to put in, of EnqueueMany the batch
  std::vector<Element> taken = {};
  int64_t id = 0;
  CancellationManager::Token token = 0;

  std::string_view name() const {
    switch (kind) {
      case Kind::kClose: return "Close";
      case Kind::kEnqueue:
      case Kind::kEnqueueMany: return "Enqueue";
      default: return "Dequeue";
    }
  }
};

struct Queue::Outcome {
  Attempt attempt;
  Status status;
};

Queue::Queue(QueueSpec spec) : spec_(std::move(spec)) {
  spec_.element.Check();
  Require(spec_.capacity != 0, "capacity must be positive, or -1 for any number of ",
          "elements, got 0");
}

Queue::~Queue() = default;

// ---- Calls ----------------------------------------------------------------------------

void Queue::Enqueue(Element element, CancellationManager* cancellation, Done done) {
  spec_.element.CheckElement(element);
  Attempt attempt{Attempt::Kind::kEnqueue, std::move(done), cancellation};
  attempt.element = Owned(std::move(element));
  StandInLine(&enqueuers_, std::move(attempt));
}

void Queue::EnqueueMany(Element batch, CancellationManager* cancellation, Done done) {
  const int64_t n = spec_.element.CheckBatch(batch);
  if (n == 0) return done({}, {});
  Attempt attempt{Attempt::Kind::kEnqueueMany, std::move(done), cancellation, n};
  attempt.element = Owned(std::move(batch));
  StandInLine(&enqueuers_, std::move(attempt));
}

void Queue::Dequeue(CancellationManager* cancellation, Done done) {
  StandInLine(&dequeuers_, {Attempt::Kind::kDequeue, std::move(done), cancellation});
}

void Queue::DequeueMany(int64_t count, bool allow_fewer,
                        CancellationManager* cancellation, Done done) {
  Require(count >= 0, allow_fewer ? "DequeueUpToOp" : "DequeueManyOp", " requested ",
          count, " < 0 elements");
  RequireStackable();
  if (count == 0) return done({}, EmptyBatch(spec_.element));
  StandInLine(&dequeuers_, {Attempt::Kind::kDequeueMany, std::move(done), cancellation,
                            count, 0, allow_fewer});
}

void Queue::Close(bool cancel_pending_enqueues, CancellationManager* cancellation,
                  Done done) {
  if (!cancel_pending_enqueues) {
    StandInLine(&enqueuers_, {Attempt::Kind::kClose, std::move(done), cancellation});
    return;
  }
  // LAB(14.11) begin: close at once; Report Cancelled to those who wait to put in
  Line cancelled;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    std::swap(cancelled, enqueuers_);
  }
  for (Attempt& attempt : cancelled) {
    const Status status = errors::Cancelled(attempt.name(), " operation was cancelled");
    Report({std::move(attempt), status});
  }
  ServeLines();
  done({}, {});
  // LAB(14.11) end
}

bool Queue::is_closed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

int64_t Queue::size() const {
  const std::lock_guard lock(mutex_);
  return NumElements();
}

// ---- Standing in line -----------------------------------------------------------------

// Puts `attempt` at the end of `line`, and serves every attempt that can be served.
void Queue::StandInLine(Line* line, Attempt attempt) {
  Line joining;
  joining.push_back(std::move(attempt));
  if (JoinLine(line, &joining)) return ServeLines();
  const Attempt& refused = joining.front();
  refused.done(errors::Cancelled(refused.name(), " operation was cancelled"), {});
}

// Moves the one attempt of `joining` to `line`. False if its step is cancelled already.
bool Queue::JoinLine(Line* line, Line* joining) {
  Attempt& attempt = joining->front();
  const std::lock_guard lock(mutex_);
  attempt.id = next_id_++;
  if (CancellationManager* manager = attempt.cancellation) {
    attempt.token = manager->NewToken();
    // The callback may be called when the attempt, and even the queue, is gone.
    const auto give_up = [self = weak_from_this(), line, id = attempt.id] {
      if (const auto queue = self.lock()) queue->GiveUp(line, id);
    };
    if (!manager->RegisterCallback(attempt.token, give_up)) return false;
  }
  line->splice(line->end(), *joining);
  return true;
}

// Takes an attempt out of its line, if it is still there: its step has been cancelled.
void Queue::GiveUp(Line* line, int64_t id) {
  // LAB(14.11) begin: what it has taken goes back; its callback hears Cancelled
  Line given_up;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(*line, id, &Attempt::id);
    if (found == line->end()) return;
    PutBackAll(&*found);
    given_up.push_back(std::move(*found));
    line->erase(found);
  }
  const Attempt& attempt = given_up.front();
  attempt.done(errors::Cancelled(attempt.name(), " operation was cancelled"), {});
  ServeLines();
  // LAB(14.11) end
}

// Serves the first of each line until neither can be served any more. The two lines are
// served in turn, whichever is first, as each may help the other: an enqueue brings what
// a dequeue waits for, and a dequeue makes room. Callbacks come at the end, in order.
void Queue::ServeLines() {
  // LAB(14.11) begin: ServeFirst of both lines while that does anything; then Report
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(mutex_);
    while (ServeFirst(&enqueuers_, &outcomes) || ServeFirst(&dequeuers_, &outcomes)) {
    }
  }
  // Not under the lock: a callback may run the next step, which uses this queue.
  for (Outcome& outcome : outcomes) Report(std::move(outcome));
  // LAB(14.11) end
}

// Does what can be done for the first attempt of a line. Returns whether that was
// anything. An attempt that is done leaves the line.
bool Queue::ServeFirst(Line* line, std::vector<Outcome>* outcomes) {
  if (line->empty()) return false;
  Attempt* attempt = &line->front();
  Status status;
  bool is_done = false;
  bool has_moved = false;
  try {
    has_moved = line == &enqueuers_ ? ServeEnqueue(attempt, &status, &is_done)
                                    : ServeDequeue(attempt, &status, &is_done);
  } catch (const Error& error) {
    status = error.status();
    is_done = true;
  } catch (const std::bad_alloc&) {
    status = errors::ResourceExhausted("no memory for an element of a queue");
    is_done = true;
  }
  if (!is_done) return has_moved;
  outcomes->push_back({std::move(*attempt), status});
  line->pop_front();
  return true;
}

// Puts in what there is room for, or closes the queue. Returns whether anything was done.
bool Queue::ServeEnqueue(Attempt* attempt, Status* status, bool* is_done) {
  if (attempt->kind == Attempt::Kind::kClose) {
    if (is_closed_) {
      *status = errors::Cancelled("Queue '", spec_.name, "' is already closed.");
    }
    is_closed_ = true;
    *is_done = true;
    return true;
  }
  if (is_closed_) {
    *status = errors::Cancelled(spec_.kind, " '", spec_.name, "' is closed.");
    *is_done = true;
    return true;
  }

  // LAB(14.9) begin: put in as many as fit, and count them; it is done when all are in
  const int64_t room = spec_.capacity < 0 ? std::numeric_limits<int64_t>::max()
                                          : spec_.capacity - NumElements();
  const int64_t count = std::min(room, attempt->remaining);
  for (int64_t i = 0; i < count; ++i) {
    if (attempt->kind == Attempt::Kind::kEnqueue) {
      Put(std::move(attempt->element));
    } else {
      Put(RowOf(attempt->element, attempt->next_row++));
    }
    --attempt->remaining;
  }
  *is_done = attempt->remaining == 0;
  return count > 0;
  // LAB(14.9) end
}

// Takes what there is, and no more than is asked for. An open queue keeps NumKept()
// elements. Of a closed one that has too few, the attempt gets TooFew, and what it has
// taken goes back; or, if it allows fewer and has taken some or finds any, it gets those.
bool Queue::ServeDequeue(Attempt* attempt, Status* status, bool* is_done) {
  // LAB(14.10) begin: see whether a closed queue has enough, then take
  if (is_closed_ && NumElements() < attempt->remaining) {
    // What is here now and what was taken before is all that there will ever be.
    const Status too_few = TooFew(attempt->remaining, NumElements());
    const int64_t all = NumElements() + std::ssize(attempt->taken);
    if (!attempt->allow_fewer || all == 0) {
      PutBackAll(attempt);
      *status = too_few;
      *is_done = true;
      return true;
    }
    attempt->remaining = NumElements();
  }

  const int64_t available = NumElements() - (is_closed_ ? 0 : NumKept());
  const int64_t count = std::max<int64_t>(0, std::min(available, attempt->remaining));
  for (int64_t i = 0; i < count; ++i) {
    attempt->taken.push_back(Take());
    --attempt->remaining;
  }
  *is_done = attempt->remaining == 0;
  return count > 0;
  // LAB(14.10) end
}

// Gives back what an attempt has taken, so that it comes out in the same order again.
void Queue::PutBackAll(Attempt* attempt) {
  // LAB(14.10) begin: PutBack all of attempt->taken
  for (; !attempt->taken.empty(); attempt->taken.pop_back()) {
    PutBack(std::move(attempt->taken.back()));
  }
  // LAB(14.10) end
}

// Tells the caller how an attempt ended. Requires: the lock is not held.
void Queue::Report(Outcome outcome) {
  Attempt& attempt = outcome.attempt;
  ForgetCallback(attempt.cancellation, attempt.token);
  std::shared_ptr<Queue> to_serve;  // this queue, if elements have come back
  Element result;
  if (outcome.status.ok() && attempt.kind == Attempt::Kind::kDequeue) {
    result = std::move(attempt.taken[0]);
  } else if (outcome.status.ok() && attempt.kind == Attempt::Kind::kDequeueMany) {
    try {
      result = StackedElements(attempt.taken);
    } catch (const std::exception& exception) {
      outcome.status = errors::ResourceExhausted("no memory for a batch of ",
                                                 attempt.taken.size(), " elements");
      to_serve = shared_from_this();
      const std::lock_guard lock(mutex_);
      PutBackAll(&attempt);
    }
  }
  attempt.done(outcome.status, std::move(result));
  if (to_serve) to_serve->ServeLines();
}

// ---- What the kinds have in common ----------------------------------------------------

Status Queue::TooFew(int64_t requested, int64_t size) const {
  return errors::OutOfRange(spec_.kind, " '", spec_.name,
                            "' is closed and has insufficient elements (requested ",
                            requested, ", current size ", size, ")");
}

void Queue::RequireStackable() const {
  const auto& shapes = spec_.element.shapes;
  const bool are_known =
      !shapes.empty() && std::ranges::all_of(shapes, &PartialShape::IsFullyKnown);
  Require(are_known, spec_.kind,
          "'s DequeueMany and DequeueUpTo require the components to have specified ",
          "shapes.");
}

std::string Queue::DebugString() const {
  return StrCat("queue '", spec_.name, "', a ", spec_.kind);
}

void Queue::RequireSameAs(const QueueSpec& other) const {
  const auto check = [this](const auto& actual, const auto& requested,
                            std::string_view what) {
    Require(actual == requested, "Shared queue '", spec_.name, "' has ", what, ' ',
            actual, " but requested ", what, " was ", requested);
  };
  Require(other.kind == spec_.kind, "Shared queue '", spec_.name, "': Expected ",
          spec_.kind, ", found ", other.kind);
  check(spec_.capacity, other.capacity, "capacity");
  check(spec_.min_after_dequeue, other.min_after_dequeue, "min_after_dequeue");
  // A node without seeds accepts a queue with any.
  if (other.seed != 0 || other.seed2 != 0) {
    Require(spec_.seed == other.seed && spec_.seed2 == other.seed2, "Shared queue '",
            spec_.name, "' has random seeds (", spec_.seed, ", ", spec_.seed2,
            ") but requested seeds are (", other.seed, ", ", other.seed2, ").");
  }
  check(StrCat('[', Join(spec_.element.dtypes, ", "), ']'),
        StrCat('[', Join(other.element.dtypes, ", "), ']'), "component types");
  check(StrCat(spec_.element), StrCat(other.element), "component shapes");
}

// ---- The kinds ------------------------------------------------------------------------

Element FifoQueue::Take() {
  // LAB(14.12) begin: the one that has waited longest
  Element first = std::move(elements_.front());
  elements_.pop_front();
  return first;
  // LAB(14.12) end
}

PaddingFifoQueue::PaddingFifoQueue(QueueSpec spec) : FifoQueue(std::move(spec)) {
  const ElementSpec& element = this->spec().element;
  Require(element.shapes.size() == element.dtypes.size() &&
              std::ranges::all_of(element.shapes, &PartialShape::has_rank),
          "a PaddingFIFOQueue needs a shape of known rank for each component");
}

RandomShuffleQueue::RandomShuffleQueue(QueueSpec spec)
    : Queue(std::move(spec)),
      random_(PhiloxOfSeeds(this->spec().seed, this->spec().seed2)) {
  const int64_t kept = this->spec().min_after_dequeue;
  const int64_t capacity = this->spec().capacity;
  Require(kept >= 0, "min_after_dequeue ", kept, " must be >= 0");
  Require(capacity < 0 || kept < capacity, "min_after_dequeue ", kept,
          " must be < capacity ", capacity);
}

Element RandomShuffleQueue::Take() {
  // LAB(14.12) begin: any, by a number of random_; the order of the others is free
  std::swap(elements_[random_() % elements_.size()], elements_.back());
  Element any = std::move(elements_.back());
  elements_.pop_back();
  return any;
  // LAB(14.12) end
}

PriorityQueue::PriorityQueue(QueueSpec spec) : Queue(std::move(spec)) {
  const ElementSpec& element = this->spec().element;
  const bool is_described = element.dtypes[0] == DType::kInt64 &&
                            !element.shapes.empty() &&
                            element.shapes[0] == PartialShape(Shape{});
  Require(is_described,
          "component 0 of a PriorityQueue is its priority, an int64 scalar");
}

void PriorityQueue::Put(Element element) {
  // LAB(14.12) begin: behind all of the same priority
  Insert(std::move(element), last_order_++);
  // LAB(14.12) end
}

void PriorityQueue::PutBack(Element element) {
  // LAB(14.12) begin: in front of all of the same priority
  Insert(std::move(element), --first_order_);
  // LAB(14.12) end
}

void PriorityQueue::Insert(Element element, int64_t order) {
  const int64_t priority = element[0].scalar<int64_t>();
  elements_.emplace(std::pair(priority, order), std::move(element));
}

Element PriorityQueue::Take() {
  // LAB(14.12) begin: the smallest key's
  return std::move(elements_.extract(elements_.begin()).mapped());
  // LAB(14.12) end
}

}  // namespace minitf
