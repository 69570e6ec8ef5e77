// Stream: work for a device, done in the order in which it was handed in.
//
// The host submits kernels and copies to a stream and goes on; the device runs them in
// order. Two streams work independently, unless one waits for an event of the other:
//
//   stream A   kernel 1   kernel 2   event e   kernel 3
//   stream B                         wait for e, then copy what kernel 2 made
//
//   asynchronous   Copy and the like return at once. Memory that they name must stay, and
//                  must not be written, until the work is done
//   events         an event stands for all that was handed in before it was recorded
//   errors         stick: after the first one nothing is done any more, Synchronize gives
//                  it, and so does everything that waits for an event behind it. Only
//                  OnDone callbacks are still called, with the error
//   no deadlock    a stream only waits for events that have been recorded, so there is
//                  always a stream that can go on
//
// Any thread may hand in work. A card's stream does this by CUDA's own; the emulated one
// by a thread (minitf/runtime/devices/emulated_stream.h).
//
// Compare    tensorflow/stream_executor/stream.h
//            CUDA C++ Programming Guide: asynchronous concurrent execution
// Read next  minitf/framework/op_kernel.h

#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "minitf/base/status.h"

namespace minitf {

/// A point in the work of a stream. May outlive its stream.
class Event {
 public:
  virtual ~Event() = default;

  /// Whether the stream has come there: done, or dropped after an error. Never waits.
  virtual bool is_done() const = 0;
  /// Waits until the stream has come there. Its error, if it had one by then.
  virtual Status Synchronize() const = 0;
};

class Stream {
 public:
  using DoneCallback = std::function<void(const Status& status)>;

  Stream() = default;
  /// Waits for all work.
  virtual ~Stream() = default;

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Copies `bytes` bytes. Either side may be memory of the host or of a device. The two
  /// must not overlap.
  virtual void Copy(void* to, const void* from, size_t bytes) = 0;

  /// Calls `work` in its turn, in some thread of the host. What it returns or throws may
  /// be the stream's error.
  virtual void Enqueue(std::function<Status()> work) = 0;

  /// Calls `done` once, when all work before it is done or has been dropped, with the
  /// stream's status. Unlike other work it is called after an error, too.
  virtual void OnDone(DoneCallback done) = 0;

  /// An event that stands for all that has been handed in so far.
  virtual std::shared_ptr<Event> Record() = 0;
  /// What is handed in from now on waits for `event`, of this or of another stream. The
  /// host does not wait. If that stream had an error, this one takes it over.
  virtual void WaitFor(std::shared_ptr<Event> event) = 0;

  /// Waits until all that has been handed in is done or dropped. The stream's error, if
  /// it has one. FailedPrecondition, at once, for work of this stream, which would wait
  /// for itself.
  virtual Status Synchronize() = 0;
  /// The stream's error as far as it is known now. Never waits.
  virtual Status status() const = 0;

  /// A cudaStream_t, for those who launch kernels; null if there is no card.
  virtual void* native_handle() const { return nullptr; }
};

}  // namespace minitf
