// The tier "direct": the image itself is the left matrix, whose rows overlap.
//
// Below one row r of the filter lie S * C numbers of the image side by side, and the next
// place along the row sees those that begin stride * C further on. So for each r, the
// places (p, 0..Q) and the image are
//
//   y [Q,K] += a [Q,S*C] w[r] [S*C,K]      where row q of a begins at q * stride * C
//
// a matrix whose rows overlap. Nothing has to be gathered: the micro-kernel takes each
// element of a from memory anyway. All R rows are one call of it, which walks through R
// runs of S * C numbers. Only the border needs a copy (image_rows.h). With dilation a run
// is one tap, C numbers.
//
// Exercise   exercises/09_conv
// Compare    Georganas et al., "Anatomy of High-Performance Deep Learning Convolutions on
//            SIMD Architectures", arXiv:1808.05567 (2018)
// Read next  kernels/cpu/conv/conv2d_winograd.cc

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/image_rows.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/micro_kernel.h"
#include "minitf/base/stop.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

// Filters of so many bytes stay in the second cache as a whole.
constexpr int64_t kSmallFilters = 128 << 10;

template <typename T>
class Direct {
 public:
  Direct(const Conv2dGeometry& g, const T* x, const T* w, T* y,
         const RowsDone<T>& rows_done)
      : g_(g), rows_(g, x), y_(y), rows_done_(rows_done) {
    PackFilters(w);
    FindStarts();
  }

  void Run(ThreadPool& threads) const {
    const int64_t cost = rows_.at_a_time() * g_.q * g_.patch_size() * g_.k / 32 + 1;
    threads.ParallelPieces(g_.n * rows_.pieces(), cost, [&](int64_t begin, int64_t end) {
      Tensor room(DTypeOf<T>(), {rows_.size()});
      T* const image = room.mutable_flat<T>().data();
      for (int64_t i = begin; i < end; ++i) {
        StopIfAsked();
        ComputeRows(i / rows_.pieces(), i % rows_.pieces() * rows_.at_a_time(), image);
      }
    });
  }

 private:
  // [slivers][R*S*C][columns of the micro-kernel], with zeros after the last filter.
  void PackFilters(const T* w) {
    filters_ = Tensor(DTypeOf<T>(), {Slivers() * g_.patch_size() * kernel_.columns()});
    T* to = filters_.mutable_flat<T>().data();
    // LAB(09.7) begin: write the slivers, one after the other
    for (int64_t first = 0; first < g_.k; first += kernel_.columns()) {
      const int64_t count = std::min<int64_t>(kernel_.columns(), g_.k - first);
      for (int64_t i = 0; i < g_.patch_size(); ++i, to += kernel_.columns()) {
        std::copy_n(w + i * g_.k + first, count, to);
        std::fill(to + count, to + kernel_.columns(), T(0));
      }
    }
    // LAB(09.7) end
  }

  // Where the runs of numbers that a place sees begin, from its first pixel on.
  void FindStarts() {
    // LAB(09.7) begin: append them to starts_, tap by tap where there is dilation
    for (int64_t r = 0; r < g_.r; ++r) {
      const int64_t row = r * g_.dilation_h * rows_.row_size();
      for (int64_t s = 0; s < (g_.dilation_w == 1 ? 1 : g_.s); ++s) {
        starts_.push_back(row + s * g_.dilation_w * g_.c);
      }
    }
    // LAB(09.7) end
  }

  int64_t Slivers() const { return (g_.k + kernel_.columns() - 1) / kernel_.columns(); }

  // Rows [first, first + at_a_time) of the result of an image, as far as it has them.
  void ComputeRows(int64_t image, int64_t first, T* room) const {
    // LAB(09.8) begin: copy what they see, multiply row by row, say that they are done
    rows_.Copy(image, first, room);
    const int64_t rows = std::min(rows_.at_a_time(), g_.p - first);
    T* const y = y_ + (image * g_.p + first) * g_.q * g_.k;
    // Filters that stay in a cache as a whole pass by for each row, which is written then
    // from its first number to its last; of others a sliver at a time stays there.
    const bool by_rows = static_cast<int64_t>(filters_.num_bytes()) <= kSmallFilters;
    for (int64_t i = 0; i < rows * Slivers(); ++i) {
      const int64_t row = by_rows ? i / Slivers() : i % rows;
      const int64_t sliver = by_rows ? i % Slivers() : i / rows;
      MultiplyRow(room + row * g_.stride_h * rows_.row_size(), sliver,
                  y + row * g_.q * g_.k);
    }
    if (rows_done_) rows_done_(y, rows * g_.q);
    // LAB(09.8) end
  }

  // One row of the result, for the filters of a sliver.
  void MultiplyRow(const T* a, int64_t sliver, T* y) const {
    // LAB(09.8) begin: multiply panels of kernel_.rows places, or fewer, by the sliver
    const int64_t column = sliver * kernel_.columns();
    const int64_t columns = std::min<int64_t>(kernel_.columns(), g_.k - column);
    const auto& functions =
        kernel_.functions[(columns + kernel_.lanes - 1) / kernel_.lanes];
    const T* const filters =
        filters_.flat<T>().data() + sliver * g_.patch_size() * kernel_.columns();
    // Rows of the filter that are above or below the image would multiply zeros alone.
    const int64_t p = (y - y_) / (g_.q * g_.k) % g_.p;
    const TapRange inside = TapRange::OfRows(g_, p);
    const T* const b = filters + inside.first * g_.s * g_.c * kernel_.columns();
    const auto runs_of_row = static_cast<int64_t>(starts_.size()) / g_.r;
    const auto visible = std::span(starts_).subspan(inside.first * runs_of_row,
                                                    inside.size() * runs_of_row);
    const int64_t panels = (g_.q + kernel_.rows - 1) / kernel_.rows;
    const auto runs = static_cast<int64_t>(starts_.size());
    for (int64_t i = 0; i < panels; ++i) {
      const int64_t q = g_.q * i / panels;
      functions[g_.q * (i + 1) / panels - q](
          {visible, g_.patch_size() / runs, a + q * g_.stride_w * g_.c,
           g_.stride_w * g_.c, 1, b, kernel_.columns(), y + q * g_.k + column, g_.k,
           columns, false});
    }
    // LAB(09.8) end
  }

  const MicroKernel<T>& kernel_ = BestMicroKernel<T>();
  const Conv2dGeometry& g_;
  const ImageRows<T> rows_;
  T* const y_;
  const RowsDone<T>& rows_done_;
  Tensor filters_;
  std::vector<int64_t> starts_;
};

}  // namespace

template <typename T>
void Conv2dDirect(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                  ThreadPool& threads, const RowsDone<T>& rows_done) {
  if (g.c == 0) {
    std::fill_n(y, g.n * g.places() * g.k, T(0));
    return FinishRows(g, rows_done, y, threads);
  }
  if (Conv2dDilated(g, x, w, y, threads, rows_done)) return;
  Direct<T>(g, x, w, y, rows_done).Run(threads);
}

template decltype(Conv2dDirect<float>) Conv2dDirect<float>;
template decltype(Conv2dDirect<double>) Conv2dDirect<double>;

}  // namespace minitf
