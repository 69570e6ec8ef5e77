// Readers: one call after another is served, and work is fetched when it is used up.

#include "minitf/io/readers/reader.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "minitf/io/queues/forget_callback.h"

namespace minitf {

struct ReaderBase::Request {
  int64_t count;
  std::shared_ptr<Queue> queue;
  CancellationManager* cancellation;
  Done done;
  CancellationManager::Token token = 0;

  Status status = {};
  std::vector<Record> records = {};

  // What the queue has given, if `has_fetched`.
  bool has_fetched = false;
  Element fetched = {};
  // Of the queue's callback and the call that waits for it: whether one has come.
  std::atomic<bool> is_first_here = false;
};

ReaderBase::~ReaderBase() = default;

// ---- Standing in line -----------------------------------------------------------------

void ReaderBase::ReadUpTo(int64_t count, std::shared_ptr<Queue> queue,
                          CancellationManager* cancellation, Done done) {
  Require(count >= 0, "num_records must be at least 0, got ", count);
  const std::vector<DType> kOneString = {DType::kString};
  Require(queue->spec().element.dtypes == kOneString, "the queue of ", name_,
          " must have one component of type string");
  if (count == 0) return done({}, {});

  const auto request = std::shared_ptr<Request>(
      new Request{count, std::move(queue), cancellation, std::move(done)});
  {
    const std::lock_guard lock(line_mutex_);
    bool is_cancelled = false;
    if (cancellation != nullptr) {
      request->token = cancellation->NewToken();
      const std::weak_ptr<Request> weak = request;
      is_cancelled = !cancellation->RegisterCallback(
          request->token, [self = weak_from_this(), weak] {
            const auto reader = self.lock();
            const auto found = weak.lock();
            if (reader != nullptr && found != nullptr) reader->GiveUp(found);
          });
    }
    if (is_cancelled) request->status = errors::Cancelled("Read operation was cancelled");
    if (!is_cancelled) requests_.push_back(request);
    if (!is_cancelled && std::exchange(is_serving_, true)) return;
  }
  if (!request->status.ok()) return request->done(request->status, {});
  Serve();
}

// The step of `request` is cancelled. The first in line needs no help: it is reading, or
// waits in the queue, which has been told too.
void ReaderBase::GiveUp(const RequestPointer& request) {
  {
    const std::lock_guard lock(line_mutex_);
    const auto found = std::ranges::find(requests_, request);
    if (found == requests_.end() || found == requests_.begin()) return;
    requests_.erase(found);
  }
  request->done(errors::Cancelled("Read operation was cancelled"), {});
}

// Serves the first request, and those behind it, until one has to wait. Only one thread
// at a time is in the loop.
void ReaderBase::Serve() {
  std::vector<RequestPointer> served;
  while (true) {
    RequestPointer first;
    {
      const std::lock_guard lock(line_mutex_);
      is_serving_ = !requests_.empty();
      if (requests_.empty()) break;
      first = requests_.front();
    }
    if (!TryServe(first.get())) {
      if (!FetchWork(first)) break;
      continue;
    }
    const std::lock_guard lock(line_mutex_);
    requests_.pop_front();
    served.push_back(std::move(first));
  }
  // Not before, since a callback may take its time.
  for (const RequestPointer& request : served) {
    ForgetCallback(request->cancellation, request->token);
    request->done(request->status, std::move(request->records));
  }
}

// Asks the queue for a work item. Returns true when it is there. This function and the
// queue's callback may run at the same time; the second of the two goes on serving.
bool ReaderBase::FetchWork(const RequestPointer& request) {
  request->is_first_here = false;
  request->queue->Dequeue(
      request->cancellation,
      [self = shared_from_this(), this, request](const Status& status, Element element) {
        request->has_fetched = true;
        request->status = status;
        request->fetched = std::move(element);
        if (request->is_first_here.exchange(true)) Serve();
      });
  return request->is_first_here.exchange(true);
}

// ---- Reading --------------------------------------------------------------------------

// Serves `request` with the work there is. Returns false if it needs another work item.
bool ReaderBase::TryServe(Request* request) {
  const std::lock_guard lock(mutex_);
  try {
    if (std::exchange(request->has_fetched, false)) {
      if (!request->status.ok()) return true;
      StartWork(request->fetched);
    }
    ThrowIfError(std::exchange(deferred_, {}));
    if (work_in_progress()) ReadRecords(request->count, &request->records);
    return !request->records.empty();
  } catch (const Error& error) {
    request->status = error.status();
  } catch (const std::bad_alloc&) {
    request->status = errors::ResourceExhausted("no memory for a record of ", name_);
  } catch (const std::exception& exception) {
    request->status = {Code::kUnknown, exception.what()};
  }
  // What has been read must not be lost; the next read gets the error.
  if (!request->records.empty()) deferred_ = std::exchange(request->status, {});
  return true;
}

void ReaderBase::StartWork(const Element& element) {
  Require(element[0].num_elements() == 1, "a work item of ", name_,
          " is one string, got shape ", element[0].shape());
  work_ = element[0].scalar<std::string>();
  OnWorkStartedLocked();
  ++work_started_;
}

// Reads records of the work item under way until there are `count`, or it has no more.
void ReaderBase::ReadRecords(int64_t count, std::vector<Record>* records) {
  bool at_end = false;
  while (!at_end && std::ssize(*records) < count) {
    Record record;
    bool produced = false;
    ReadLocked(&record.key, &record.value, &produced, &at_end);
    if (!at_end && !produced) {
      throw Error(errors::Internal("ReadLocked() for ", name_,
                                   " set *at_end=false *produced=false"));
    }
    if (produced) {
      records->push_back(std::move(record));
      ++num_records_produced_;
    }
  }
  if (!at_end) return;
  OnWorkFinishedLocked();
  ++work_finished_;
}

// ---- State ----------------------------------------------------------------------------

void ReaderBase::Reset() {
  const std::lock_guard lock(mutex_);
  ResetLocked();
}

void ReaderBase::ResetLocked() {
  work_started_ = 0;
  work_finished_ = 0;
  num_records_produced_ = 0;
  work_.clear();
  deferred_ = {};
}

int64_t ReaderBase::NumRecordsProduced() {
  const std::lock_guard lock(mutex_);
  return num_records_produced_;
}

int64_t ReaderBase::NumWorkUnitsCompleted() {
  const std::lock_guard lock(mutex_);
  return work_finished_;
}

}  // namespace minitf
