// Sparse tensors as three tensors: checks, cutting into rows, stacking of rows.
//
// The places of a sparse tensor [4,5,6] are rows of three numbers. Its row 2 is the
// sparse tensor [5,6] of all places that begin with 2, without that number. So to cut and
// to stack takes time and memory in proportion to the values that are listed, however
// large the sizes are; only rows that hold nothing cost something too, and are limited.
//
// Compare    tensorflow/core/util/sparse/sparse_tensor.h
// Read next  minitf/contrib/sparse/sparse_tensors.h

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "minitf/tensor/tensor.h"

namespace minitf {

/// The three tensors of a sparse one.
struct SparseParts {
  Tensor indices;  ///< int64 [n,rank]
  Tensor values;   ///< [n]
  Tensor shape;    ///< int64 [rank]

  /// Requires: `shape` is a vector.
  int64_t rank() const { return shape.num_elements(); }
};

/// How many rows without a value RowsOf makes.
constexpr int64_t kMostEmptyRows = int64_t{1} << 18;

/// Throws InvalidArgument: `parts` are no matrix and two vectors, their sizes do not fit,
/// a size is negative, or the product of the sizes is 2^63 or more.
void RequireSparse(const SparseParts& parts);

/// Throws InvalidArgument for a place outside of the shape. Requires: `parts` is as
/// RequireSparse wants it.
void RequirePlacesWithin(const SparseParts& parts);

/// The rows of `whole` along axis 0. Values are copied; rows without a value share their
/// tensors. Throws as RequireSparse and RequirePlacesWithin; InvalidArgument for a rank
/// less than 2, or rows that are not in order; ResourceExhausted for more than
/// kMostEmptyRows rows without a value.
std::vector<SparseParts> RowsOf(const SparseParts& whole);

/// Rows on top of each other: the inverse of RowsOf. Each axis is as long as the longest.
/// Throws InvalidArgument: there are none, their ranks differ, a value is not of `dtype`,
/// or the product of the longest axes is 2^63 or more. Requires: each is as RequireSparse
/// wants it.
SparseParts StackedRows(std::span<const SparseParts> rows, DType dtype);

}  // namespace minitf
