// DeviceAllocator: counting.

#include "minitf/runtime/devices/device_allocator.h"

#include <utility>

namespace minitf {
namespace {

void RaiseTo(std::atomic<int64_t>* most, int64_t value) {
  int64_t former = most->load(std::memory_order_relaxed);
  while (value > former && !most->compare_exchange_weak(former, value)) {
  }
}

}  // namespace

DeviceAllocator::DeviceAllocator(std::string name, int64_t limit, Allocator& source)
    : name_(std::move(name)), limit_(limit), source_(source) {}

DeviceAllocator::Ptr DeviceAllocator::Make(std::string name, int64_t limit,
                                           Allocator& source) {
  return Ptr(new DeviceAllocator(std::move(name), limit, source));
}

bool DeviceAllocator::Take(int64_t bytes) {
  int64_t now = in_use_.load(std::memory_order_relaxed);
  do {
    if (limit_ > 0 && bytes > limit_ - now) return false;
  } while (!in_use_.compare_exchange_weak(now, now + bytes));
  RaiseTo(&peak_, now + bytes);
  RaiseTo(&largest_, bytes);
  return true;
}

void* DeviceAllocator::Allocate(size_t bytes) {
  if (!Take(static_cast<int64_t>(bytes))) return nullptr;
  void* memory = source_.Allocate(bytes);
  if (memory == nullptr) {
    in_use_.fetch_sub(static_cast<int64_t>(bytes));
    return nullptr;
  }
  num_allocations_.fetch_add(1, std::memory_order_relaxed);
  num_users_.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void DeviceAllocator::Free(void* memory, size_t bytes) {
  source_.Free(memory, bytes);
  in_use_.fetch_sub(static_cast<int64_t>(bytes));
  Unref();
}

void DeviceAllocator::Unref() {
  if (num_users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

Allocator::Stats DeviceAllocator::stats() const {
  Stats stats;
  stats.bytes_in_use = in_use_.load();
  stats.peak_bytes_in_use = peak_.load();
  stats.num_allocations = num_allocations_.load();
  stats.largest_allocation = largest_.load();
  stats.bytes_limit = limit_;
  return stats;
}

}  // namespace minitf
