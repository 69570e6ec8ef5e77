// PlannedArena: the memory of a plan, and the check that the plan is right.
//
// The arena is one block, given out as the plan says. It is an allocator, so kernels
// need not know: whoever runs a step says before each node where its outputs are to go.
//
//   arena.Expect(offset, bytes)   the next allocation of so many bytes belongs there
//   kernel->Compute(...)          allocates its output, and gets that place
//   ... the last Tensor that sees the output goes: the place is free again
//
// In checking mode each byte that is given back is overwritten with 0xFF, which is NaN
// for every floating point type. A kernel that reads a tensor after its death, or finds
// its input overwritten by another tensor, then gives results that nobody takes for
// right. A place is never given out while something alive lies there: such an allocation
// is counted as a conflict, and gets memory elsewhere.
//
// A plan holds for one order of the nodes, so one thread at a time uses an arena. It
// outlives the tensors in it; what a step hands to its caller must not be in it.
//
// Compare    tensorflow/lite/simple_memory_arena.h; there, nothing is checked
// Read next  minitf/runtime/executor.h

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "minitf/passes/memory_plan.h"
#include "minitf/tensor/allocator.h"

namespace minitf {

class PlannedArena final : public Allocator {
 public:
  /// `poisons`: checking mode.
  PlannedArena(int64_t bytes, bool poisons);

  PlannedArena(const PlannedArena&) = delete;
  PlannedArena& operator=(const PlannedArena&) = delete;
  ~PlannedArena() override = default;

  /// The next allocation of `bytes` gets the place at `offset`. Several may be expected.
  /// Requires: the place is inside the arena, and `offset` a multiple of 64.
  void Expect(int64_t offset, int64_t bytes);
  /// Nothing is expected any more: the node has run.
  void ExpectNothing() { expected_.clear(); }

  /// A place in the arena if one is expected and free; else memory from CpuAllocator.
  void* Allocate(size_t bytes) override;
  void Free(void* memory, size_t bytes) override;
  Stats stats() const override { return stats_; }

  /// How many allocations got the place that was planned for them.
  int64_t num_planned() const { return num_planned_; }
  /// How many did not, since something alive was there: a mistake of the plan.
  int64_t num_conflicts() const { return num_conflicts_; }

 private:
  struct Place {
    int64_t offset = 0;
    int64_t bytes = 0;
  };
  struct AlignedDelete {
    void operator()(char* memory) const;
  };

  bool IsFree(const Place& place) const;
  void Poison(const Place& place);

  const int64_t size_;
  const bool poisons_;
  const std::unique_ptr<char, AlignedDelete> memory_;
  std::vector<Place> expected_;
  std::map<int64_t, int64_t> alive_;  // bytes, by offset
  Stats stats_;
  int64_t num_planned_ = 0;
  int64_t num_conflicts_ = 0;
};

/// Tells `arena` where the outputs of `node` go. Tensors that are fetched, or not
/// planned, are left to the ordinary allocator.
void ExpectOutputs(const Node& node, const PlannedStep& step, const MemoryPlan& plan,
                   PlannedArena* arena);

}  // namespace minitf
