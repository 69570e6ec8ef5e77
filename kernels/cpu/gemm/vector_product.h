// A vector times a matrix, and a matrix times a vector: products that read every element
// of the matrix once, so that there is nothing to pack.
//
// In both the matrix is [rows,columns], and its rows lie one behind the other.
//
// Read next  kernels/cpu/gemm/packed_product.h

#pragma once

#include <cstdint>

#include "minitf/base/thread_pool.h"

namespace minitf {

/// Writes y [rows] = matrix x, where x is [columns]: one dot product for each row. In
/// several threads if `threads` is not null. T is float or double.
template <typename T>
void MatrixTimesVector(const T* matrix, int64_t rows, int64_t columns, const T* x, T* y,
                       ThreadPool* threads);

/// Writes y [columns] = x matrix, where x is [rows]: the sum of all rows, each times a
/// number. In several threads if `threads` is not null. T is float or double.
template <typename T>
void VectorTimesMatrix(const T* x, const T* matrix, int64_t rows, int64_t columns, T* y,
                       ThreadPool* threads);

}  // namespace minitf
