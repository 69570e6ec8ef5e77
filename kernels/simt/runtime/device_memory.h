// DeviceMemory: what cudaMalloc hands out.
//
// All of it lies in one reserved piece of address space, so that one comparison tells
// whether a pointer is one of a device. An allocation has pages of its own, with at least
// one before and after it that nobody may touch; freed ones become such pages again. In
// check mode freed memory is not handed out again, so that a use of it can be found.
//
// Memory of a device is memory of this process, too: that host code does not touch it is
// seen in check mode only.
//
// Read next  kernels/simt/launch.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "kernels/simt/cuda_types.h"

namespace simt {

inline constexpr size_t kPage = 4096;  // bytes that the system protects together

struct Allocation {
  char* begin = nullptr;
  size_t size = 0;  ///< bytes
  int device = 0;
  Site site;  ///< the cudaMalloc
  bool is_freed = false;

  char* end() const { return begin + size; }
};

/// All functions may be called by any threads.
class DeviceMemory {
 public:
  static DeviceMemory& Get();

  /// Null if the device has not so much left. Requires: size > 0.
  void* Allocate(size_t size, int device, Site site);

  /// Whether `memory` is the begin of an allocation that is not freed; frees it.
  bool Free(void* memory);

  /// The allocation, freed or not, that begins last at or before an address, or the first
  /// one; its begin is null if there is none.
  Allocation Nearest(const void* address) const;

  /// Whether an address is one of a device, allocated or not.
  bool Contains(const void* address) const {
    return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(arena_) <
           arena_size_;
  }

  /// Whether `size` bytes lie within one allocation that is not freed.
  bool Holds(const void* address, size_t size) const;

  /// All that are not freed, by address.
  std::vector<Allocation> Live() const;

  /// The reserved address space.
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(arena_); }
  size_t reserved() const { return arena_size_; }

  size_t used(int device) const;
  size_t total() const { return total_; }  ///< bytes of each device: SIMT_MEMORY_MB

 private:
  DeviceMemory();

  char* arena_ = nullptr;
  size_t arena_size_ = 0;
  size_t total_;

  mutable std::mutex mutex_;  // guards what follows
  size_t top_;                // bytes of the arena that were handed out once
  std::map<const char*, Allocation> allocations_;
  std::multimap<size_t, char*> free_;  // by their sizes
  std::map<int, size_t> used_;         // bytes, by device
};

}  // namespace simt
