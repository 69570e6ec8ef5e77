// The five loops around the micro-kernel, and the copies of panels and slivers.
//
// Sizes, for floats. A sliver of b is 32 columns wide, 128 bytes, and kDepth = 512 steps
// deep: 64 KB, which stay in a second cache of 512 KB or more while all panels of a block
// pass by; the first cache sees them as a stream, two lines for 28 multiplications. A
// panel of a has 14 rows of 512: 28 KB. A block of 24 panels has 336 rows: 0.7 MB.
//
// An element of a that is copied is then read n / 32 times, one of b in a block m / 14
// times, at most 24: so a copy costs the more the fewer rows there are, and is left out
// where it does not pay. If there are several blocks and b is large, its slivers are
// copied before all others, once for all blocks: of 2048 x 2048 numbers the copies of
// seven blocks took a sixth of the time.
//
// Read next  kernels/cpu/gemm/micro_kernel.cc

#include "kernels/cpu/gemm/packed_product.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/cpu/gemm/traced.h"
#include "minitf/base/stop.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

constexpr int64_t kDepth = 512;
constexpr int64_t kRowsOfBlock = 336;
constexpr int64_t kMaxPanels = kRowsOfBlock / 4;

// A panel that is read more often than this is worth a copy.
constexpr int64_t kUsesWithoutCopy = 2;

// So is a sliver, for more panels than this, unless the first cache holds all its rows
// where they lie: the product of two 64 x 64 matrices takes 0.87 of the time.
constexpr int64_t kPanelsWithoutCopy = 5;
constexpr int64_t kBytesWithoutCopy = 16'384;

// A copy of a row of b prefetches so many rows ahead. Rows can be a page or more apart,
// and processors prefetch within a page only. The product of 64 x 3136 and 3136 x 1024
// takes 0.75 of the time.
constexpr int64_t kRowsAhead = 32;

// Elements of b that are copied once for all blocks: fewer stay in the second cache, and
// more would take too much memory, 64 MB of floats.
constexpr int64_t kMinCopiedAtOnce = 200'000;
constexpr int64_t kMaxCopiedAtOnce = 16'000'000;

// Products that take a thread some 20 microseconds, of floats with AVX-512. A thread gets
// one piece: the pieces are of one size, and each copies its part of a and b.
constexpr int64_t kProductsOfPiece = 2'000'000;
constexpr int64_t kProductsPerNanosecond = 80;

// Elements of a cache line, or two lines of doubles.
constexpr int64_t kLine = 16;

int64_t DivideUp(int64_t count, int64_t unit) { return (count + unit - 1) / unit; }

// to[j * to_row + i] = from[i * from_row + j], for i < rows and j < columns
template <typename T>
void CopyCrosswise(const T* from, int64_t from_row, int64_t rows, int64_t columns, T* to,
                   int64_t to_row) {
  // LAB(08.5) begin: copy, and leave a cache line only when all of it is used
  for (int64_t first = 0; first < columns; first += kLine) {
    const int64_t last = std::min(first + kLine, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = first; j < last; ++j) to[j * to_row + i] = from[i * from_row + j];
    }
  }
  // LAB(08.5) end
}

// Copies the first `columns` elements of row i, and prefetches those of a later row.
template <typename T>
void CopyRow(const StridedMatrix<T>& from, int64_t i, int64_t columns, T* to) {
  const T* const row = from.data + i * from.row;
  __builtin_prefetch(row + kRowsAhead * from.row);
  __builtin_prefetch(row + kRowsAhead * from.row + columns - 1);
  std::copy_n(row, columns, to);
}

// The numbers [0,total) cut into `parts` whose sizes differ by at most 1.
struct Cut {
  int64_t total, parts;

  // The first number of `part`, from 0 to parts: that is where the last one ends.
  int64_t begin(int64_t part) const {
    // LAB(08.9) begin: return it
    return total * part / parts;
    // LAB(08.9) end
  }
  int64_t size(int64_t part) const { return begin(part + 1) - begin(part); }
};

template <typename T>
class PackedProduct {
 public:
  PackedProduct(const MatrixSizes& sizes, const PanelSource<T>& a,
                const StridedMatrix<T>& b, T* product, const MicroKernel<T>& kernel)
      : sizes_(sizes), a_(a), b_(b), product_(product), kernel_(kernel) {}

