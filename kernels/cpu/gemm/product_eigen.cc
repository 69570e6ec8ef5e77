// The tier "eigen": Eigen's product, a block of the result for each thread.
//
// This is what TensorFlow's MatMul ends in: Eigen packs both matrices into pieces that
// fit the caches, and multiplies them with vector instructions. A transposed matrix is
// packed from where it lies: to Eigen it is one that lies column by column. The longer
// side of the result is shared out among the threads; each multiplies a block of its own,
// and waits for no other.
//
// Eigen's contraction, with threads of its own, was here before. It took the compiler 15
// seconds, and was no faster: between half and 1.3 times this one's time.
//
// Compare    tensorflow/core/kernels/matmul_op.cc, functor::MatMul
// Read next  kernels/cpu/gemm/packed_product.cc

#include <algorithm>
#include <cmath>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/base/stop.h"

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

}  // namespace

template <typename T>
void MultiplyByEigen(const ProductSizes& s, const T* a, const T* b, T* product,
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

template decltype(MultiplyByEigen<float>) MultiplyByEigen<float>;
template decltype(MultiplyByEigen<double>) MultiplyByEigen<double>;

}  // namespace minitf
