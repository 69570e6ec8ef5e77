// FiberStacks on mmap.
//
// Read next  kernels/simt/runtime/block.h

#include "kernels/simt/runtime/fiber_stacks.h"

#include <new>
#include <sys/mman.h>

#include "kernels/simt/runtime/device_memory.h"

namespace simt {
namespace {

// If all stacks began at the same offset of a page, their tops would share one set of the
// first cache: a barrier of 1024 threads takes half as long again then.
constexpr int kStaggers = 61;
constexpr size_t kStagger = 320;  // bytes

}  // namespace

FiberStacks::FiberStacks() {
  void* const memory = mmap(nullptr, kSize * kMaxStacks, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
}

FiberStacks::~FiberStacks() { munmap(memory_, kSize * kMaxStacks); }

char* FiberStacks::Bottom(int i) {
  for (; prepared_ <= i; ++prepared_) {
    char* const bottom = memory_ + prepared_ * kSize + kPage;
    if (mprotect(bottom, kSize - kPage, PROT_READ | PROT_WRITE) != 0) {
      throw std::bad_alloc();
    }
  }
  return memory_ + i * kSize + kPage;
}

size_t FiberStacks::Room(int i) { return kSize - kPage - i % kStaggers * kStagger; }

bool FiberStacks::IsBeyond(const void* address) const {
  return Holder(address) >= 0 &&
         (reinterpret_cast<uintptr_t>(address) - begin()) % kSize < kPage;
}

}  // namespace simt
