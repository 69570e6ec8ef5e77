// Streams, events, and their part of the runtime API.
//
// Compare    CUDA Runtime API, "Stream synchronization behavior"
// Read next  kernels/simt/runtime/api.cc

#include "kernels/simt/runtime/stream.h"

#include <map>
#include <memory>
#include <utility>

#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/observer.h"

namespace simt {

// ---- Streams --------------------------------------------------------------------------

Stream::Stream(bool waits) : waits_(waits) {
  if (!observer()) thread_ = std::thread([this] { Work(); });
}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Stream::Add(std::function<void()> work) {
  if (!thread_.joinable()) return work();
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void Stream::Synchronize() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !is_busy_; });
}

bool Stream::IsIdle() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !is_busy_;
}

void Stream::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !queue_.empty() || ends_; });
    if (queue_.empty()) return;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    is_busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

namespace {

// All streams and events that there are. What a program destroys may still be in use by a
// stream, so it lives until it is no longer.
template <typename T>
class Handles {
 public:
  T* Add(std::shared_ptr<T> one) {
    const std::lock_guard lock(mutex_);
    T* const handle = one.get();
    all_.emplace(handle, std::move(one));
    return handle;
  }

  /// Null if there is none.
  std::shared_ptr<T> Find(T* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    return found == all_.end() ? nullptr : found->second;
  }

  std::shared_ptr<T> Remove(T* handle) {
    const std::lock_guard lock(mutex_);
    auto found = all_.extract(handle);
    return found ? std::move(found.mapped()) : nullptr;
  }

  std::map<T*, std::shared_ptr<T>> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

  static Handles& Get() {
    static auto& handles = *new Handles;
    return handles;
  }

 private:
  std::mutex mutex_;
  std::map<T*, std::shared_ptr<T>> all_;
};

using Streams = Handles<Stream>;
using Events = Handles<Event>;

// cudaStreamLegacy and cudaStreamPerThread are the default stream as well.
bool IsDefault(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }

}  // namespace

cudaError_t AddToStream(cudaStream_t stream, std::function<void()> work) {
  if (IsDefault(stream)) {
    SynchronizeStreams(false);
    work();
    return cudaSuccess;
  }
  const auto found = Streams::Get().Find(stream);
  if (!found) return Remember(cudaErrorInvalidResourceHandle);
  found->Add(std::move(work));
  return cudaSuccess;
}

void SynchronizeStreams(bool all) {
  for (const auto& [handle, stream] : Streams::Get().all()) {
    if (all || stream->waits()) stream->Synchronize();
  }
}

// ---- Events ---------------------------------------------------------------------------

int64_t Event::Record() {
  const std::lock_guard lock(mutex_);
  return ++recorded_;
}

void Event::Happen(int64_t record) {
  {
    const std::lock_guard lock(mutex_);
    happened_ = record;
    time_ = Clock::now();
  }
  changed_.notify_all();
}

int64_t Event::last() {
  const std::lock_guard lock(mutex_);
  return recorded_;
}

bool Event::HasHappened(int64_t record) {
  const std::lock_guard lock(mutex_);
  return happened_ >= record;
}

void Event::WaitFor(int64_t record) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return happened_ >= record; });
}

Event::Clock::time_point Event::time() {
  const std::lock_guard lock(mutex_);
  return time_;
}

}  // namespace simt

using simt::Remember;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  SIMT_ONLY_ON_HOST(cudaStreamCreate);
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  SIMT_ONLY_ON_HOST(cudaStreamCreateWithFlags);
  if (stream == nullptr || flags > cudaStreamNonBlocking) {
    return Remember(cudaErrorInvalidValue);
  }
  const bool waits = flags == cudaStreamDefault;
  *stream = simt::Streams::Get().Add(std::make_shared<simt::Stream>(waits));
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  SIMT_ONLY_ON_HOST(cudaStreamDestroy);
  const auto found = simt::Streams::Get().Remove(stream);
  return found ? cudaSuccess : Remember(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  SIMT_ONLY_ON_HOST(cudaStreamSynchronize);
  if (simt::IsDefault(stream)) {
    simt::SynchronizeStreams(false);
  } else if (const auto found = simt::Streams::Get().Find(stream)) {
    found->Synchronize();
  } else {
    return Remember(cudaErrorInvalidResourceHandle);
  }
  return Remember(simt::LastingError());
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  SIMT_ONLY_ON_HOST(cudaStreamQuery);
  if (simt::IsDefault(stream)) return simt::LastingError();
  const auto found = simt::Streams::Get().Find(stream);
  if (!found) return Remember(cudaErrorInvalidResourceHandle);
  return found->IsIdle() ? simt::LastingError() : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  SIMT_ONLY_ON_HOST(cudaStreamWaitEvent);
  const auto found = simt::Events::Get().Find(event);
  if (!found) return Remember(cudaErrorInvalidResourceHandle);
  if (flags != 0) return Remember(cudaErrorInvalidValue);
  const int64_t record = found->last();
  return simt::AddToStream(stream, [found, record] { found->WaitFor(record); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
  SIMT_ONLY_ON_HOST(cudaLaunchHostFunc);
  if (function == nullptr) return Remember(cudaErrorInvalidValue);
  return simt::AddToStream(stream, [function, data] { function(data); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  SIMT_ONLY_ON_HOST(cudaEventCreate);
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  SIMT_ONLY_ON_HOST(cudaEventCreateWithFlags);
  if (event == nullptr || flags > 7) return Remember(cudaErrorInvalidValue);
  *event = simt::Events::Get().Add(std::make_shared<simt::Event>());
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  SIMT_ONLY_ON_HOST(cudaEventDestroy);
  const auto found = simt::Events::Get().Remove(event);
  return found ? cudaSuccess : Remember(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  SIMT_ONLY_ON_HOST(cudaEventRecord);
  const auto found = simt::Events::Get().Find(event);
  if (!found) return Remember(cudaErrorInvalidResourceHandle);
  const int64_t record = found->Record();
  return simt::AddToStream(stream, [found, record] { found->Happen(record); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  SIMT_ONLY_ON_HOST(cudaEventQuery);
  const auto found = simt::Events::Get().Find(event);
  if (!found) return Remember(cudaErrorInvalidResourceHandle);
  return found->HasHappened(found->last()) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  SIMT_ONLY_ON_HOST(cudaEventSynchronize);
  const auto found = simt::Events::Get().Find(event);
  if (!found) return Remember(cudaErrorInvalidResourceHandle);
  found->WaitFor(found->last());
  return Remember(simt::LastingError());
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin,
                                 cudaEvent_t end) {
  SIMT_ONLY_ON_HOST(cudaEventElapsedTime);
  const auto first = simt::Events::Get().Find(begin),
             last = simt::Events::Get().Find(end);
  if (!first || !last || first->last() == 0 || last->last() == 0) {
    return Remember(cudaErrorInvalidResourceHandle);
  }
  if (milliseconds == nullptr) return Remember(cudaErrorInvalidValue);
  if (!first->HasHappened(first->last()) || !last->HasHappened(last->last())) {
    return Remember(cudaErrorNotReady);
  }
  *milliseconds =
      std::chrono::duration<float, std::milli>(last->time() - first->time()).count();
  return cudaSuccess;
}
