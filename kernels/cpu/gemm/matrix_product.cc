// The product of two matrices: which way it is computed.
//
// A row times a matrix, or a matrix times a column, reads every element once: there is
// nothing to pack. Types that have no vector instructions add up rows. All others go to
// one of the tiers.
//
// Compare    tensorflow/core/kernels/matmul_op.cc, functor::MatMul
// Read next  kernels/cpu/gemm/product_naive.cc

#include "kernels/cpu/gemm/matrix_product.h"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/common/transpose_matrix.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/tensor/dtype.h"

namespace minitf {
namespace {

// At most so many rows or columns are few.
constexpr int64_t kFewRows = 64;

// y [rows] = matrix [rows,columns] x [columns]: one dot product for each row.
template <typename T>
void MatrixTimesVector(const T* matrix, int64_t rows, int64_t columns, const T* x, T* y,
                       ThreadPool* threads) {
  const ConstMatrixView<T> view(matrix, rows, columns);
  const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> vector(x, columns);
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> result(y, rows);
  ForPieces(threads, rows, columns / 4 + 1, [&](int64_t begin, int64_t end) {
    result.segment(begin, end - begin).noalias() =
        view.middleRows(begin, end - begin) * vector;
  });
}

// y [columns] = x [rows] matrix [rows,columns]: the sum of all rows, each times a number.
template <typename T>
void VectorTimesMatrix(const T* x, const T* matrix, int64_t rows, int64_t columns, T* y,
                       ThreadPool* threads) {
  const ConstMatrixView<T> view(matrix, rows, columns);
  const Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>> vector(x, rows);
  Eigen::Map<Eigen::Matrix<T, 1, Eigen::Dynamic>> result(y, columns);
  ForPieces(threads, columns, rows / 4 + 1, [&](int64_t begin, int64_t end) {
    result.segment(begin, end - begin).noalias() =
        vector * view.middleCols(begin, end - begin);
  });
}

template <typename T>
void AddProduct(T x, T y, T* sum) {
  if constexpr (kIsComplex<T>) {
    // By parts: the operator of std::complex looks for infinities.
    *sum += T(x.real() * y.real() - x.imag() * y.imag(),
              x.real() * y.imag() + x.imag() * y.real());
  } else {
    *sum = WrapAdd(*sum, WrapMultiply(x, y));
  }
}

// For other types: row i of the product is the sum of all rows p of b, each times a(i,p).
template <typename T>
void AddUpRows(const ProductSizes& s, const T* a, const T* b, T* product,
               ThreadPool* threads) {
  std::vector<T> b_rows;  // b as [k,n]
  if (s.transpose_b) {
    b_rows.resize(s.k * s.n);
    for (int64_t j = 0; j < s.n; ++j) {
      for (int64_t p = 0; p < s.k; ++p) b_rows[p * s.n + j] = b[j * s.k + p];
    }
    b = b_rows.data();
  }
  ForPieces(threads, s.m, s.k * s.n / 4 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* row = product + i * s.n;
      std::fill_n(row, s.n, T(0));
      for (int64_t p = 0; p < s.k; ++p) {
        const T factor = s.transpose_a ? a[p * s.m + i] : a[i * s.k + p];
        for (int64_t j = 0; j < s.n; ++j) AddProduct(factor, b[p * s.n + j], &row[j]);
      }
    }
  });
}

