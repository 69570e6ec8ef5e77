// CudaStream: CUDA's stream, and a thread for callbacks.

#include "kernels/gpu/device/cuda_stream.h"

#include <future>
#include <utility>

#include "kernels/gpu/device/device_address.h"
#include "minitf/base/caught.h"
#ifdef MINITF_GPU_CHECKED
#include "kernels/simt/check/check.h"
#include "kernels/simt/runtime/settings.h"
#elif !defined(MINITF_CUDA)
#include "kernels/simt/runtime/observer.h"
#endif

namespace minitf::gpu {
namespace {

class CudaEvent final : public Event {
 public:
  CudaEvent(const CudaStream& stream, cudaStream_t handle) : stream_(stream) {
    error_ = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    if (error_ == cudaSuccess) error_ = cudaEventRecord(event_, handle);
  }
  ~CudaEvent() override {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  cudaEvent_t get() const { return event_; }

  bool is_done() const override {
    return error_ != cudaSuccess || cudaEventQuery(event_) != cudaErrorNotReady;
  }
  Status Synchronize() const override {
    const cudaError_t error =
        error_ == cudaSuccess ? cudaEventSynchronize(event_) : error_;
    stream_.NoteError(StatusOf(error, "waiting for an event"));
    return stream_.status();
  }

 private:
  const CudaStream& stream_;
  cudaEvent_t event_ = nullptr;
  cudaError_t error_;
};

#ifdef MINITF_GPU_CHECKED
// What check mode has found since it was last asked. Tensors may live until the process
// ends, and are no leaks.
std::string TakeFindings() {
  const simt::Settings& settings = simt::Settings::Get();
  static auto& check =
      *new simt::ScopedCheck({.seed = settings.seed,
                              .preempt = static_cast<int>(settings.preempt),
                              .access_limit = settings.access_limit,
                              .profiles = settings.profile,
                              .finds_leaks = false});
  return check.Take();
}
#endif

}  // namespace

Status StatusOf(cudaError_t error, const char* what) {
#ifdef MINITF_GPU_CHECKED
  if (const std::string found = TakeFindings(); !found.empty()) {
    return errors::Internal(what, ": check mode has found\n", found);
  }
#endif
  if (error == cudaSuccess) return {};
  std::string more;
#if !defined(MINITF_GPU_CHECKED) && !defined(MINITF_CUDA)
  if (more = simt::TakeReport(); !more.empty()) more.insert(0, "; the emulator found ");
#endif
  return errors::Internal(what, ": ", cudaGetErrorString(error), " (",
                          cudaGetErrorName(error), ")", more);
}

CudaStream::~CudaStream() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    has_callback_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

cudaStream_t CudaStream::Use() {
  ThrowIfError(StatusOf(cudaSetDevice(card_), "choosing a card"));
  std::call_once(is_made_, [this] {
    ThrowIfError(StatusOf(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                          "making a stream"));
  });
  return stream_;
}

void CudaStream::NoteError(const Status& status) const {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = status;
}

Status CudaStream::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void CudaStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0 || !status().ok()) return;
  NoteError(StatusOf(
      cudaMemcpyAsync(Revealed(to), Revealed(from), bytes, cudaMemcpyDefault, Use()),
      "copying to or from a card"));
}

void CudaStream::Enqueue(std::function<Status()> work) {
  struct Call {
    CudaStream* stream;
    std::function<Status()> work;
  };
  auto call = std::make_unique<Call>(Call{this, std::move(work)});
  const auto run = [](void* data) {
    const std::unique_ptr<Call> owned(static_cast<Call*>(data));
    if (!owned->stream->status().ok()) return;
    try {
      owned->stream->NoteError(owned->work());
    } catch (...) {
      owned->stream->NoteError(CaughtStatus());
    }
  };
  const cudaStream_t stream = Use();
  Call* const given = call.release();
  const cudaError_t error = cudaLaunchHostFunc(stream, run, given);
  if (error == cudaSuccess) return;
  call.reset(given);
  NoteError(StatusOf(error, "handing work to a stream"));
}

std::shared_ptr<Event> CudaStream::Record() {
  return std::make_shared<CudaEvent>(*this, Use());
}

void CudaStream::OnDone(DoneCallback done) {
  auto event = Record();
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { CallBack(); });
  callbacks_.push_back({std::move(event), std::move(done)});
  has_callback_.notify_one();
}

// In the thread for callbacks, until the stream ends and all have been called.
void CudaStream::CallBack() {
  cudaSetDevice(card_);
  std::unique_lock lock(mutex_);
  while (true) {
    has_callback_.wait(lock, [this] { return is_ending_ || !callbacks_.empty(); });
    if (callbacks_.empty()) return;
    Callback callback = std::move(callbacks_.front());
    callbacks_.pop_front();
    lock.unlock();
    const Status status = callback.event->Synchronize();
    callback.done(status);
    callback = {};  // What it holds goes while the lock is free.
    lock.lock();
  }
}

void CudaStream::WaitFor(std::shared_ptr<Event> event) {
  Require(event != nullptr, "the event to wait for is null");
  if (const auto* cuda = dynamic_cast<const CudaEvent*>(event.get())) {
    NoteError(StatusOf(cudaStreamWaitEvent(Use(), cuda->get(), 0),
                       "waiting for another stream"));
    return;
  }
  Enqueue([event = std::move(event)] { return event->Synchronize(); });
}

Status CudaStream::Synchronize() {
  NoteError(StatusOf(cudaStreamSynchronize(Use()), "computing on a card"));
  return status();
}

}  // namespace minitf::gpu
