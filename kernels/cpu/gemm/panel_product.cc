// What is done with a transposed matrix before the packed product sees it.
//
// The packed product can copy panels and slivers from where a transposed matrix lies, but
// it walks across its rows, a page or more for each number, and again for every block of
// rows. Three ways to avoid that, the first one that fits:
//
//   few rows in a, more columns in b, b transposed
//                                  product' = b a', where b is read as it lies
//   few rows in a, or few columns in b
//                                  as it is: there is little to copy
//   many of both                   what is transposed is turned first, as a whole
//
// For 1024 x 1024 matrices, the second one with b transposed takes 16 ms where 28 were
// taken; for 32 x 1024 by 1024 x 512, the first one 0.29 ms where it was 1.15.
//
// Read next  kernels/cpu/gemm/packed_product.cc

#include <algorithm>

#include "kernels/cpu/common/transpose_matrix.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

// At most so many rows or columns are few.
constexpr int64_t kFew = 64;

// Rows that lie so near to each other are not copied into panels: they are on few pages,
// and in different places of the first cache.
constexpr int64_t kBytesOfNearRows = 1024;

// With so few rows b is read where it lies, once for each panel.
constexpr int64_t kRowsWithoutCopy = 70;

// How many steps a product of few rows takes at a time. If rows of b lie a page or more
// apart, their lines share few places of the second cache, and after more steps than
// those hold the next panel finds nothing there: 32 x 512 by 512 x 1024 takes 0.27 ms,
// and 0.45 ms with all steps at a time. The packed product itself takes 512 at a time.
int64_t StepsWithoutCopy(int64_t bytes_of_row, int64_t k) {
  constexpr int64_t kSecondCache = 1 << 20;
  const int64_t apart = bytes_of_row & -bytes_of_row;  // the largest power of 2 in it
  const int64_t steps = kSecondCache / apart;
  return steps < 512 ? std::max<int64_t>(steps, 128) : k;
}

template <typename T>
void Multiply(const ProductSizes& s, const T* a, const T* b, T* product,
              ThreadPool* threads) {
  constexpr int64_t kSize = sizeof(T);
  const bool is_near = !s.transpose_a && s.k * kSize <= kBytesOfNearRows;
  const bool is_read_in_place = s.m <= kRowsWithoutCopy && !s.transpose_b;
  const int64_t steps = is_read_in_place ? StepsWithoutCopy(s.n * kSize, s.k) : s.k;
  for (int64_t p = 0; p < s.k; p += steps) {
    MultiplyPacked<T>({s.m, std::min(steps, s.k - p), s.n, p > 0},
                      MatrixPanels<T>(LeftOf(s, a).From(0, p), is_near),
                      RightOf(s, b).From(p, 0), product, threads);
  }
}

// The transpose of matrix [rows,columns], in the memory of `to`.
template <typename T>
const T* Turned(const T* matrix, int64_t rows, int64_t columns, Tensor* to,
                ThreadPool* threads) {
  T* const turned = to->mutable_flat<T>().data();
  constexpr int64_t kStrip = 64;  // columns
  ForPieces(threads, (columns + kStrip - 1) / kStrip, kStrip * rows,
            [&](int64_t begin, int64_t end) {
              const int64_t first = begin * kStrip;
              const int64_t count = std::min(columns, end * kStrip) - first;
              TransposeMatrix(matrix + first, columns, rows, count, turned + first * rows,
                              rows);
            });
  return turned;
}

// The product as the transpose of b a'.
template <typename T>
void MultiplyTurned(const ProductSizes& s, const T* a, const T* b, T* product,
                    ThreadPool* threads) {
  Tensor turned(DTypeOf<T>(), {s.n, s.m});
  T* const result = turned.mutable_flat<T>().data();
  Multiply<T>({s.n, s.k, s.m, false, !s.transpose_a}, b, a, result, threads);
  TransposeMatrix(result, s.m, s.n, s.m, product, s.n);
}

}  // namespace

template <typename T>
void MultiplyByPanels(const ProductSizes& s, const T* a, const T* b, T* product,
                      ThreadPool* threads) {
  if (s.transpose_b && s.m <= kFew && s.m < s.n) {
    return MultiplyTurned(s, a, b, product, threads);
  }
  if (s.m <= kFew || s.n <= kFew) return Multiply(s, a, b, product, threads);
  Tensor turned_a(DTypeOf<T>(), {s.transpose_a ? s.m * s.k : 0});
  Tensor turned_b(DTypeOf<T>(), {s.transpose_b ? s.k * s.n : 0});
  if (s.transpose_a) a = Turned(a, s.k, s.m, &turned_a, threads);
  if (s.transpose_b) b = Turned(b, s.n, s.k, &turned_b, threads);
  Multiply<T>({s.m, s.k, s.n}, a, b, product, threads);
}

template decltype(MultiplyByPanels<float>) MultiplyByPanels<float>;
template decltype(MultiplyByPanels<double>) MultiplyByPanels<double>;

}  // namespace minitf
