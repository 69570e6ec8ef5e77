// Shadow memory: who has accessed each 4 bytes last, and which bytes were written at all.
//
//   memory   | a[0] | a[1] | a[2] | ...      4 bytes each
//   cells    | last write, two last reads by different threads | ...
//   written  | a bit for each of the 4 bytes | ...
//
// Two accesses to the same bytes by two threads are a race if one is a write, not both
// are atomic, and nothing orders them. Threads of a block are ordered by a barrier
// between the two, those of a warp also by __syncwarp. Blocks of a launch are not
// ordered, in whatever order they happen to run here, but by a fence and an atomic
// (releases.h).
//
// Compare    the Linux kernel's KCSAN and LLVM's ThreadSanitizer, whose cells are alike
// Read next  kernels/simt/check/releases.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/simt/cuda_types.h"

namespace simt {

/// An access, as a cell remembers it: two words, so that it is compared and copied
/// quickly.
struct Access {
  uint64_t who = 0;  ///< block, thread and interval; 0: none yet
  uint64_t how = 0;  ///< warp interval, bytes, atomic or not, and the instruction

  /// block: counted over all launches, from 1 on. thread: within the block. interval: how
  /// many barriers the block had passed.
  static uint64_t Who(uint32_t block, int thread, uint16_t interval) {
    return uint64_t{block} << 32 | static_cast<uint64_t>(thread) << 16 | interval;
  }
  /// warp_interval: the last __syncwarp in which the thread took part. bytes: a bit for
  /// each of the 4. code: the instruction (Checker::Pack).
  static uint64_t How(uint16_t warp_interval, uint8_t bytes, bool is_atomic,
                      uint32_t code) {
    return uint64_t{warp_interval} << 48 | uint64_t{is_atomic} << 40 |
           uint64_t{bytes} << 32 | code;
  }

  uint32_t block() const { return static_cast<uint32_t>(who >> 32); }
  int thread() const { return static_cast<int>(who >> 16 & 0xffff); }
  uint16_t interval() const { return static_cast<uint16_t>(who); }
  uint16_t warp_interval() const { return static_cast<uint16_t>(how >> 48); }
  uint8_t bytes() const { return static_cast<uint8_t>(how >> 32 & 15); }
  bool is_atomic() const { return (how >> 40 & 1) != 0; }
  uint32_t code() const { return static_cast<uint32_t>(how); }
};

struct Cell {
  Access write;
  Access reads[2];  ///< of different threads; the last one first
};

enum class Space : uint8_t { kGlobal, kShared, kModule };

/// An array of zeros that takes memory only where it is written to.
template <typename T>
class ZeroArray {
 public:
  ZeroArray() = default;
  /// Throws std::bad_alloc.
  explicit ZeroArray(size_t size);

  T& operator[](size_t i) const { return data_.get()[i]; }
  T* data() const { return data_.get(); }
  size_t size() const { return data_.get_deleter().size; }

 private:
  struct Unmap {
    size_t size = 0;
    void operator()(T* data) const;
  };
  std::unique_ptr<T, Unmap> data_;
};

/// A piece of memory with its shadow.
struct Region {
  uintptr_t begin = 0;  ///< a multiple of 4
  size_t size = 0;      ///< bytes
  Space space = Space::kGlobal;
  Site site;  ///< the cudaMalloc
  ZeroArray<Cell> cells;
  ZeroArray<uint8_t> written;  ///< 4 bits for each 4 bytes

  Region() = default;
  /// Throws std::bad_alloc.
  Region(uintptr_t begin, size_t size, Space space, Site site = {});

  bool Contains(uintptr_t address, size_t count) const {
    const uintptr_t first = address - begin;
    return first < size && count <= size - first;
  }
  void MarkWritten(uintptr_t address, size_t count);
  /// The first of `count` bytes that was not written; `count` if all were.
  size_t FindUnwritten(uintptr_t address, size_t count) const;
  /// Whether any of `count` bytes was written.
  bool HasWritten(uintptr_t address, size_t count) const;
  void ForgetWritten();
};

}  // namespace simt
