// The product of two matrices, a block for each thread.
//
// Eigen's product packs both matrices into pieces that fit the caches, and multiplies
// them with vector instructions. A transposed matrix is packed from where it lies: to
// Eigen it is one that lies column by column. The longer side of the result is shared out
// among the threads; each multiplies a block of its own, and waits for no other.
//
// A row times a matrix, or a matrix times a column, reads every element once: there is
// nothing to pack. Types that Eigen has no vector instructions for add up rows.
//
// Eigen's contraction, with threads of its own, was here before. It took the compiler 15
// seconds, and was no faster: between half and 1.3 times this one's time.
//
// Compare    tensorflow/core/kernels/matmul_op.cc, functor::MatMul
// Read next  kernels/cpu/math/batch_matmul.cc

#include "kernels/cpu/math/matrix_product.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/eigen_view.h"
#include "minitf/base/stop.h"
#include "minitf/tensor/dtype.h"

namespace minitf {
namespace {

// Products of at most so many numbers are one piece of work: half a second.
constexpr int64_t kPieceProducts = int64_t{1} << 33;

// The size of the square tiles in which a block is computed, so that the thread can ask
// between them whether to go on. A multiple of the rows and the columns that Eigen's
// inner loops take at a time, so that tiles change no bit of the result.
int64_t TileSize(int64_t k) {
  constexpr int64_t kAtATime = 48;
  const auto side = static_cast<int64_t>(std::sqrt(kPieceProducts / k));
  return std::max<int64_t>(4, side / kAtATime) * kAtATime;
}

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

struct Range {
  int64_t begin, end;

  int64_t size() const { return end - begin; }
};

// A block of rows, or of columns if there are more of them, for each thread.
template <int kLayoutA, int kLayoutB, typename T>
void MultiplyBlocks(const ProductSizes& s, const T* a, const T* b, T* product,
                    ThreadPool* threads) {
  using A = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, kLayoutA>;
  using B = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, kLayoutB>;
  const Eigen::Map<const A> a_matrix(a, s.m, s.k);
  const Eigen::Map<const B> b_matrix(b, s.k, s.n);
  MatrixView<T> result(product, s.m, s.n);
  const bool by_rows = s.m >= s.n;
  const int64_t longer = std::max(s.m, s.n);
  const int64_t cost = s.m * s.n / longer * s.k / 16 + 1;
  const auto multiply = [&](Range rows, Range columns) {
    result.block(rows.begin, columns.begin, rows.size(), columns.size()).noalias() =
        a_matrix.middleRows(rows.begin, rows.size()) *
        b_matrix.middleCols(columns.begin, columns.size());
  };
  const auto work = [&](int64_t begin, int64_t end) {
    const Range rows = by_rows ? Range{begin, end} : Range{0, s.m};
    const Range columns = by_rows ? Range{0, s.n} : Range{begin, end};
    if (rows.size() * columns.size() <= kPieceProducts / s.k) {
      return multiply(rows, columns);
    }
    const int64_t tile = TileSize(s.k);
    for (int64_t row = rows.begin; row < rows.end; row += tile) {
      for (int64_t column = columns.begin; column < columns.end; column += tile) {
        StopIfAsked();
        multiply({row, std::min(row + tile, rows.end)},
                 {column, std::min(column + tile, columns.end)});
      }
    }
  };
  if (threads == nullptr) return work(0, longer);
  threads->ParallelPieces(longer, cost, work);
}

template <typename T>
void MultiplyLarge(const ProductSizes& s, const T* a, const T* b, T* product,
                   ThreadPool* threads) {
  constexpr int kRows = Eigen::RowMajor;
  constexpr int kColumns = Eigen::ColMajor;
  if (!s.transpose_a && !s.transpose_b) {
    MultiplyBlocks<kRows, kRows>(s, a, b, product, threads);
  } else if (!s.transpose_a) {
    MultiplyBlocks<kRows, kColumns>(s, a, b, product, threads);
  } else if (!s.transpose_b) {
    MultiplyBlocks<kColumns, kRows>(s, a, b, product, threads);
  } else {
    MultiplyBlocks<kColumns, kColumns>(s, a, b, product, threads);
  }
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

// Whether Eigen computes T.
template <typename T>
constexpr bool kByEigen = std::is_floating_point_v<T>;

}  // namespace

template <typename T>
void MultiplyMatrices(const ProductSizes& s, const T* a, const T* b, T* product,
                      ThreadPool* threads) {
  if (s.m == 0 || s.n == 0) return;
  if (s.k == 0) {
    std::fill_n(product, s.m * s.n, T(0));
  } else if constexpr (!kByEigen<T>) {
    AddUpRows(s, a, b, product, threads);
  } else if (s.m == 1 && s.transpose_b) {
    MatrixTimesVector(b, s.n, s.k, a, product, threads);
  } else if (s.m == 1) {
    VectorTimesMatrix(a, b, s.k, s.n, product, threads);
  } else if (s.n == 1 && s.transpose_a) {
    VectorTimesMatrix(b, a, s.k, s.m, product, threads);
  } else if (s.n == 1) {
    MatrixTimesVector(a, s.m, s.k, b, product, threads);
  } else {
    MultiplyLarge(s, a, b, product, threads);
  }
}

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
