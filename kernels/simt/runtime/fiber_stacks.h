// FiberStacks: memory for the local variables of a block's threads.
//
// Each stack is 256 KB of address space, of which only touched pages take memory, and
// ends in a page that nobody may touch: a thread that keeps too many local variables
// stops there instead of writing into another's.
//
// Read next  kernels/simt/runtime/block.h

#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simt/runtime/limits.h"

namespace simt {

class FiberStacks {
 public:
  static constexpr size_t kSize = 256 << 10;  ///< bytes of each, with its last page
  static constexpr int kMaxStacks = limits::kThreads;

  /// Throws std::bad_alloc if there is no address space left.
  FiberStacks();
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  /// The lowest byte of stack `i` that may be used; `Room(i)` bytes follow. The first
  /// call for each i prepares it. Throws std::bad_alloc if the system refuses.
  char* Bottom(int i);
  static size_t Room(int i);

  /// Which stack holds an address; -1 if none does.
  int Holder(const void* address) const {
    const auto offset = reinterpret_cast<uintptr_t>(address) - begin();
    return offset < kSize * kMaxStacks ? static_cast<int>(offset / kSize) : -1;
  }

  /// Whether an address is in the last page of a stack.
  bool IsBeyond(const void* address) const;

 private:
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_); }

  char* memory_;
  int prepared_ = 0;
};

}  // namespace simt
