// What the emulator tells a checker: launches, barriers, memory.
//
// Fast mode has no observer. Check mode (shadow.h) is one, and additionally gets every
// access from the compiler's hooks (hooks.cc). The scheduler calls an observer from the
// one thread that runs all blocks then.
//
// Read next  kernels/simt/runtime/fiber.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simt/launch.h"

namespace simt {

/// The place of number `i`, where x is counted first.
inline uint3 IndexOf(size_t i, uint3 sizes) {
  return {static_cast<unsigned>(i % sizes.x),
          static_cast<unsigned>(i / sizes.x % sizes.y),
          static_cast<unsigned>(i / sizes.x / sizes.y)};
}

/// "thread (1,0,0) of block (0,0,0)"
std::string NameOf(uint3 thread, uint3 block);

/// Something wrong with a program.
struct Finding {
  /// race, oob, uninit, uninit-copy, use-after-free, misaligned, null-pointer,
  /// host-pointer, host-deref, foreign-local, barrier-divergence, warp-mask, deadlock,
  /// leak, bad-free, bad-memcpy, bad-memset, bad-launch, host-call, exception,
  /// stack-overflow or limit.
  std::string kind;
  std::string space;         ///< global, shared, module or empty
  std::vector<Site> places;  ///< where; of a race both sides
  std::string message;       ///< what happened; lines after the first are indented
  bool is_note = false;      ///< it can be harmless
};

class Observer {
 public:
  virtual ~Observer() = default;

  virtual void LaunchBegins(const LaunchInfo& launch) = 0;
  virtual void LaunchEnds() = 0;
  /// Block `number` of the launch runs from now on, with this dynamic shared memory.
  virtual void BlockBegins(size_t number, const void* dynamic_shared) = 0;
  virtual void BlockEnds() = 0;
  /// All threads of the block have met.
  virtual void BarrierReleased() = 0;
  virtual void Fenced() = 0;

  virtual void Allocated(void* memory, size_t size, Site site) = 0;
  virtual void Freed(void* memory) = 0;
  virtual void Set(const void* to, size_t size) = 0;
  virtual void Copied(const void* to, const void* from, size_t size, Site site) = 0;

  virtual void Found(Finding finding) = 0;
  /// The line of a call that returns to `code`.
  virtual Site PlaceOf(const void* code) const = 0;
  /// Of the order in which threads begin; 0: as they are numbered.
  virtual uint64_t seed() const = 0;
};

/// The one there is, or null: then this is fast mode.
Observer* observer();

/// Replaces it. Requires: no kernel runs.
void SetObserver(Observer* observer);

/// Tells the observer, or, if there is none, writes the message to stderr.
void Report(Finding finding);

/// What was last written there; empty if nothing was since it was last asked for. It may
/// be of another device than the one whose error is told then.
std::string TakeReport();

}  // namespace simt
