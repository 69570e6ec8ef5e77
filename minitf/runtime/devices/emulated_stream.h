// EmulatedStream: the stream of a device that the CPU stands for.
//
// A queue, and a thread that does what is in it, one piece after another. So a copy is as
// asynchronous as that of a card, and a program that forgets to wait for it reads what is
// not there yet, on every machine. The thread starts with the first piece of work.
//
// Compare    tensorflow/stream_executor/host/host_stream.h
// Read next  minitf/runtime/devices/gpu_backend.h

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "minitf/framework/stream.h"

namespace minitf {

class EmulatedStream final : public Stream {
 public:
  EmulatedStream() = default;
  /// Requires: no work of the stream itself destroys it.
  ~EmulatedStream() override;

  void Copy(void* to, const void* from, size_t bytes) override;
  void Enqueue(std::function<Status()> work) override;
  void OnDone(DoneCallback done) override;
  std::shared_ptr<Event> Record() override;
  void WaitFor(std::shared_ptr<Event> event) override;
  Status Synchronize() override;
  Status status() const override;

 private:
  // Gets the stream's status, and may return another one.
  using Work = std::function<Status(const Status& status)>;

  void Push(Work work);
  void DoAll();
  void DoFirst(std::unique_lock<std::mutex>* lock);

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable has_work_;
  std::deque<Work> queue_;
  Status status_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace minitf
