// MultiplyPacked: the product of two matrices, cut so that each cache has what it needs.
//
//   a [m,k]  b [k,n]  ->  product [m,n]
//
// Five loops, from the outside:
//
//   pieces    of the product, for the threads
//   blocks    of kRowsOfBlock rows, so that a's part of them stays in the second cache
//   depths    of kDepth steps of k
//   slivers   of b, as wide as the micro-kernel (32 floats), kDepth deep: 64 KB
//   panels    of a, as many rows as the micro-kernel has (14)
//
// and a micro-kernel in the middle. Where a panel or a sliver is used often enough it is
// copied first, into memory without gaps: rows of a large matrix lie a page or more
// apart, and the processor can remember only so many pages. This is the place where other
// things are plugged in: a transposed matrix is copied from where it lies, and a
// convolution brings panels that it gathers from an image (conv2d_implicit.cc).
//
// Compare    Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
//            ACM TOMS 34 (2008)
// Read next  kernels/cpu/gemm/traced.h

#pragma once

#include <cstdint>

#include "kernels/cpu/gemm/micro_kernel.h"
#include "minitf/base/thread_pool.h"

namespace minitf {

/// A matrix where it lies: element (i,j) is data[i * row + j * column].
template <typename T>
struct StridedMatrix {
  const T* data = nullptr;
  int64_t row = 0;
  int64_t column = 0;

  T at(int64_t i, int64_t j) const { return data[i * row + j * column]; }
  StridedMatrix From(int64_t i, int64_t j) const {
    return {data + i * row + j * column, row, column};
  }
};

/// Where the panels of the left matrix come from.
template <typename T>
class PanelSource {
 public:
  virtual ~PanelSource() = default;

  /// Rows [first_row, first_row + rows) of columns [first, first + depth), to be read
  /// `uses` times. Copied to `room`, which has place for rows * (depth + kRowGap)
  /// elements, or where they lie. Called from several threads.
  virtual StridedMatrix<T> Panel(int64_t first_row, int64_t rows, int64_t first,
                                 int64_t depth, int64_t uses, T* room) const = 0;

  /// Rows that are copied lie so many elements apart beside their length: rows of 2 KB
  /// would all fall into the same few places of the first cache.
  static constexpr int64_t kRowGap = 64 / sizeof(T);
};

/// The panels of a matrix in memory. `is_in_cache` says that nothing is to be copied:
/// it has just been written and lies without gaps, or its rows lie near each other.
template <typename T>
class MatrixPanels final : public PanelSource<T> {
 public:
  explicit MatrixPanels(const StridedMatrix<T>& matrix, bool is_in_cache = false)
      : matrix_(matrix), is_in_cache_(is_in_cache) {}

  StridedMatrix<T> Panel(int64_t first_row, int64_t rows, int64_t first, int64_t depth,
                         int64_t uses, T* room) const override;

 private:
  const StridedMatrix<T> matrix_;
  const bool is_in_cache_;
};

struct MatrixSizes {
  int64_t m, k, n;
  bool adds = false;  ///< to what is in the product already
};

/// Writes product [m,n], whose rows have no gaps. Requires m, k, n > 0. In several
/// threads if `threads` is not null. The bits depend neither on the number of threads nor
/// on the width of the vectors, if the processor multiplies and adds in one instruction.
/// Asks whether to go on (stop.h) between blocks. Takes at most 0.8 MB of memory, 1.5 for
/// double, in a thread, and a copy of b if that has up to 16 million elements. T is float
/// or double, or Traced with a kernel of its own.
template <typename T>
void MultiplyPacked(const MatrixSizes& sizes, const PanelSource<T>& a,
                    const StridedMatrix<T>& b, T* product, ThreadPool* threads,
                    const MicroKernel<T>& kernel = BestMicroKernel<T>());

}  // namespace minitf
