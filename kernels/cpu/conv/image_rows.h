// ImageRows: what some rows of a convolution's result see, with the zeros around it.
//
//   image, 3x3    1 2 3      of row 0 of the result,     0 0 0 0 0
//                 4 5 6      for a 3x3 filter and        0 1 2 3 0
//                 7 8 9      zeros on all sides          0 4 5 6 0
//
// The "direct" tiers multiply with these rows as they lie, so a tap outside of the image
// must meet a zero. Only as many rows as fit a cache are copied at a time.
//
// Read next  kernels/cpu/conv/winograd_tiles.h

#pragma once

#include <cstdint>

#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {

template <typename T>
class ImageRows {
 public:
  /// Of images x [N,H,W,C], N >= 1. Requires: the result has places.
  ImageRows(const Conv2dGeometry& g, const T* x)
      : g_(g),
        x_(x),
        width_((g.q - 1) * g.stride_w + Reach(g.s, g.dilation_w)),
        at_a_time_(RowsThatFit()),
        height_((at_a_time_ - 1) * g.stride_h + Reach(g.r, g.dilation_h)) {}

  /// Rows of the result, at most, whose pixels are copied together.
  int64_t at_a_time() const { return at_a_time_; }

  /// Into how many such pieces the result of an image is cut.
  int64_t pieces() const { return (g_.p + at_a_time_ - 1) / at_a_time_; }

  /// Elements of one copied row; of all that Copy writes.
  int64_t row_size() const { return width_ * g_.c; }
  int64_t size() const { return height_ * row_size(); }

  /// Copies what rows [first, first + at_a_time()) of the result see of one image.
  void Copy(int64_t image, int64_t first, T* room) const;

 private:
  // Pixels from the first to the last tap, with both.
  static int64_t Reach(int64_t taps, int64_t dilation) {
    return (taps - 1) * dilation + 1;
  }

  int64_t RowsThatFit() const;

  const Conv2dGeometry& g_;
  const T* const x_;
  const int64_t width_;
  const int64_t at_a_time_;
  const int64_t height_;
};

}  // namespace minitf
