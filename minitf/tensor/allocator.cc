// The host allocator: blocks in classes of size, kept when they are freed.

#include "minitf/tensor/allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <pthread.h>
#include <unistd.h>
#include <vector>

namespace minitf {
namespace {

// One cache line, and enough for the widest vector register of any x86-64 or ARM CPU.
constexpr std::align_val_t kAlignment{64};
constexpr size_t kLine = 64;

// Freed blocks wait for reuse until this many bytes wait.
constexpr size_t kMaxBytesKept = size_t{1} << 30;

// A sanitizer sees a use after free only if the block really is freed.
#if defined(__SANITIZE_ADDRESS__) || defined(MINITF_TSAN)
constexpr bool kKeepBlocks = false;
#else
constexpr bool kKeepBlocks = true;
#endif

// Sizes are rounded up to one of four steps between powers of two, so that at most a
// quarter of a block is lost and tensors of nearly one size share a list.
struct SizeClass {
  explicit SizeClass(size_t wanted) {
    const size_t lines = std::max<size_t>(1, (wanted + kLine - 1) / kLine);
    const int log = std::bit_width(lines) - 1;
    const size_t step = log < 2 ? 1 : size_t{1} << (log - 2);
    const size_t rounded = (lines + step - 1) / step * step;
    bytes = rounded * kLine;
    const int rounded_log = std::bit_width(rounded) - 1;
    const size_t quarter = rounded_log < 2 ? rounded : (rounded >> (rounded_log - 2)) & 3;
    index = std::min<size_t>(rounded_log * 4 + quarter, kCount - 1);
  }

  static constexpr size_t kCount = 256;

  size_t bytes;
  size_t index;
};

size_t PhysicalMemory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

class HostAllocator final : public Allocator {
 public:
  // While a process forks no list may be locked: the child, which has one thread only,
  // would never unlock it.
  void LockLists() {
    for (FreeList& list : free_) list.mutex.lock();
  }
  void UnlockLists() {
    for (FreeList& list : free_) list.mutex.unlock();
  }

  void* Allocate(size_t bytes) override {
    if (bytes > memory_limit_) return nullptr;
    const SizeClass size_class(bytes);
    void* memory = Take(size_class);
    if (memory == nullptr)
      memory = ::operator new(size_class.bytes, kAlignment, std::nothrow);
    if (memory != nullptr) Count(static_cast<int64_t>(size_class.bytes));
    return memory;
  }

  void Free(void* memory, size_t bytes) override {
    const SizeClass size_class(bytes);
    in_use_.fetch_sub(static_cast<int64_t>(size_class.bytes), std::memory_order_relaxed);
    if (!Keep(memory, size_class)) ::operator delete(memory, kAlignment);
  }

  Stats stats() const override {
    return {in_use_.load(), peak_.load(), num_allocations_.load(), 0, 0};
  }

 private:
  struct FreeList {
    std::mutex mutex;
    std::vector<void*> blocks;
  };

  void* Take(const SizeClass& size_class) {
    FreeList& list = free_[size_class.index];
    const std::lock_guard lock(list.mutex);
    if (list.blocks.empty()) return nullptr;
    void* memory = list.blocks.back();
    list.blocks.pop_back();
    bytes_kept_.fetch_sub(size_class.bytes, std::memory_order_relaxed);
    return memory;
  }

  bool Keep(void* memory, const SizeClass& size_class) {
    if (!kKeepBlocks) return false;
    if (bytes_kept_.load(std::memory_order_relaxed) + size_class.bytes > kMaxBytesKept) {
      return false;
    }
    bytes_kept_.fetch_add(size_class.bytes, std::memory_order_relaxed);
    FreeList& list = free_[size_class.index];
    const std::lock_guard lock(list.mutex);
    list.blocks.push_back(memory);
    return true;
  }

  void Count(int64_t bytes) {
    num_allocations_.fetch_add(1, std::memory_order_relaxed);
    const int64_t now = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
    }
  }

  const size_t memory_limit_ = PhysicalMemory();
  std::array<FreeList, SizeClass::kCount> free_;
  std::atomic<size_t> bytes_kept_{0};
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> num_allocations_{0};
};

// Never destroyed: tensors in static objects are freed after it would be.
HostAllocator& TheHostAllocator() {
  static auto* allocator = new HostAllocator;
  return *allocator;
}

void LockForFork() { TheHostAllocator().LockLists(); }
void UnlockAfterFork() { TheHostAllocator().UnlockLists(); }

}  // namespace

std::string RoomLeft(const Allocator& allocator) {
  const Allocator::Stats stats = allocator.stats();
  if (stats.bytes_limit == 0) return "";
  return "; " + allocator.name() + " has " +
         std::to_string(stats.bytes_limit - stats.bytes_in_use) + " of " +
         std::to_string(stats.bytes_limit) + " bytes left";
}

Allocator& CpuAllocator() {
  static Allocator& allocator = [&]() -> Allocator& {
    pthread_atfork(&LockForFork, &UnlockAfterFork, &UnlockAfterFork);
    return TheHostAllocator();
  }();
  return allocator;
}

}  // namespace minitf
