// Conv2D by Winograd's algorithm: a quarter of the multiplications, for 3x3 and stride 1.
//
// Two numbers that a filter of three makes of four, y = d * g in one dimension:
//
//   y0 = d0 g0 + d1 g1 + d2 g2          by the formula, 6 multiplications
//   y1 = d1 g0 + d2 g1 + d3 g2
//
//   m1 = (d0 - d2) g0                   by Winograd, 4: those with g alone are made once
//   m2 = (d1 + d2) (g0 + g1 + g2) / 2
//   m3 = (d2 - d1) (g0 - g1 + g2) / 2
//   m4 = (d1 - d3) g2                   y0 = m1 + m2 + m3     y1 = m2 - m3 - m4
//
// That is F(2,3). Done along columns and then along rows it is F(2x2,3x3): 16 products
// for 4 places instead of 36. F(4x4,3x3) reads 6x6 pixels and has 36 products for 16
// places instead of 144. Each of these is a product of matrices:
//
//   image   x, tiles of 6x6 pixels     ->  v [36][tiles,C]
//   filters w [3,3,C,K]                ->  u [36][C,K]
//   m [36][tiles,K] = v u              ->  y, tiles of 4x4 places
//
// A transform adds and subtracts whole vectors of channels. The price is accuracy:
// numbers up to 8 times as large as the result are subtracted. In float the error for
// random numbers, over the largest sum of |x w|, is below 1e-5 (F(2x2) and the formula:
// 1e-6); of more than some hundred channels of one sign each way loses more. An infinite
// pixel makes NaN of all places of each tile that sees it, also of those that do not, and
// so do pixels beyond a hundredth of the largest number.
//
// F(4x4,3x3) is the tier "winograd", F(2x2,3x3) "winograd2x2", which saves less and loses
// less, F(2x2,5x5) "winograd5x5": 36 products for 100, an error below 2e-6.
//
// Exercise   exercises/09_conv
// Compare    Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
//            arXiv:1509.09308 (2015); Winograd, "Arithmetic Complexity of Computations"
//            (1980)
// Read next  kernels/cpu/conv/conv2d_backprop.cc

#include <algorithm>
#include <array>

#include "kernels/cpu/common/lanes.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/winograd_filters.h"
#include "kernels/cpu/conv/winograd_tiles.h"
#include "minitf/base/stop.h"

namespace minitf {
namespace {

// As many channels of a pixel as are transformed together.
template <typename T>
constexpr int kLanes = Lanes<T>::SizeAtCompileTime;

// ---- The transforms, along one axis ---------------------------------------------------
//
// Elements lie `step` apart. All three follow from the points 0, 1, -1, 2, -2 and
// infinity, at which polynomials are multiplied.

template <typename V>
void TransformImage(const V* d, int step, V* t) {
  // LAB(09.9) begin: write the 6 numbers t of 6 pixels d
  const V even = d[4 * step] - 4 * d[2 * step];
  const V odd = d[3 * step] - 4 * d[step];
  const V outer = d[4 * step] - d[2 * step];
  const V inner = 2 * (d[3 * step] - d[step]);
  t[0] = 4 * d[0] - 5 * d[2 * step] + d[4 * step];
  t[step] = even + odd;
  t[2 * step] = even - odd;
  t[3 * step] = outer + inner;
  t[4 * step] = outer - inner;
  t[5 * step] = 4 * d[step] - 5 * d[3 * step] + d[5 * step];
  // LAB(09.9) end
}

template <typename V>
void TransformFilter(const V* g, int step, V* t) {
  using T = typename V::Scalar;
  // LAB(09.10) begin: write the 6 numbers t of 3 taps g
  constexpr T kSixth = T(1) / 6;  // to divide takes 4 to 8 times as long
  const V outer = g[0] + g[2 * step];
  const V far = (g[0] / T(4) + g[2 * step]) * kSixth;
  const V middle = g[step] * (kSixth / 2);
  t[0] = g[0] / T(4);
  t[step] = (outer + g[step]) * -kSixth;
  t[2 * step] = (outer - g[step]) * -kSixth;
  t[3 * step] = far + middle;
  t[4 * step] = far - middle;
  t[5 * step] = g[2 * step];
  // LAB(09.10) end
}

template <typename V>
void TransformResult(const V* m, int step, V* y) {
  // LAB(09.10) begin: write the 4 places y of 6 products m
  const V sum_1 = m[step] + m[2 * step];
  const V sum_2 = m[3 * step] + m[4 * step];
  const V difference_1 = m[step] - m[2 * step];
  const V difference_2 = m[3 * step] - m[4 * step];
  y[0] = m[0] + sum_1 + sum_2;
  y[step] = difference_1 + 2 * difference_2;
  y[2 * step] = sum_1 + 4 * sum_2;
  y[3 * step] = difference_1 + 8 * difference_2 + m[5 * step];
  // LAB(09.10) end
}

// F(4x4,3x3), as TwoByTwo.
struct FourByFour {
  static constexpr int kOut = 4;
  static constexpr int kTaps = 3;

