// The tier "naive": three loops, and the formula in the innermost.
//
//   product[i,j] = sum over p of a[i,p] b[p,j]
//
// For n = 1024 each element of b is fetched 1024 times, and from a row that lies 4 KB
// away from the one before: nothing that the processor fetches beside it is used.
//
// Read next  kernels/cpu/gemm/product_reordered.cc

#include <array>

#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void MultiplyNaively(const ProductSizes& sizes, const T* a, const T* b, T* product,
                     ThreadPool*) {
  const auto [m, k, n] = std::array{sizes.m, sizes.k, sizes.n};
  const auto a_at = [&](int64_t i, int64_t p) {
    return sizes.transpose_a ? a[p * m + i] : a[i * k + p];
  };
  const auto b_at = [&](int64_t p, int64_t j) {
    return sizes.transpose_b ? b[j * k + p] : b[p * n + j];
  };
  for (int64_t i = 0; i < m; ++i) {
    StopIfAsked();
    for (int64_t j = 0; j < n; ++j) {
      T sum = T(0);
      for (int64_t p = 0; p < k; ++p) sum += a_at(i, p) * b_at(p, j);
      product[i * n + j] = sum;
    }
  }
}

template void MultiplyNaively(const ProductSizes&, const float*, const float*, float*,
                              ThreadPool*);
template void MultiplyNaively(const ProductSizes&, const double*, const double*, double*,
                              ThreadPool*);

}  // namespace minitf