  void Run(ThreadPool* threads) {
    const int64_t elements = sizes_.k * sizes_.n;
    if (sizes_.m > kRowsOfBlock && elements >= kMinCopiedAtOnce &&
        elements <= kMaxCopiedAtOnce) {
      CopySlivers(threads);
    }
    const int64_t panels = DivideUp(sizes_.m, kernel_.rows);
    const int64_t slivers = DivideUp(sizes_.n, kernel_.columns());
    const int64_t products = sizes_.m * sizes_.n * sizes_.k;
    int64_t pieces = 1;
    if (threads != nullptr && threads->num_threads() > 1) {
      pieces =
          std::clamp<int64_t>(products / kProductsOfPiece, 1, threads->num_threads());
    }
    // As near to squares as can be: each piece copies its own part of a and b.
    const double ratio = static_cast<double>(sizes_.m) / static_cast<double>(sizes_.n);
    const auto along_m =
        static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(pieces) * ratio)));
    const Cut rows = {panels, std::clamp<int64_t>(along_m, 1, std::min(panels, pieces))};
    const Cut columns = {slivers, std::min(slivers, DivideUp(pieces, rows.parts))};
    pieces = rows.parts * columns.parts;
    const auto work = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        // LAB(08.9) begin: multiply piece i of the pieces, row by row of them
        const int64_t y = i / columns.parts;
        const int64_t x = i % columns.parts;
        MultiplyPiece(rows.begin(y) * kernel_.rows,
                      std::min(rows.begin(y + 1) * kernel_.rows, sizes_.m),
                      columns.begin(x), columns.begin(x + 1));
        // LAB(08.9) end
      }
    };
    ForPieces(pieces > 1 ? threads : nullptr, pieces,
              products / pieces / kProductsPerNanosecond + 1, work);
  }

 private:
  // Where a thread copies panels of a, and a sliver of b.
  struct Room {
    T* a;
    T* b;
  };

  // Copies all slivers of b: first those of the first kDepth steps, then the next ones.
  void CopySlivers(ThreadPool* threads) {
    num_slivers_ = DivideUp(sizes_.n, kernel_.columns());
    const int64_t pieces = DivideUp(sizes_.k, kDepth) * num_slivers_;
    const int64_t uses = DivideUp(sizes_.m, kernel_.rows);
    room_of_slivers_ =
        Tensor(DTypeOf<T>(), {sizes_.k * num_slivers_ * kernel_.columns()});
    T* const room = room_of_slivers_.mutable_flat<T>().data();
    std::vector<StridedMatrix<T>> slivers(pieces);
    ForPieces(threads, pieces, kDepth * kernel_.columns() / 4,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t p = i / num_slivers_ * kDepth;
                  const int64_t depth = std::min(kDepth, sizes_.k - p);
                  const int64_t column = i % num_slivers_ * kernel_.columns();
                  const int64_t columns =
                      std::min<int64_t>(kernel_.columns(), sizes_.n - column);
                  T* to = room + p * num_slivers_ * kernel_.columns() + column * depth;
                  slivers[i] = Sliver(p, depth, column, columns, uses, to);
                }
              });
    slivers_ = std::move(slivers);
  }

  // Writes rows [first_row,last_row) of slivers [first,last) of the product.
  void MultiplyPiece(int64_t first_row, int64_t last_row, int64_t first,
                     int64_t last) const {
    const int64_t block = kRowsOfBlock / kernel_.rows * kernel_.rows;
    const int64_t depth = std::min(kDepth, sizes_.k);
    const int64_t panels_size =
        std::min(block, last_row - first_row) * (depth + PanelSource<T>::kRowGap);
    const Tensor room(DTypeOf<T>(), {panels_size + depth * kernel_.columns()});
    T* const room_of_a = const_cast<Tensor&>(room).mutable_flat<T>().data();
    // LAB(08.9) begin: for each block of rows, for each depth: multiply the block
    for (int64_t row = first_row; row < last_row; row += block) {
      const Cut panels = {std::min(block, last_row - row),
                          DivideUp(std::min(block, last_row - row), kernel_.rows)};
      for (int64_t p = 0; p < sizes_.k; p += kDepth) {
        StopIfAsked();
        MultiplyBlock(row, panels, first, last, p, {room_of_a, room_of_a + panels_size});
      }
    }
    // LAB(08.9) end
  }

  // Multiplies steps [p, p + kDepth) of the panels of rows that begin at `first_row` by
  // those of slivers [first,last); adds to the product unless these are the first steps.
  void MultiplyBlock(int64_t first_row, const Cut& panels, int64_t first, int64_t last,
                     int64_t p, const Room& room) const {
    const int64_t depth = std::min(kDepth, sizes_.k - p);
    // LAB(08.8) begin: bring all panels, then, for each sliver, have the kernel multiply
    std::array<StridedMatrix<T>, kMaxPanels> a_panels;
    for (int64_t i = 0; i < panels.parts; ++i) {
      T* to = room.a + panels.begin(i) * (depth + PanelSource<T>::kRowGap);
      a_panels[i] = a_.Panel(first_row + panels.begin(i), panels.size(i), p, depth,
                             last - first, to);
    }
    for (int64_t sliver = first; sliver < last; ++sliver) {
      const int64_t column = sliver * kernel_.columns();
      const int64_t columns = std::min<int64_t>(kernel_.columns(), sizes_.n - column);
      const int64_t vectors = DivideUp(columns, kernel_.lanes);
      const StridedMatrix<T> b = Sliver(p, depth, column, columns, panels.parts, room.b);
      for (int64_t i = 0; i < panels.parts; ++i) {
        const StridedMatrix<T>& a = a_panels[i];
        const int64_t row = first_row + panels.begin(i);
        T* c = product_ + row * sizes_.n + column;
        kernel_.functions[vectors][panels.size(i)]({kOneRun, depth, a.data, a.row,
                                                    a.column, b.data, b.row, c, sizes_.n,
                                                    columns, sizes_.adds || p > 0});
      }
    }
    // LAB(08.8) end
  }

  // Steps [p, p + depth) of `columns` columns of b, to be read `uses` times, in rows of
  // whole vectors: where they lie, or copied to `room`, with zeros behind each row.
  StridedMatrix<T> Sliver(int64_t p, int64_t depth, int64_t column, int64_t columns,
                          int64_t uses, T* room) const {
    if (depth * b_.row * int64_t{sizeof(T)} <= kBytesWithoutCopy) uses = 1;
    if (!slivers_.empty()) {
      return slivers_[p / kDepth * num_slivers_ + column / kernel_.columns()];
    }
    const StridedMatrix<T> from = b_.From(p, column);
    // LAB(08.7) begin: return it where it lies if that pays and can be, or as a copy
    const int64_t width = DivideUp(columns, kernel_.lanes) * kernel_.lanes;
    if (from.column == 1 && columns == width && uses <= kPanelsWithoutCopy) return from;
    if (from.column != 1) {
      CopyCrosswise(from.data, from.column, columns, depth, room, width);
    }
    for (int64_t i = 0; i < depth; ++i) {
      T* row = room + i * width;
      if (from.column == 1) CopyRow(from, i, columns, row);
      std::fill(row + columns, row + width, T(0));
    }
    return {room, width, 1};
    // LAB(08.7) end
  }

  const MatrixSizes sizes_;
  const PanelSource<T>& a_;
  const StridedMatrix<T> b_;
  T* const product_;
  const MicroKernel<T>& kernel_;
  std::vector<StridedMatrix<T>> slivers_;  // [steps / kDepth][num_slivers_], if copied
  int64_t num_slivers_ = 0;
  Tensor room_of_slivers_;
};

}  // namespace