template <typename T>
void MultiplyByPanels(const ProductSizes& s, const T* a, const T* b, T* product,
                      ThreadPool* threads) {
  MultiplyPacked<T>({s.m, s.k, s.n}, MatrixPanels<T>(LeftOf(s, a)), RightOf(s, b),
                    product, threads);
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

// a b' for an a of few rows and a large b, as the transpose of b a'. Then b is read in the
// order in which it lies: to copy it crosswise would take as long as the product.
template <typename T>
void MultiplyTurned(const ProductSizes& s, const T* a, const T* b, T* product,
                    ThreadPool* threads) {
  Tensor turned(DTypeOf<T>(), {s.n, s.m});
  T* const result = turned.mutable_flat<T>().data();
  MultiplyByPanels<T>({s.n, s.k, s.m, false, !s.transpose_a}, b, a, result, threads);
  TransposeMatrix(result, s.m, s.n, s.m, product, s.n);
}

// The same where both are large: matrices that are given transposed are turned first, which
// takes less time than to copy their panels and slivers from where they lie.
template <typename T>
void MultiplyLarge(const ProductSizes& s, const T* a, const T* b, T* product,
                   ThreadPool* threads) {
  Tensor turned_a(DTypeOf<T>(), {s.transpose_a ? s.m * s.k : 0});
  Tensor turned_b(DTypeOf<T>(), {s.transpose_b ? s.k * s.n : 0});
  if (s.transpose_a) a = Turned(a, s.k, s.m, &turned_a, threads);
  if (s.transpose_b) b = Turned(b, s.n, s.k, &turned_b, threads);
  MultiplyByPanels<T>({s.m, s.k, s.n}, a, b, product, threads);
}

// A product of floats or doubles by the tier that suits it.
template <typename T>
void MultiplyFast(const ProductSizes& s, const T* a, const T* b, T* product,
                  ThreadPool* threads) {
  if (s.m == 1 && s.transpose_b) {
    MatrixTimesVector(b, s.n, s.k, a, product, threads);
  } else if (s.m == 1) {
    VectorTimesMatrix(a, b, s.k, s.n, product, threads);
  } else if (s.n == 1 && s.transpose_a) {
    VectorTimesMatrix(b, a, s.k, s.m, product, threads);
  } else if (s.n == 1) {
    MatrixTimesVector(a, s.m, s.k, b, product, threads);
  } else if (s.transpose_b && s.m <= kFewRows && s.m < s.n) {
    MultiplyTurned(s, a, b, product, threads);
  } else if (s.m > kFewRows && s.n > kFewRows) {
    MultiplyLarge(s, a, b, product, threads);
  } else {
    MultiplyByPanels(s, a, b, product, threads);
  }
}

// What the environment variable MINITF_MATMUL names.
template <typename T>
Multiplier<T> UsualMultiplier() {
  static const Multiplier<T> multiplier = [] {
    const char* tier = std::getenv("MINITF_MATMUL");
    return tier == nullptr || *tier == 0 ? MultiplyFast<T> : FindMultiplier<T>(tier);
  }();
  return multiplier;
}

}  // namespace

template <typename T>
Multiplier<T> FindMultiplier(std::string_view tier) {
  if (tier == "naive") return MultiplyNaively<T>;
  if (tier == "reordered") return MultiplyReordered<T>;
  if (tier == "tiled") return MultiplyTiled<T>;
  if (tier == "eigen") return MultiplyByEigen<T>;
  Require(tier == "packed", "there is no tier of MatMul called \"", tier,
          "\": naive, reordered, tiled, eigen, packed");
  return MultiplyByPanels<T>;
}

template <typename T>
void MultiplyMatrices(const ProductSizes& s, const T* a, const T* b, T* product,
                      ThreadPool* threads) {
  if (s.m == 0 || s.n == 0) return;
  if (s.k == 0) {
    std::fill_n(product, s.m * s.n, T(0));
  } else if constexpr (std::is_floating_point_v<T>) {
    UsualMultiplier<T>()(s, a, b, product, threads);
  } else {
    AddUpRows(s, a, b, product, threads);
  }
}

template Multiplier<float> FindMultiplier(std::string_view);
template Multiplier<double> FindMultiplier(std::string_view);
template void MultiplyMatrices(const ProductSizes&, const float*, const float*, float*,
                               ThreadPool*);
template void MultiplyMatrices(const ProductSizes&, const double*, const double*, double*,
                               ThreadPool*);
template void MultiplyMatrices(const ProductSizes&, const int32_t*, const int32_t*,
                               int32_t*, ThreadPool*);
template void MultiplyMatrices(const ProductSizes&, const int64_t*, const int64_t*,
                               int64_t*, ThreadPool*);
template void MultiplyMatrices(const ProductSizes&, const complex64*, const complex64*,
                               complex64*, ThreadPool*);
template void MultiplyMatrices(const ProductSizes&, const complex128*, const complex128*,
                               complex128*, ThreadPool*);

}  // namespace minitf