  template <typename V>
  static void Image(const V* d, int step, V* t) {
    TransformImage(d, step, t);
  }
  template <typename V>
  static void Filter(const V* g, int step, V* t) {
    TransformFilter(g, step, t);
  }
  template <typename V>
  static void Result(const V* m, int step, V* y) {
    TransformResult(m, step, y);
  }
};

// ---- The three steps ------------------------------------------------------------------

// Tile says how many places a tile has along an axis, and how they are transformed.
template <typename T, typename Tile>
class Winograd {
 public:
  static constexpr int kOut = Tile::kOut;             // places of a tile along an axis
  static constexpr int kIn = kOut + Tile::kTaps - 1;  // pixels that they see
  static constexpr int kProducts = kIn * kIn;

  Winograd(const Conv2dGeometry& g, const T* x, T* y, const RowsDone<T>& rows_done)
      : g_(g), x_(x), y_(y), rows_done_(rows_done) {}

  void Run(const WinogradFilters<T>& filters, ThreadPool& threads) const {
    const int64_t tiles = g_.n * Down() * Across();
    if (!filters.are_transformed()) return ComputeTiles(filters, 0, tiles, &threads);
    threads.ParallelPieces(
        tiles, kProducts * g_.c * g_.k / 16,
        [&](int64_t begin, int64_t end) { ComputeTiles(filters, begin, end, nullptr); });
  }

 private:
  static Lanes<T> Load(const T* from, int64_t count) { return LoadLanes(from, count); }
  static void Store(const Lanes<T>& lanes, int64_t count, T* to) {
    StoreLanes(lanes, count, to);
  }
  template <typename V>
  static void TransformResult(const V* m, int step, V* y) {
    Tile::Result(m, step, y);
  }

  int64_t Down() const { return (g_.p + kOut - 1) / kOut; }
  int64_t Across() const { return (g_.q + kOut - 1) / kOut; }

  // Tiles [first, last), block by block. A few that are left over are no block of their
  // own: all of u would be read for them.
  void ComputeTiles(const WinogradFilters<T>& filters, int64_t first, int64_t last,
                    ThreadPool* threads) const {
    constexpr int64_t kFewTiles = 6;
    const int64_t at_a_time = filters.tiles_at_a_time();
    const int64_t most = std::min(at_a_time + kFewTiles, last - first);
    WinogradBlock<T> block(kProducts, most, g_.c, g_.k);
    for (int64_t tile = first; tile < last; tile += block.tiles) {
      StopIfAsked();
      block.tiles = last - tile <= most ? last - tile : at_a_time;
      ForPieces(threads, block.tiles, kProducts * g_.c / 8, [&](int64_t i, int64_t end) {
        for (; i < end; ++i) ReadTile(tile + i, block.v + i * block.v_row, block.v_step);
      });
      filters.Multiply(block, threads);
      ForPieces(threads, block.tiles, kProducts * g_.k / 8, [&](int64_t i, int64_t end) {
        for (; i < end; ++i) WriteTile(block.m + i * g_.k, block.m_step, tile + i);
      });
    }
  }

  // The first place of a tile.
  struct Place {
    int64_t image, p, q;
  };

  Place PlaceOf(int64_t tile) const {
    // LAB(09.11) begin: return it: each tile has another one, kOut apart
    const int64_t in_image = tile % (Down() * Across());
    return {tile / (Down() * Across()), in_image / Across() * kOut,
            in_image % Across() * kOut};
    // LAB(09.11) end
  }

