// CudaStream: the stream of a card, by CUDA's own.
//
// All that minitf does on a card goes through one stream, in order. So a block of memory
// may be given out again as soon as the host is done with it: whoever uses it next comes
// later in the stream.
//
// Callbacks (OnDone) are called in a thread of their own, which waits for events: CUDA's
// host functions must not call CUDA, and are not called at all after an error.
//
// Compare    tensorflow/stream_executor/cuda/cuda_stream.h
// Read next  kernels/gpu/device/device_address.h

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "kernels/simt/cuda.h"
#include "minitf/framework/stream.h"

namespace minitf::gpu {

/// What went wrong, as a status: `what`, and CUDA's text, or what check mode has found.
/// Ok for cudaSuccess.
Status StatusOf(cudaError_t error, const char* what);

class CudaStream final : public Stream {
 public:
  /// Of a card by its number. CUDA's stream is made when it is first used.
  explicit CudaStream(int card) : card_(card) {}
  ~CudaStream() override;

  int card() const { return card_; }
  /// CUDA's stream; makes its card the current one of the calling thread, so that what is
  /// launched goes there. Throws Internal if there can be no stream.
  cudaStream_t Use();

  void Copy(void* to, const void* from, size_t bytes) override;
  void Enqueue(std::function<Status()> work) override;
  void OnDone(DoneCallback done) override;
  std::shared_ptr<Event> Record() override;
  void WaitFor(std::shared_ptr<Event> event) override;
  Status Synchronize() override;
  Status status() const override;
  void* native_handle() const override { return stream_; }

  /// Calls a library that takes memory from the card itself. If it returns
  /// ResourceExhausted, what the card's allocator keeps for later is given back to the
  /// card, and the library called once more.
  template <typename Call>
  Status CallWithMemory(Call call) const {
    Status status = call();
    if (status.code() != Code::kResourceExhausted) return status;
    free_kept_();
    return call();
  }
  /// How the allocator gives back what it keeps. To be set before the stream is used.
  void SetFreeKept(std::function<void()> free_kept) { free_kept_ = std::move(free_kept); }

  /// Keeps the first error, which is the stream's from then on.
  void NoteError(const Status& status) const;

 private:
  struct Callback {
    std::shared_ptr<Event> event;
    DoneCallback done;
  };
  void CallBack();

  const int card_;
  std::function<void()> free_kept_ = [] {};
  std::once_flag is_made_;
  cudaStream_t stream_ = nullptr;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable has_callback_;
  std::deque<Callback> callbacks_;
  mutable Status status_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace minitf::gpu
