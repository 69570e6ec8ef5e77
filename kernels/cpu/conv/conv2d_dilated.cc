// Dilated filters of the tier "direct": taps that see only zeros are left out.
//
// At the left of an image the first taps of a dilated filter are outside, at the right
// the last ones. With dilation 4 and 14 columns that is a fifth of all taps. A row of
// the result is computed in steps, one for each column of the filter. A step adds to
// the places that see the image through that column:
//
//   14 columns, 3 taps, dilation 4     tap 0      tap 1      tap 2
//                         of places    4 to 13    0 to 13    0 to 9
//
// No zeros are needed around the image, so the micro-kernel reads it where it lies.
//
// Read next  kernels/cpu/conv/conv2d_winograd.cc

#include <algorithm>
#include <vector>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/micro_kernel.h"
#include "minitf/base/stop.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

// The places of a row that see the image through tap s.
TapRange PlacesOf(const Conv2dGeometry& g, int64_t s) {
  return TapRange::Of(s * g.dilation_w - g.pad_left, g.q, g.stride_w, g.w);
}

template <typename T>
class Dilated {
 public:
  Dilated(const Conv2dGeometry& g, const T* x, const T* w, T* y)
      : g_(g),
        x_(x),
        y_(y),
        slivers_((g.k + kernel_.columns() - 1) / kernel_.columns()),
        filters_(DTypeOf<T>(), {slivers_ * g.patch_size() * kernel_.columns()}) {
    T* to = filters_.mutable_flat<T>().data();
    for (int64_t first = 0; first < g.k; first += kernel_.columns()) {
      const int64_t count = std::min<int64_t>(kernel_.columns(), g.k - first);
      for (int64_t i = 0; i < g.patch_size(); ++i, to += kernel_.columns()) {
        std::copy_n(w + i * g.k + first, count, to);
        std::fill(to + count, to + kernel_.columns(), T(0));
      }
    }
  }

  // Computes the result, and calls `rows_done` for each block of rows.
  void Compute(ThreadPool& threads, const RowsDone<T>& rows_done) const {
    constexpr int64_t kRows = 8;
    const auto compute = [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row += kRows) {
        const int64_t last = std::min(row + kRows, end);
        ComputeRows(row, last);
        if (rows_done) rows_done(y_ + row * g_.q * g_.k, (last - row) * g_.q);
      }
    };
    threads.ParallelPieces(g_.n * g_.p, g_.q * g_.patch_size() * g_.k / 32 + 1, compute);
  }

 private:
  // Computes rows [first,last) of all rows of the result, some filters at a time.
  void ComputeRows(int64_t first, int64_t last) const {
    std::fill(y_ + first * g_.q * g_.k, y_ + last * g_.q * g_.k, T(0));
    for (int64_t sliver = 0; sliver < slivers_; ++sliver) {
      StopIfAsked();
      for (int64_t row = first; row < last; ++row) {
        for (int64_t s = 0; s < g_.s; ++s) AddColumn(row, s, sliver * kernel_.columns());
      }
    }
  }

  // Adds what column s of the filters from filter k on brings to a row of the result.
  void AddColumn(int64_t row, int64_t s, int64_t k) const {
    const int64_t p = row % g_.p;
    const TapRange seen = TapRange::OfRows(g_, p);
    const TapRange places = PlacesOf(g_, s);
    const int64_t w = places.first * g_.stride_w - g_.pad_left + s * g_.dilation_w;
    std::vector<int64_t> pixels;   // that the first place sees
    std::vector<int64_t> filters;  // rows of them
    for (int64_t r = seen.first; r < seen.last; ++r) {
      const int64_t h = p * g_.stride_h - g_.pad_top + r * g_.dilation_h;
      pixels.push_back(((row / g_.p * g_.h + h) * g_.w + w) * g_.c);
      filters.push_back((r * g_.s + s) * g_.c);
    }
    const int64_t columns = std::min<int64_t>(kernel_.columns(), g_.k - k);
    const auto& functions =
        kernel_.functions[(columns + kernel_.lanes - 1) / kernel_.lanes];
    const int64_t panels = (places.size() + kernel_.rows - 1) / kernel_.rows;
    for (int64_t i = 0; i < panels; ++i) {
      const int64_t q = places.size() * i / panels;
      T* const y = y_ + (row * g_.q + places.first + q) * g_.k + k;
      functions[places.size() * (i + 1) / panels - q](
          {pixels, g_.c, x_ + q * g_.stride_w * g_.c, g_.stride_w * g_.c, 1,
           filters_.flat<T>().data() + k * g_.patch_size(), kernel_.columns(), y, g_.k,
           columns, true, filters});
    }
  }

  const MicroKernel<T>& kernel_ = BestMicroKernel<T>();
  const Conv2dGeometry& g_;
  const T* const x_;
  T* const y_;
  const int64_t slivers_;
  Tensor filters_;
};

// Returns whether the taps that see only zeros are at least a tenth of all taps.
bool Pays(const Conv2dGeometry& g) {
  constexpr int64_t kFewChannels = 16;
  if (g.dilation_w == 1 || g.c < kFewChannels) return false;
  int64_t places = 0;
  for (int64_t s = 0; s < g.s; ++s) places += PlacesOf(g, s).size();
  return 10 * places < 9 * g.q * g.s;
}

}  // namespace

template <typename T>
bool Conv2dDilated(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                   ThreadPool& threads, const RowsDone<T>& rows_done) {
  if (!Pays(g)) return false;
  Dilated<T>(g, x, w, y).Compute(threads, rows_done);
  return true;
}

template decltype(Conv2dDilated<float>) Conv2dDilated<float>;
template decltype(Conv2dDilated<double>) Conv2dDilated<double>;

}  // namespace minitf