  // Product i of the tile goes to v + i * step, C numbers.
  void ReadTile(int64_t tile, T* v, int64_t step) const {
    const Place place = PlaceOf(tile);
    std::array<const T*, kProducts> pixels;  // null: outside of the image
    // LAB(09.11) begin: find the pixels that the tile sees, row by row
    for (int64_t i = 0; i < kProducts; ++i) {
      const int64_t row = place.p + i / kIn - g_.pad_top;
      const int64_t column = place.q + i % kIn - g_.pad_left;
      const bool inside = row >= 0 && row < g_.h && column >= 0 && column < g_.w;
      const int64_t pixel = (place.image * g_.h + row) * g_.w + column;
      pixels[i] = inside ? x_ + pixel * g_.c : nullptr;
    }
    // LAB(09.11) end
    std::array<Lanes<T>, kProducts> d;
    std::array<Lanes<T>, kProducts> t;
    for (int64_t c = 0; c < g_.c; c += kLanes<T>) {
      const int64_t count = g_.c - c;
      for (int i = 0; i < kProducts; ++i) {
        d[i] = pixels[i] == nullptr ? Lanes<T>::Zero() : Load(pixels[i] + c, count);
      }
      for (int j = 0; j < kIn; ++j) Tile::Image(&d[j], kIn, &t[j]);
      for (int i = 0; i < kIn; ++i) Tile::Image(&t[i * kIn], 1, &d[i * kIn]);
      for (int i = 0; i < kProducts; ++i) Store(d[i], count, v + i * step + c);
    }
  }

  // Product i of the tile is at m + i * step, K numbers.
  void WriteTile(const T* m, int64_t step, int64_t tile) const {
    const Place place = PlaceOf(tile);
    std::array<Lanes<T>, kProducts> d;
    // LAB(09.11) begin: transform back; store the places that there are; call rows_done_
    const int64_t rows = std::min<int64_t>(kOut, g_.p - place.p);
    const int64_t columns = std::min<int64_t>(kOut, g_.q - place.q);
    T* const y = y_ + ((place.image * g_.p + place.p) * g_.q + place.q) * g_.k;
    std::array<Lanes<T>, kOut * kIn> t;
    for (int64_t k = 0; k < g_.k; k += kLanes<T>) {
      const int64_t count = g_.k - k;
      for (int i = 0; i < kProducts; ++i) d[i] = Load(m + i * step + k, count);
      for (int j = 0; j < kIn; ++j) TransformResult(&d[j], kIn, &t[j]);
      for (int i = 0; i < rows; ++i) {
        std::array<Lanes<T>, kOut> places;
        TransformResult(&t[i * kIn], 1, places.data());
        for (int j = 0; j < columns; ++j) {
          Store(places[j], count, y + (i * g_.q + j) * g_.k + k);
        }
      }
    }
    for (int64_t i = 0; rows_done_ && i < rows; ++i) {
      rows_done_(y + i * g_.q * g_.k, columns);
    }
    // LAB(09.11) end
  }

  const Conv2dGeometry& g_;
  const T* const x_;
  T* const y_;
  const RowsDone<T>& rows_done_;
};

template <typename T, typename Tile>
void Compute(const Conv2dGeometry& g, const T* x, const T* w, T* y, ThreadPool& threads,
             const RowsDone<T>& rows_done) {
  if (g.c == 0) {
    std::fill_n(y, g.n * g.places() * g.k, T(0));
    return FinishRows(g, rows_done, y, threads);
  }
  using Way = Winograd<T, Tile>;
  const WinogradFilters<T> filters(TransformFilters<T, Tile>, Way::kProducts, w, g.c, g.k,
                                   threads);
  Way(g, x, y, rows_done).Run(filters, threads);
}

}  // namespace

template <typename T>
void Conv2dWinograd(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                    ThreadPool& threads, const RowsDone<T>& rows_done) {
  Compute<T, FourByFour>(g, x, w, y, threads, rows_done);
}

template <typename T>
void Conv2dWinograd2x2(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                       ThreadPool& threads, const RowsDone<T>& rows_done) {
  Compute<T, TwoByTwo>(g, x, w, y, threads, rows_done);
}

template <typename T>
void Conv2dWinograd5x5(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                       ThreadPool& threads, const RowsDone<T>& rows_done) {
  Compute<T, TwoByTwoOfFive<FourByFour>>(g, x, w, y, threads, rows_done);
}

template decltype(Conv2dWinograd<float>) Conv2dWinograd<float>;
template decltype(Conv2dWinograd<double>) Conv2dWinograd<double>;
template decltype(Conv2dWinograd2x2<float>) Conv2dWinograd2x2<float>;
template decltype(Conv2dWinograd2x2<double>) Conv2dWinograd2x2<double>;
template decltype(Conv2dWinograd5x5<float>) Conv2dWinograd5x5<float>;
template decltype(Conv2dWinograd5x5<double>) Conv2dWinograd5x5<double>;

}  // namespace minitf
