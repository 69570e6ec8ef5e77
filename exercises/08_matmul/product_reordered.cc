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
#include "minitf/base/lab.h"
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void MultiplyReordered(const ProductSizes& sizes, const T* a, const T* b, T* product,
                       ThreadPool*) {
  const int64_t m = sizes.m;
  const int64_t k = sizes.k;
  const int64_t n = sizes.n;
  // TODO(08.2) begin: write the product so that the innermost loop runs along rows
  MINITF_TODO("08.2");
  // TODO(08.2) end
}

template decltype(MultiplyReordered<float>) MultiplyReordered<float>;
template decltype(MultiplyReordered<double>) MultiplyReordered<double>;
template decltype(MultiplyReordered<Traced>) MultiplyReordered<Traced>;

}  // namespace minitf
