// Shapes of ops that parse Examples and SequenceExamples.
//
// Compare    tensorflow/core/util/example_proto_helper.h
// Read next  kernels/cpu/common/scalars.h

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "minitf/framework/shape_inference.h"

namespace minitf {

/// The types, and the shapes, that an attribute lists.
using Types = std::vector<DType>;
using Shapes = std::vector<PartialShape>;

/// Throws InvalidArgument unless the attribute `list` has the `wanted` number of items.
inline void RequireSize(std::string_view list, size_t size, int64_t wanted) {
  Require(static_cast<int64_t>(size) == wanted, "attribute '", list, "' has ", size,
          " items, needs ", wanted);
}

/// Sets the outputs of `count` sparse features, from output `first` on: all places
/// [?,rank], all values [?], all shapes [rank].
inline void SetSparseOutputs(InferenceContext* ctx, int first, int count, int64_t rank) {
  for (int i = 0; i < count; ++i) {
    ctx->set_output(first + i, {PartialShape::kUnknown, rank});
    ctx->set_output(first + count + i, {PartialShape::kUnknown});
    ctx->set_output(first + 2 * count + i, {rank});
  }
}

/// `shape` behind an axis of `size`.
inline PartialShape Behind(int64_t size, const PartialShape& shape) {
  if (!shape.has_rank()) return {};
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.insert(sizes.begin(), size);
  return PartialShape(sizes);
}

}  // namespace minitf
