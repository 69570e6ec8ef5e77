// Streams and events: work that is done in order, while the host goes on.
//
// A stream is a thread with a queue. The default stream has none: its work is done by who
// asks for it, after all that was asked of other streams before, as CUDA's legacy default
// stream has it. In check mode all streams work like that, so that every run is the same.
//
// Read next  kernels/simt/runtime/fiber.h

#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "kernels/simt/cuda_api.h"

namespace simt {

class Stream {
 public:
  /// `waits`: for work of the default stream, and is waited for by it.
  explicit Stream(bool waits);
  /// Returns when all work is done.
  ~Stream();

  bool waits() const { return waits_; }
  void Add(std::function<void()> work);
  void Synchronize();
  bool IsIdle();

 private:
  void Work();

  const bool waits_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool is_busy_ = false;
  bool ends_ = false;
  std::thread thread_;
};

class Event {
 public:
  using Clock = std::chrono::steady_clock;

  /// The number of a new record, which Happen completes.
  int64_t Record();
  void Happen(int64_t record);

  /// The number of the last record; 0 if there is none.
  int64_t last();
  bool HasHappened(int64_t record);
  void WaitFor(int64_t record);
  /// When the last record happened.
  Clock::time_point time();

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int64_t recorded_ = 0;
  int64_t happened_ = 0;
  Clock::time_point time_;
};

/// Does `work` in a stream; null is the default stream. Errors come from streams that
/// there are not.
cudaError_t AddToStream(cudaStream_t stream, std::function<void()> work);

/// Returns when all streams that the default stream waits for, or all that there are, are
/// idle.
void SynchronizeStreams(bool all);

}  // namespace simt
