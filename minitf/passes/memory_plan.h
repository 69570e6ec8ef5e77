// MemoryPlan: places for all tensors of a step in one block of memory.
//
// A tensor needs memory from the node that makes it to the last node that reads it. Two
// tensors whose lives do not overlap may lie in the same place; so a chain of a hundred
// layers needs the memory of two or three of them:
//
//   a = Conv(x)   b = Relu(a)   c = Conv(b)     offset
//   |- a -------------|                         0
//                 |- b ------------|            1000
//                              |- c ---...      0     a is dead by now
//
// Choosing offsets is NP-hard: boxes (lifetime across, size up) are packed as low as
// possible. The plan uses best fit for several orders of the boxes and keeps the lowest.
//
// A Relu may write over its input when that is not read any more. Then both share one
// box, from the birth of the first to the death of the last.
//
// Compare    tensorflow/lite/simple_memory_arena.cc, greedy by size;
//            tensorflow/core/grappler/optimizers/memory_optimizer.cc, which swaps
// Read next  minitf/runtime/devices/device_allocator.h

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "minitf/graph/step_graph.h"
#include "minitf/passes/pass.h"

namespace minitf {

/// A tensor that needs `size` bytes from step `first_use` to step `last_use`, both
/// included. Steps are counted in the order in which nodes run.
struct BufferLife {
  int64_t size = 0;
  int first_use = 0;
  int last_use = 0;

  bool Overlaps(const BufferLife& other) const {
    return first_use <= other.last_use && other.first_use <= last_use;
  }
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  ///< by buffer
  int64_t arena_size = 0;        ///< bytes in all
};

/// Tensors start at multiples of this.
inline constexpr int64_t kPlanAlignment = 64;

/// Offsets at which buffers that live at the same time do not touch, each a multiple of
/// `alignment`. Throws InvalidArgument for a size below 0, a life that ends before it
/// begins, or sizes whose sum, each rounded up, is not below 2^62.
MemoryPlan PlanMemory(std::span<const BufferLife> buffers,
                      int64_t alignment = kPlanAlignment);

/// The most bytes that are alive at one time: no plan needs less.
int64_t PeakOfLives(std::span<const BufferLife> buffers, int64_t alignment = 1);

// ---- From a graph ---------------------------------------------------------------------

/// A tensor of a graph in a plan.
struct PlannedTensor {
  Output tensor;
  int buffer = -1;  ///< in PlannedStep::buffers; tensors that share memory share it
};

struct PlannedStep {
  std::vector<Node*> order;            ///< step i runs order[i]
  std::vector<PlannedTensor> tensors;  ///< those whose sizes are known
  std::vector<BufferLife> buffers;
  int num_unknown = 0;  ///< tensors that are not planned, for want of a shape

  /// Whether `life` is that of a tensor which is kept after the step: its place cannot be
  /// reused.
  bool OutlivesStep(const BufferLife& life) const {
    return life.last_use == static_cast<int>(order.size());
  }

  int64_t total_bytes = 0;  ///< of all tensors, if each had memory of its own
};

/// The lives of the tensors of `step`, if its nodes run one after another in topological
/// order. Not planned are tensors whose shape is not known, constants and variables,
/// which outlive the step, and feeds, which belong to the caller. Fetched tensors, and
/// those that a variable or a queue may keep, live to the end; nothing is written over
/// them. Whose kernels run a node, and so which loops it has, `options` say.
PlannedStep LivesOf(const StepGraph& step, const PassOptions& options = {});

/// Whether the kernel of `node`, one of `device`, may put its output into the memory of
/// input `i`, as far as op and shapes tell: an element is written only after it has been
/// read.
bool MayWorkInPlace(const Node& node, int i, Device device);

}  // namespace minitf
