// EmulatedStream: a queue and its thread.

#include "minitf/runtime/devices/emulated_stream.h"

#include <cstring>
#include <utility>

#include "minitf/base/caught.h"

namespace minitf {
namespace {

class EmulatedEvent final : public Event {
 public:
  void Reach(const Status& status) {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    status_ = status;
    reached_.notify_all();
  }
  bool is_done() const override {
    const std::lock_guard lock(mutex_);
    return is_done_;
  }
  Status Synchronize() const override {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [this] { return is_done_; });
    return status_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_;
  bool is_done_ = false;
  Status status_;
};

}  // namespace

EmulatedStream::~EmulatedStream() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    has_work_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void EmulatedStream::Copy(void* to, const void* from, size_t bytes) {
  Enqueue([to, from, bytes] {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return Status();
  });
}

void EmulatedStream::Enqueue(std::function<Status()> work) {
  Push([work = std::move(work)](const Status& status) {
    return status.ok() ? work() : status;
  });
}

void EmulatedStream::OnDone(DoneCallback done) {
  Push([done = std::move(done)](const Status& status) {
    done(status);
    return status;
  });
}

std::shared_ptr<Event> EmulatedStream::Record() {
  auto event = std::make_shared<EmulatedEvent>();
  Push([event](const Status& status) {
    event->Reach(status);
    return status;
  });
  return event;
}

void EmulatedStream::WaitFor(std::shared_ptr<Event> event) {
  Require(event != nullptr, "the event to wait for is null");
  Push([event = std::move(event)](const Status& status) {
    return status.ok() ? event->Synchronize() : status;
  });
}

Status EmulatedStream::Synchronize() {
  {
    const std::lock_guard lock(mutex_);
    if (thread_.get_id() == std::this_thread::get_id()) {
      return errors::FailedPrecondition("work of a stream must not wait for the stream");
    }
    if (!thread_.joinable()) return status_;  // nothing has been handed in
  }
  return Record()->Synchronize();
}

Status EmulatedStream::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void EmulatedStream::Push(Work work) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { DoAll(); });
  queue_.push_back(std::move(work));
  has_work_.notify_one();
}

// In the stream's thread, until the stream ends and all is done.
void EmulatedStream::DoAll() {
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    DoFirst(&lock);
  }
}

// Requires: *lock holds mutex_, and there is work. The lock is free while it is done.
void EmulatedStream::DoFirst(std::unique_lock<std::mutex>* lock) {
  Work work = std::move(queue_.front());
  queue_.pop_front();
  Status status = status_;
  lock->unlock();
  try {
    status = work(status);
  } catch (...) {
    status = CaughtStatus();
  }
  work = nullptr;  // What it holds goes while the lock is free.
  lock->lock();
  if (status_.ok()) status_ = std::move(status);
}

}  // namespace minitf
