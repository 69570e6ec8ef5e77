// MultiplyByPanels: the way from a MatMul, with its transposes, to the packed product.
//
// Read next  kernels/cpu/gemm/packed_product.h

#pragma once

#include "kernels/cpu/gemm/matrix_product.h"
#include "minitf/base/thread_pool.h"

namespace minitf {

/// The tier "packed". May make copies of whole matrices, m k + k n elements. Requires: m,
/// n, k > 0. T is float or double.
template <typename T>
void MultiplyByPanels(const ProductSizes& sizes, const T* a, const T* b, T* product,
                      ThreadPool* threads);

}  // namespace minitf
