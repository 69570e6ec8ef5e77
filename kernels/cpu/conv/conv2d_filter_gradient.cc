// The gradient of Conv2D's filters, tier "direct": the image as the left matrix, turned.
//
//   dw[r] [S*C,K] = sum over rows p of    a' [S*C,Q] dy[p] [Q,K]
//
// where row q of a are the S * C numbers that place (p,q) sees below row r of the filter,
// as in conv2d_direct.cc. Element (i,q) of a' lies at i + q * stride * C in a row of the
// image, so the micro-kernel takes it from there; the rows p of the result follow each
// other as its runs.
//
// Every place adds to all of dw. So pieces of the images are shared out, each thread has
// a sum of its own, without locks, and the sums are added in a fixed order: the same bits
// at every run.
//
// Read next  kernels/cpu/conv/depthwise_conv2d.cc

#include <algorithm>
#include <vector>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/image_rows.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/micro_kernel.h"
#include "minitf/base/stop.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

template <typename T>
class FilterGradient {
 public:
  FilterGradient(const Conv2dGeometry& g, const T* x, const T* dy)
      : g_(g), rows_(g, x), dy_(dy) {
    for (int64_t i = 0; i < rows_.at_a_time(); ++i) {
      starts_.push_back(i * g.stride_h * rows_.row_size());
    }
    // With dilation, the taps of a row of the filter do not lie side by side.
    for (int64_t s = 0; s < (g.dilation_w == 1 ? 1 : g.s); ++s) {
      taps_.push_back(s * g.dilation_w * g.c);
    }
  }

  /// Into how many pieces of some rows all images are cut.
  int64_t pieces_of_images() const { return g_.n * rows_.pieces(); }

  /// Writes dw, in `pieces` sums of which all but the first lie in `more`.
  void Run(int64_t pieces, T* dw, T* more, ThreadPool& threads) const {
    const int64_t size = g_.patch_size() * g_.k;
    const int64_t total = pieces_of_images();
    const int64_t cost = g_.n * g_.places() * size / 32 / pieces + 1;
    threads.ParallelFor(pieces, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const sum = i == 0 ? dw : more + (i - 1) * size;
        std::fill_n(sum, size, T(0));
        Add(total * i / pieces, total * (i + 1) / pieces, sum);
      }
    });
    for (int64_t i = 1; i < pieces; ++i) {
      ArrayView<T>(dw, size) += ConstArrayView<T>(more + (i - 1) * size, size);
    }
  }

 private:
  // Adds what pieces [first,last) of the images bring to dw [R*S*C,K].
  void Add(int64_t first, int64_t last, T* dw) const {
    const int64_t dy_size = rows_.at_a_time() * g_.q * kernel_.columns();
    Tensor room(DTypeOf<T>(), {rows_.size() + dy_size});
    T* const image = room.mutable_flat<T>().data();
    T* const room_of_dy = image + rows_.size();
    for (int64_t i = first; i < last; ++i) {
      StopIfAsked();
      const int64_t p = i % rows_.pieces() * rows_.at_a_time();
      const int64_t rows = std::min(rows_.at_a_time(), g_.p - p);
      rows_.Copy(i / rows_.pieces(), p, image);
      const T* const dy = dy_ + (i / rows_.pieces() * g_.p + p) * g_.q * g_.k;
      for (int64_t k = 0; k < g_.k; k += kernel_.columns()) {
        const Sliver sliver = SliverOf(dy, rows * g_.q, k, room_of_dy);
        for (int64_t r = 0; r < g_.r; ++r) {
          AddSliver(image, sliver, RowsThatSee(r, p, rows), k, r, dw);
        }
      }
    }
  }

  // Columns of dy, as wide as the micro-kernel: element (i,j) is data[i * row + j].
  struct Sliver {
    const T* data;
    int64_t row;
  };

  int64_t ColumnsFrom(int64_t k) const {
    return std::min<int64_t>(kernel_.columns(), g_.k - k);
  }

  // `count` rows of dy, from column k on: where they lie if they are near each other and
  // end with a whole vector, or a copy with zeros behind each row.
  Sliver SliverOf(const T* dy, int64_t count, int64_t k, T* room) const {
    constexpr int64_t kNear = 1024 / sizeof(T);
    const int64_t columns = ColumnsFrom(k);
    const int64_t width = kernel_.columns();
    if (g_.k <= kNear && columns % kernel_.lanes == 0) return {dy + k, g_.k};
    for (int64_t i = 0; i < count; ++i) {
      T* const to = room + i * width;
      std::copy_n(dy + i * g_.k + k, columns, to);
      std::fill(to + columns, to + width, T(0));
    }
    return {room, width};
  }

  // Of rows [p, p + rows) of the result those, counted from p, from which row r of the
  // filter sees the image.
  TapRange RowsThatSee(int64_t r, int64_t p, int64_t rows) const {
    const int64_t top = p * g_.stride_h - g_.pad_top + r * g_.dilation_h;
    return TapRange::Of(top, rows, g_.stride_h, g_.h);
  }

  // Adds what rows `inside` of the result, counted from the first of the piece, bring to
  // row r of the filter.
  void AddSliver(const T* image, Sliver dy, TapRange inside, int64_t k, int64_t r,
                 T* dw) const {
    if (inside.size() == 0) return;
    const std::span<const int64_t> starts(starts_.data(), inside.size());
    image += starts_[inside.first] + r * g_.dilation_h * rows_.row_size();
    dy.data += inside.first * g_.q * dy.row;

    const int64_t columns = ColumnsFrom(k);
    const auto& functions =
        kernel_.functions[(columns + kernel_.lanes - 1) / kernel_.lanes];
    const int64_t run = g_.s * g_.c / static_cast<int64_t>(taps_.size());
    const int64_t panels = (run + kernel_.rows - 1) / kernel_.rows;
    dw += r * g_.s * g_.c * g_.k;
    for (const int64_t tap : taps_) {
      for (int64_t i = 0; i < panels; ++i) {
        const int64_t row = run * i / panels;
        functions[run * (i + 1) / panels - row](
            {starts, g_.q, image + tap + row, 1, g_.stride_w * g_.c, dy.data, dy.row,
             dw + row * g_.k + k, g_.k, columns, true});
      }
      dw += run * g_.k;
    }
  }

  const MicroKernel<T>& kernel_ = BestMicroKernel<T>();
  const Conv2dGeometry& g_;
  const ImageRows<T> rows_;
  const T* const dy_;
  std::vector<int64_t> starts_;  // of the rows of the result, in the copied image
  std::vector<int64_t> taps_;    // of a row of the filter: where its runs begin
};

}  // namespace

template <typename T>
void FilterGradientDirect(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                          ThreadPool& threads) {
  const int64_t size = g.patch_size() * g.k;
  if (g.n * g.places() == 0) return std::fill_n(dw, size, T(0)), void();
  const FilterGradient<T> gradient(g, x, dy);
  const int64_t pieces =
      std::clamp<int64_t>(gradient.pieces_of_images(), 1, threads.num_threads());
  Tensor more(DTypeOf<T>(), {(pieces - 1) * size});
  gradient.Run(pieces, dw, more.mutable_flat<T>().data(), threads);
}

template decltype(FilterGradientDirect<float>) FilterGradientDirect<float>;
template decltype(FilterGradientDirect<double>) FilterGradientDirect<double>;

}  // namespace minitf
