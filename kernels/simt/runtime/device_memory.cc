// DeviceMemory on mmap.
//
// Read next  kernels/simt/launch.h

#include "kernels/simt/runtime/device_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "kernels/simt/runtime/observer.h"
#include "kernels/simt/runtime/settings.h"

namespace simt {
namespace {

constexpr size_t kMostReserved = size_t{64} << 30;  // bytes
constexpr size_t kLeastReserved = size_t{64} << 20;

// `size` in whole pages, and one more that stays closed.
size_t WithGuard(size_t size) { return (size + kPage - 1) / kPage * kPage + kPage; }

}  // namespace

DeviceMemory& DeviceMemory::Get() {
  static auto& memory = *new DeviceMemory;  // never destroyed: programs free late
  return memory;
}

DeviceMemory::DeviceMemory()
    : total_(static_cast<size_t>(Settings::Get().memory_mb) << 20), top_(kPage) {
  size_t size = kMostReserved;
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    size = limit.rlim_cur / 4;  // the rest is for stacks and shadows
  }
  for (; size >= kLeastReserved; size /= 2) {
    size = size / kPage * kPage;
    void* const found = mmap(nullptr, size, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) continue;
    arena_ = static_cast<char*>(found);
    arena_size_ = size;
    return;
  }
}

void* DeviceMemory::Allocate(size_t size, int device, Site site) {
  const std::lock_guard lock(mutex_);
  if (size > total_ || used_[device] > total_ - size) return nullptr;
  const size_t needed = WithGuard(size);
  char* begin = nullptr;
  const auto reused = observer() ? free_.end() : free_.find(needed);
  if (reused != free_.end()) {
    begin = reused->second;
    free_.erase(reused);
  } else {
    if (needed > arena_size_ || top_ > arena_size_ - needed) return nullptr;
    begin = arena_ + top_;
    top_ += needed;
  }
  if (mprotect(begin, needed - kPage, PROT_READ | PROT_WRITE) != 0) return nullptr;
  allocations_[begin] = {begin, size, device, site, false};
  used_[device] += size;
  return begin;
}

bool DeviceMemory::Free(void* memory) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(static_cast<char*>(memory));
  if (found == allocations_.end() || found->second.is_freed) return false;
  Allocation& allocation = found->second;
  const size_t pages = WithGuard(allocation.size) - kPage;
  madvise(allocation.begin, pages, MADV_DONTNEED);
  mprotect(allocation.begin, pages, PROT_NONE);
  used_[allocation.device] -= allocation.size;
  if (observer()) {
    allocation.is_freed = true;
  } else {
    free_.emplace(pages + kPage, allocation.begin);
    allocations_.erase(found);
  }
  return true;
}

Allocation DeviceMemory::Nearest(const void* address) const {
  const std::lock_guard lock(mutex_);
  auto found = allocations_.upper_bound(static_cast<const char*>(address));
  if (found != allocations_.begin()) --found;
  return found == allocations_.end() ? Allocation() : found->second;
}

bool DeviceMemory::Holds(const void* address, size_t size) const {
  const Allocation nearest = Nearest(address);
  const auto* const begin = static_cast<const char*>(address);
  return nearest.begin != nullptr && !nearest.is_freed && begin >= nearest.begin &&
         begin <= nearest.end() && size <= static_cast<size_t>(nearest.end() - begin);
}

std::vector<Allocation> DeviceMemory::Live() const {
  const std::lock_guard lock(mutex_);
  std::vector<Allocation> found;
  for (const auto& [begin, allocation] : allocations_) {
    if (!allocation.is_freed) found.push_back(allocation);
  }
  return found;
}

size_t DeviceMemory::used(int device) const {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(device);
  return found == used_.end() ? 0 : found->second;
}

}  // namespace simt
