// The tiers of MatMul: five ways to the same product, each faster than the one before.
//
//   naive      three loops, one dot product for each element      product_naive.cc
//   reordered  the inner loop along rows of b and the product     product_reordered.cc
//   tiled      tiles of the three matrices that fit a cache       product_tiled.cc
//   eigen      packed, and in vectors, by Eigen                   product_eigen.cc
//   packed     packed, and in vectors, by the micro-kernel         panel_product.cc
//
// "packed" runs unless the label of a kernel (the node's attribute _kernel) or the
// environment variable MINITF_MATMUL names another. "autotune" tries them the first time
// that such sizes come, and remembers the quickest. All are tested against each other.
//
// Read next  kernels/cpu/gemm/vector_product.h

#pragma once

#include <string_view>

#include "kernels/cpu/gemm/matrix_product.h"
#include "kernels/cpu/gemm/packed_product.h"

namespace minitf {

/// The matrices as they lie: a as [m,k], b as [k,n].
template <typename T>
StridedMatrix<T> LeftOf(const ProductSizes& s, const T* a) {
  return {a, s.transpose_a ? 1 : s.k, s.transpose_a ? s.m : 1};
}
template <typename T>
StridedMatrix<T> RightOf(const ProductSizes& s, const T* b) {
  return {b, s.transpose_b ? 1 : s.n, s.transpose_b ? s.k : 1};
}

/// How a tier multiplies. Requires m, k, n > 0.
template <typename T>
using Multiplier = void (*)(const ProductSizes& sizes, const T* a, const T* b, T* product,
                            ThreadPool* threads);

/// The one called `tier`, a name above or "autotune"; for bfloat16 "widened" or "pairs".
/// Throws InvalidArgument if there is none, and Unimplemented if this processor has none.
/// T is float, double or bfloat16.
template <typename T>
Multiplier<T> FindMultiplier(std::string_view tier);
template <>
Multiplier<bfloat16> FindMultiplier(std::string_view tier);

template <typename T>
void MultiplyNaively(const ProductSizes& sizes, const T* a, const T* b, T* product,
                     ThreadPool* threads);

template <typename T>
void MultiplyReordered(const ProductSizes& sizes, const T* a, const T* b, T* product,
                       ThreadPool* threads);

template <typename T>
void MultiplyTiled(const ProductSizes& sizes, const T* a, const T* b, T* product,
                   ThreadPool* threads);

template <typename T>
void MultiplyByEigen(const ProductSizes& sizes, const T* a, const T* b, T* product,
                     ThreadPool* threads);

/// Of 16 bits, added up as floats and rounded once: bfloat16 by the tier "pairs" where
/// IsComputedByPairs, all others by "widened", as floats. T is float16 or bfloat16.
template <typename T>
void MultiplyHalves(const ProductSizes& sizes, const T* a, const T* b, T* product,
                    ThreadPool* threads);

/// The tier "packed". May make copies of whole matrices, m k + k n elements.
template <typename T>
void MultiplyByPanels(const ProductSizes& sizes, const T* a, const T* b, T* product,
                      ThreadPool* threads);

}  // namespace minitf
