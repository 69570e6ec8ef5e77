// The product of two matrices in plain memory: what MatMul and BatchMatMul share.
//
//   a        [m,k], or [k,m] if transpose_a
//   b        [k,n], or [n,k] if transpose_b
//   product  [m,n]
//
// Read next  kernels/cpu/gemm/product_tiers.h

#pragma once

#include <cstdint>

#include "minitf/base/status.h"
#include "minitf/base/thread_pool.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

struct ProductSizes {
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

/// The sizes for matrices a and b as a MatMul has them: a is [m,k], or [k,m] if
/// transpose_a, b is [k,n], or [n,k] if transpose_b. Throws InvalidArgument unless both
/// are matrices that fit.
inline ProductSizes SizesOfProduct(const Tensor& a, const Tensor& b, bool transpose_a,
                                   bool transpose_b) {
  Require(a.rank() == 2 && b.rank() == 2, "needs two matrices: a is ", a.shape(),
          ", b is ", b.shape());
  const ProductSizes sizes = {.m = a.dim(transpose_a ? 1 : 0),
                              .k = a.dim(transpose_a ? 0 : 1),
                              .n = b.dim(transpose_b ? 0 : 1),
                              .transpose_a = transpose_a,
                              .transpose_b = transpose_b};
  Require(sizes.k == b.dim(transpose_b ? 1 : 0), "Matrix size-incompatible: a is ",
          a.shape(), ", b is ", b.shape());
  return sizes;
}

/// Writes the product; k may be 0, then it is all zeros. In several threads if `threads`
/// is not null. The result does not depend on timing. Throws InvalidArgument if the
/// environment variable MINITF_MATMUL names no tier (product_tiers.h).
/// T is float16, bfloat16, float, double, complex64, complex128, int32_t or int64_t.
template <typename T>
void MultiplyMatrices(const ProductSizes& sizes, const T* a, const T* b, T* product,
                      ThreadPool* threads);

/// Whether a product of bfloat16 is computed without making floats of them.
bool IsComputedByPairs(const ProductSizes& sizes);

}  // namespace minitf