template <typename T>
StridedMatrix<T> MatrixPanels<T>::Panel(int64_t first_row, int64_t rows, int64_t first,
                                        int64_t depth, int64_t uses, T* room) const {
  const StridedMatrix<T> from = matrix_.From(first_row, first);
  // LAB(08.6) begin: return it where it lies if that will do, or as a copy without gaps
  if (is_in_cache_ || uses <= kUsesWithoutCopy) return from;
  // In the order in which it lies: rows, or columns of a transposed matrix.
  if (from.column == 1) {
    const int64_t row = depth + this->kRowGap;
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(from.data + i * from.row, depth, room + i * row);
    }
    return {room, row, 1};
  }
  for (int64_t p = 0; p < depth; ++p) {
    std::copy_n(from.data + p * from.column, rows, room + p * rows);
  }
  return {room, 1, rows};
  // LAB(08.6) end
}

template <typename T>
void MultiplyPacked(const MatrixSizes& sizes, const PanelSource<T>& a,
                    const StridedMatrix<T>& b, T* product, ThreadPool* threads,
                    const MicroKernel<T>& kernel) {
  PackedProduct<T>(sizes, a, b, product, kernel).Run(threads);
}

template class MatrixPanels<float>;
template class MatrixPanels<double>;
template class MatrixPanels<Traced>;
template decltype(MultiplyPacked<float>) MultiplyPacked<float>;
template decltype(MultiplyPacked<double>) MultiplyPacked<double>;
template decltype(MultiplyPacked<Traced>) MultiplyPacked<Traced>;

}  // namespace minitf
