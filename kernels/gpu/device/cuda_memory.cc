// CudaMemory: blocks by size, and copies.

#include "kernels/gpu/device/cuda_memory.h"

#include <algorithm>

#include "kernels/gpu/device/device_address.h"
#include "kernels/gpu/strided_copy.h"
#include "minitf/base/status.h"

namespace minitf::gpu {
namespace {

// Sizes are rounded up, so that tensors of nearly one size share a list: to 256 bytes,
// and from 1 MiB on to an eighth of the power of two below.
size_t RoundedUp(size_t bytes) {
  size_t step = 256;
  if (bytes > size_t{1} << 20) {
    size_t power = size_t{1} << 20;
    while (power * 2 <= bytes) power *= 2;
    step = power / 8;
  }
  return std::max<size_t>(step, (bytes + step - 1) / step * step);
}

}  // namespace

void* CudaMemory::TakeKept(size_t bytes) {
  const auto found = kept_.find(bytes);
  if (found == kept_.end() || found->second.empty()) return nullptr;
  void* const memory = found->second.back();
  found->second.pop_back();
  return memory;
}

void CudaMemory::FreeKept() {
  for (auto& [size, blocks] : kept_) {
    for (void* block : blocks) cudaFree(block);
  }
  kept_.clear();
}

void* CudaMemory::Allocate(size_t bytes) {
  const size_t rounded = RoundedUp(bytes);
  stream_->Use();
  const std::lock_guard lock(mutex_);
  void* memory = TakeKept(rounded);
  if (memory == nullptr && cudaMalloc(&memory, rounded) != cudaSuccess) {
    cudaGetLastError();  // forgotten: there is room perhaps when the kept blocks are free
    FreeKept();
    if (cudaMalloc(&memory, rounded) != cudaSuccess) {
      cudaGetLastError();
      return nullptr;
    }
  }
  const auto size = static_cast<int64_t>(bytes);
  stats_.bytes_in_use += size;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_allocation = std::max(stats_.largest_allocation, size);
  ++stats_.num_allocations;
  return Hidden(memory);
}

void CudaMemory::Free(void* memory, size_t bytes) {
  const std::lock_guard lock(mutex_);
  stats_.bytes_in_use -= static_cast<int64_t>(bytes);
  memory = Revealed(memory);
  if (keeps_blocks_) {
    kept_[RoundedUp(bytes)].push_back(memory);
  } else {
    cudaFree(memory);
  }
}

Allocator::Stats CudaMemory::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

std::string CudaMemory::name() const { return StrCat("card ", stream_->card()); }

void CudaMemory::ToHost(void* to, const void* from, size_t bytes) {
  stream_->Copy(to, from, bytes);
  ThrowIfError(stream_->Synchronize());
}

void CudaMemory::FromHost(void* to, const void* from, size_t bytes) {
  stream_->Copy(to, from, bytes);
  ThrowIfError(stream_->Synchronize());
}

void CudaMemory::Within(void* to, const void* from, int size,
                        std::span<const CopyLoop> loops) {
  StridedLoops nest;
  if (loops.size() > StridedLoops::kMaxLoops) {
    throw Error(errors::Unimplemented("a card moves elements along at most ",
                                      StridedLoops::kMaxLoops, " axes, not ",
                                      loops.size()));
  }
  for (const CopyLoop& loop : loops) {
    nest.size[nest.num_loops] = loop.size;
    nest.from_stride[nest.num_loops] = loop.from_stride;
    nest.to_stride[nest.num_loops] = loop.to_stride;
    ++nest.num_loops;
  }
  ThrowIfError(StatusOf(
      LaunchStridedCopy(size, nest, Revealed(from), Revealed(to), stream_->Use()),
      "moving elements on a card"));
}

void CudaMemory::Fill(void* to, const void* element, int size, int64_t count) {
  ThrowIfError(StatusOf(LaunchFill(size, count, element, Revealed(to), stream_->Use()),
                        "filling memory of a card"));
}

}  // namespace minitf::gpu
