// Tiles of Winograd's algorithm, which conv2d_winograd.cc explains: F(2x2,3x3), from the
// points 0, 1, -1 and infinity, and F(2x2,5x5); and how any tile transforms filters.
//
// Read next  kernels/cpu/conv/winograd_filters.h

#pragma once

#include <array>
#include <cstdint>

#include "kernels/cpu/common/lanes.h"

namespace minitf {

/// Two by two places, which see four by four pixels. Its functions transform along one
/// axis, where elements lie `step` apart.
struct TwoByTwo {
  static constexpr int kOut = 2;
  static constexpr int kTaps = 3;

  /// Writes the 4 numbers t of 4 pixels d.
  template <typename V>
  static void Image(const V* d, int step, V* t) {
    t[0] = d[0] - d[2 * step];
    t[step] = d[step] + d[2 * step];
    t[2 * step] = d[2 * step] - d[step];
    t[3 * step] = d[step] - d[3 * step];
  }

  /// Writes the 4 numbers t of 3 taps g.
  template <typename V>
  static void Filter(const V* g, int step, V* t) {
    using T = typename V::Scalar;
    const V outer = g[0] + g[2 * step];
    t[0] = g[0];
    t[step] = (outer + g[step]) / T(2);
    t[2 * step] = (outer - g[step]) / T(2);
    t[3 * step] = g[2 * step];
  }

  /// Writes the 2 places y of 4 products m.
  template <typename V>
  static void Result(const V* m, int step, V* y) {
    y[0] = m[0] + m[step] + m[2 * step];
    y[step] = m[step] - m[2 * step] - m[3 * step];
  }
};

/// A tile of two by two places that see six by six pixels, below filters of 5x5. The
/// points are those of F(4x4,3x3), so its transforms serve here: of the same image; of a
/// filter g0 + g1 a + g2 a^2 + a^3 (g3 + g4 a) in two parts; of the first two places.
template <typename FourByFour>
struct TwoByTwoOfFive {
  static constexpr int kOut = 2;
  static constexpr int kTaps = 5;

  template <typename V>
  static void Image(const V* d, int step, V* t) {
    FourByFour::Image(d, step, t);
  }

  /// Writes the 6 numbers t of 5 taps g, at a = 0, 1, -1, 2, -2 and infinity.
  template <typename V>
  static void Filter(const V* g, int step, V* t) {
    const V far[3] = {g[3 * step], g[4 * step], V::Zero()};
    V part[6];
    FourByFour::Filter(g, step, t);
    FourByFour::Filter(far, 1, part);
    t[step] += part[1];
    t[2 * step] -= part[2];
    t[3 * step] += 8 * part[3];
    t[4 * step] -= 8 * part[4];
    t[5 * step] = far[1];
  }

  /// Writes the 2 places y of 6 products m.
  template <typename V>
  static void Result(const V* m, int step, V* y) {
    V four[3 * (kOut + kTaps - 1) + 1];  // which lie `step` apart, too
    FourByFour::Result(m, step, four);
    y[0] = four[0];
    y[step] = four[step] + m[5 * step];  // here it is the last place
  }
};

/// WinogradFilters<T>::Transform by the formulas of Tile.
template <typename T, typename Tile>
void TransformFilters(const T* w, int64_t size, int64_t at, int64_t count, T* u,
                      int64_t step) {
  constexpr int kTaps = Tile::kTaps;
  constexpr int kIn = Tile::kOut + kTaps - 1;
  std::array<Lanes<T>, kIn * kIn> d;
  std::array<Lanes<T>, kIn * kIn> t;
  for (int i = 0; i < kTaps * kTaps; ++i) {
    d[i / kTaps * kIn + i % kTaps] = LoadLanes(w + i * size + at, count);
  }
  for (int j = 0; j < kTaps; ++j) Tile::Filter(&d[j], kIn, &t[j]);
  for (int i = 0; i < kIn; ++i) Tile::Filter(&t[i * kIn], 1, &d[i * kIn]);
  for (int i = 0; i < kIn * kIn; ++i) StoreLanes(d[i], count, u + i * step);
}

}  // namespace minitf
