// The transforms of Winograd's F(2x2,3x3), along one axis, and of filters by any tile.
//
// They follow from the points 0, 1, -1 and infinity, at which polynomials are
// multiplied; the formulas stand at the top of conv2d_winograd.cc.
//
// Compare    Lavin and Gray, arXiv:1509.09308 (2015), section 4.1
// Read next  kernels/cpu/conv/winograd_filters.h

#pragma once

#include <array>
#include <cstdint>

#include "kernels/cpu/common/lanes.h"

namespace minitf {

/// A tile of two by two places, which see four by four pixels. Its functions transform
/// along one axis, where elements lie `step` apart.
struct TwoByTwo {
  static constexpr int kOut = 2;

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

/// WinogradFilters<T>::Transform by the formulas of Tile.
template <typename T, typename Tile>
void TransformFilters(const T* w, int64_t size, int64_t at, int64_t count, T* u,
                      int64_t step) {
  constexpr int kIn = Tile::kOut + 2;
  std::array<Lanes<T>, kIn * kIn> d;
  std::array<Lanes<T>, kIn * kIn> t;
  for (int i = 0; i < 9; ++i) {
    d[i / 3 * kIn + i % 3] = LoadLanes(w + i * size + at, count);
  }
  for (int j = 0; j < 3; ++j) Tile::Filter(&d[j], kIn, &t[j]);
  for (int i = 0; i < kIn; ++i) Tile::Filter(&t[i * kIn], 1, &d[i * kIn]);
  for (int i = 0; i < kIn * kIn; ++i) StoreLanes(d[i], count, u + i * step);
}

}  // namespace minitf
