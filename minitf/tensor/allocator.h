// Allocator: where the bytes of a tensor come from, and where they go back to.
//
// A device brings its own allocator, so a Tensor never asks which device it lives on.
//
// Host memory is kept: a block that is freed waits in the list of its size for the next
// tensor of that size, since fresh pages from the system cost more than most kernels
// (a 40 MB addition takes twice as long into a fresh block as into a used one).
//
// Compare    tensorflow/core/framework/allocator.h, core/common_runtime/bfc_allocator.h
// Read next  minitf/tensor/tensor.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace minitf {

/// One loop of a nest that moves elements. Strides count elements.
struct CopyLoop {
  int64_t size;
  int64_t from_stride;
  int64_t to_stride;
};

/// Moves elements to, from and within memory that the host cannot reach: that of a card.
/// What is asked for is done in order, behind all that the card was asked for before.
/// Functions throw Error for an error of the card.
class ElementMover {
 public:
  virtual ~ElementMover() = default;

  /// Copies between the host and the card; done when it returns.
  virtual void ToHost(void* to, const void* from, size_t bytes) = 0;
  virtual void FromHost(void* to, const void* from, size_t bytes) = 0;
  /// Runs a loop nest, outermost loop first, on elements of `size` bytes on the card. It
  /// is under way when it returns.
  virtual void Within(void* to, const void* from, int size,
                      std::span<const CopyLoop> loops) = 0;
  /// Makes `count` elements of `size` bytes the one that the host has at `element`. It is
  /// under way when it returns.
  virtual void Fill(void* to, const void* element, int size, int64_t count) = 0;
};

class Allocator {
 public:
  /// What the allocator has given out since the process started.
  struct Stats {
    int64_t bytes_in_use = 0;
    int64_t peak_bytes_in_use = 0;
    int64_t num_allocations = 0;
    int64_t largest_allocation = 0;  ///< 0 where it is not counted
    int64_t bytes_limit = 0;         ///< 0: none but that of the machine
  };

  virtual ~Allocator() = default;

  /// `bytes` bytes of uninitialised memory, aligned to 64 bytes; null when there is no
  /// room. Safe to call from any thread.
  virtual void* Allocate(size_t bytes) = 0;

  /// Takes back `memory`, which Allocate gave for `bytes`.
  virtual void Free(void* memory, size_t bytes) = 0;

  virtual Stats stats() const = 0;

  /// How the memory is reached; null if the host reads and writes it as its own.
  virtual ElementMover* mover() const { return nullptr; }

  /// Whose memory it is, for messages: "cpu", or the name of a device.
  virtual std::string name() const { return "cpu"; }
};

/// "; /.../device:GPU:0 has 12 of 100 bytes left": what to add to a message when
/// `allocator` had no room. "" if it has no limit of its own.
std::string RoomLeft(const Allocator& allocator);

/// The allocator of host memory. One for the process; safe to use from any thread.
Allocator& CpuAllocator();

}  // namespace minitf
