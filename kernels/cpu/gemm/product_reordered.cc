// The tier "reordered": the same three loops in another order.
//
// Whatever is fetched is used, and the compiler takes a whole vector at a time. No number
// is added in another order than in "naive", only the waiting for memory is gone. But of
// each two numbers that are fetched one product is made, and a row of the product goes
// back and forth k times.
//
// Read next  kernels/cpu/gemm/product_tiled.cc

#include <algorithm>
#include <vector>

#include "kernels/cpu/gemm/product_tiers.h"
#include "kernels/cpu/gemm/traced.h"
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void MultiplyReordered(const ProductSizes& sizes, const T* a, const T* b, T* product,
                       ThreadPool*) {
  const int64_t m = sizes.m;
  const int64_t k = sizes.k;
  const int64_t n = sizes.n;
  // LAB(08.2) begin: write the product so that the innermost loop runs along rows
  // product[i,:] += a[i,p] * b[p,:]. A transposed b has no rows of this kind: it is
  // copied crosswise first.
  std::vector<T> b_rows;  // b as [k,n]
  if (sizes.transpose_b) {
    b_rows.resize(k * n);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p) b_rows[p * n + j] = b[j * k + p];
    }
    b = b_rows.data();
  }
  std::fill_n(product, m * n, T(0));
  for (int64_t i = 0; i < m; ++i) {
    StopIfAsked();
    T* const row = product + i * n;
    for (int64_t p = 0; p < k; ++p) {
      const T factor = sizes.transpose_a ? a[p * m + i] : a[i * k + p];
      for (int64_t j = 0; j < n; ++j) row[j] += factor * b[p * n + j];
    }
  }
  // LAB(08.2) end
}

template decltype(MultiplyReordered<float>) MultiplyReordered<float>;
template decltype(MultiplyReordered<double>) MultiplyReordered<double>;
template decltype(MultiplyReordered<Traced>) MultiplyReordered<Traced>;

}  // namespace minitf
