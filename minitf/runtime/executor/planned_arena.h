// PlannedArena: the memory of a plan, and the check that the plan is right.
//
// The arena is one block, given out as the plan says. It is an allocator like others, so
// kernels stay as they are: before each node runs, its outputs are announced.
//
//   arena.Expect(offset, bytes)   the next allocation of so many bytes belongs there
//   kernel->Compute(...)          allocates its output, and gets that place
//   ... the last Tensor that sees the output goes: the place is free again
//
// In checking mode each byte that is given back is overwritten with 0xFF, which is NaN
// for every floating point type. A kernel that reads a tensor after its death, or finds
// its input overwritten by another tensor, then gives results that are plainly wrong. A
// place is never given out while something alive lies there: such an allocation is
// counted as a conflict, and gets memory elsewhere.
//
// A plan holds for one order of the nodes, so one step at a time uses an arena. A tensor
// in it may be kept beyond the step by mistake; then the arena stays as long as it does.
//
// Compare    tensorflow/lite/simple_memory_arena.h; there, nothing is checked
// Read next  minitf/runtime/executor/step_memory.h

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "minitf/passes/memory_plan.h"
#include "minitf/tensor/allocator.h"

namespace minitf {

class PlannedArena final : public Allocator {
 public:
  /// A place in the arena, in bytes.
  struct Place {
    int64_t offset = 0;
    int64_t bytes = 0;
  };

  /// `poisons`: checking mode. The arena takes its block, and all that has no place in
  /// it, from `outside`. Throws ResourceExhausted when that has no room.
  PlannedArena(int64_t bytes, bool poisons, Allocator* outside = &CpuAllocator());

  PlannedArena(const PlannedArena&) = delete;
  PlannedArena& operator=(const PlannedArena&) = delete;
  ~PlannedArena() override;

  /// Deletes an arena made by new, as soon as no tensor needs it: its block when the last
  /// tensor in it goes, the rest with the last one that it has got memory for.
  void Release();

  /// The next allocation of `bytes` gets the place at `offset`. Several may be expected.
  /// Requires: the place is inside the arena, and `offset` a multiple of 64.
  void Expect(int64_t offset, int64_t bytes);
  /// Nothing is expected any more: the node has run.
  void ExpectNothing();

  /// A place in the arena if one is expected and free; else memory from outside.
  void* Allocate(size_t bytes) override;
  void Free(void* memory, size_t bytes) override;
  Stats stats() const override;
  std::string name() const override { return outside_.name(); }

  /// How many allocations got the place that was planned for them.
  int64_t num_planned() const;
  /// How many did not, since something alive was there: a mistake of the plan.
  int64_t num_conflicts() const;

 private:
  bool IsFree(const Place& place) const;
  void* Take(const Place& place);
  void GiveBack(const char* memory);
  bool IsDone();
  void Poison(const Place& place);

  const int64_t size_;
  const bool poisons_;
  Allocator& outside_;
  char* memory_;  // null when it has been given back

  mutable std::mutex mutex_;  // guards all below: kernels have threads of their own
  bool is_released_ = false;
  int64_t num_outside_ = 0;  // pieces of memory that are alive outside of the block
  std::vector<Place> expected_;
  std::map<int64_t, int64_t> alive_;  // bytes, by offset
  Stats stats_;
  int64_t num_planned_ = 0;
  int64_t num_conflicts_ = 0;
};

}  // namespace minitf
