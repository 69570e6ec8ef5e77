// Scaling an axis: which pixels of the old axis a pixel of the new one is made of.
//
// All methods are sums along one axis after the other: pixel i of the new axis is
//
//   sum over k of  weight[k] * old[index[k]]      for the taps k of i
//
// Where pixel i lies on an old axis of n pixels, for m new ones:
//
//   usually             i * n / m                        a pixel is its left edge
//   half_pixel_centers  (i + 1/2) * n / m - 1/2          a pixel is its centre
//   align_corners       i * (n - 1) / (m - 1)            first and last stay
//
// Compare    tensorflow/core/kernels/image_resizer_state.h
// Read next  minitf/contrib/image/resize.cc

#pragma once

#include <cstdint>
#include <vector>

namespace minitf {

struct Sampling {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

/// The taps of pixel i are those from first[i] up to first[i + 1]. All functions require
/// in > 0 and out > 0, and one of the two samplings at most.
struct Taps {
  std::vector<int64_t> first;
  std::vector<int64_t> index;
  std::vector<float> weight;
};

/// Two taps each, by distance.
Taps BilinearTaps(int64_t in, int64_t out, const Sampling& sampling);

/// Four taps each, by the cubic of Keys (1981). Its parameter is -0.5 with
/// half_pixel_centers, where taps outside of the axis count nothing; else -0.75, and they
/// count for the pixel at the edge.
Taps BicubicTaps(int64_t in, int64_t out, const Sampling& sampling);

/// As many taps as the new pixel covers old ones, by how much of each.
Taps AreaTaps(int64_t in, int64_t out, bool align_corners);

/// The one nearest pixel for each of the new axis.
std::vector<int64_t> NearestPixels(int64_t in, int64_t out, const Sampling& sampling);

}  // namespace minitf
