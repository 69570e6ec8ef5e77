// The tier "naive": three loops, and the formula in the innermost.
//
//   product[i,j] = sum over p of a[i,p] b[p,j]
//
// For n = 1024 each element of b is fetched 1024 times, and from a row that lies 4 KB
// away from the one before: nothing that the processor fetches beside it is used.
//
// Read next  kernels/cpu/gemm/product_reordered.cc

#include "kernels/cpu/gemm/product_tiers.h"
#include "kernels/cpu/gemm/traced.h"
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void MultiplyNaively(const ProductSizes& sizes, const T* a, const T* b, T* product,
                     ThreadPool*) {
  const int64_t m = sizes.m;
  const int64_t k = sizes.k;
  const int64_t n = sizes.n;
  const StridedMatrix<T> left = LeftOf(sizes, a);
  const StridedMatrix<T> right = RightOf(sizes, b);
  for (int64_t i = 0; i < m; ++i) {
    StopIfAsked();
    // LAB(08.1) begin: write row i of the product, each element once
    for (int64_t j = 0; j < n; ++j) {
      T sum = T(0);
      for (int64_t p = 0; p < k; ++p) sum += left.at(i, p) * right.at(p, j);
      product[i * n + j] = sum;
    }
    // LAB(08.1) end
  }
}

template decltype(MultiplyNaively<float>) MultiplyNaively<float>;
template decltype(MultiplyNaively<double>) MultiplyNaively<double>;
template decltype(MultiplyNaively<Traced>) MultiplyNaively<Traced>;

}  // namespace minitf
