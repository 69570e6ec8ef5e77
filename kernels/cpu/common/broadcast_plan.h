// BroadcastPlan: how to walk over the elements of a result whose inputs broadcast.
//
// Along each axis of the result an input either moves, or stands still because its size
// is 1. Neighbouring axes that every input walks along as if they were one become one, so
// a plan has few of them. [8,5,5,32] + [32] has two:
//
//   axis  size  stride of x  stride of y
//   0      200           32            0
//   1       32            1            1
//
// The innermost axis is a row, which a kernel computes in one simple loop.
//
// Read next  kernels/cpu/common/arithmetic.h

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "minitf/tensor/shape.h"

namespace minitf {

class BroadcastPlan {
 public:
  static constexpr int kMaxInputs = 3;
  using Offsets = std::array<int64_t, kMaxInputs>;

  struct Axis {
    int64_t size = 1;
    Offsets
        strides{};  ///< how far input i moves, in elements, for one step along the axis
  };

  /// Requires: every shape in `inputs`, at most kMaxInputs, broadcasts to `output`.
  BroadcastPlan(const Shape& output, std::span<const Shape* const> inputs);

  /// Outermost first, at least one. An axis of size 1 is there only if it is alone.
  const std::vector<Axis>& axes() const { return axes_; }

  /// The innermost axis.
  const Axis& row() const { return axes_.back(); }

  /// Calls `compute(offsets, begin, count)` for pieces of rows that make up the elements
  /// [begin, end) of the output. `offsets` says where in each input a piece starts.
  template <typename Compute>
  void ForEachRow(int64_t begin, int64_t end, Compute compute) const;

 private:
  void Merge();
  Offsets OffsetsOf(int64_t element) const;

  std::vector<Axis> axes_;
};

template <typename Compute>
void BroadcastPlan::ForEachRow(int64_t begin, int64_t end, Compute compute) const {
  while (begin < end) {
    const int64_t count = std::min(end - begin, row().size - begin % row().size);
    compute(OffsetsOf(begin), begin, count);
    begin += count;
  }
}

inline BroadcastPlan::Offsets BroadcastPlan::OffsetsOf(int64_t element) const {
  Offsets offsets{};
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    const int64_t step = element % axis->size;
    element /= axis->size;
    for (int i = 0; i < kMaxInputs; ++i) offsets[i] += step * axis->strides[i];
  }
  return offsets;
}

}  // namespace minitf
