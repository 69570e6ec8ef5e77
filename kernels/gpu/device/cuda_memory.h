// CudaMemory: the memory of a card, and how the host reaches it.
//
// cudaFree waits for all that the card has to do, and cudaMalloc takes longer than most
// kernels. So blocks that are freed are kept for the next one who wants their size, and
// given back only when the card has no room left, for us or for a library.
//
// Compare    tensorflow/core/common_runtime/bfc_allocator.h
// Read next  kernels/gpu/device/backend.cc

#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/gpu/device/cuda_stream.h"
#include "minitf/tensor/allocator.h"

namespace minitf::gpu {

class CudaMemory final : public Allocator, public ElementMover {
 public:
  /// Of the card of `stream`, through which elements are moved. Without `keeps_blocks`
  /// each block is a new one, so that check mode knows what nobody has written to.
  CudaMemory(std::shared_ptr<CudaStream> stream, bool keeps_blocks)
      : stream_(std::move(stream)), keeps_blocks_(keeps_blocks) {
    stream_->SetFreeKept([this] {
      const std::lock_guard lock(mutex_);
      FreeKept();
    });
  }

  void* Allocate(size_t bytes) override;
  void Free(void* memory, size_t bytes) override;
  Stats stats() const override;
  std::string name() const override;
  ElementMover* mover() const override { return const_cast<CudaMemory*>(this); }

  void ToHost(void* to, const void* from, size_t bytes) override;
  void FromHost(void* to, const void* from, size_t bytes) override;
  void Within(void* to, const void* from, int size,
              std::span<const CopyLoop> loops) override;
  void Fill(void* to, const void* element, int size, int64_t count) override;

 private:
  void* TakeKept(size_t bytes);
  void FreeKept();

  const std::shared_ptr<CudaStream> stream_;
  const bool keeps_blocks_;
  mutable std::mutex mutex_;  // guards all below
  std::map<size_t, std::vector<void*>> kept_;
  Stats stats_;
};

}  // namespace minitf::gpu
