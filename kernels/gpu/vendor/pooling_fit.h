// Which poolings cuDNN computes.
//
// Along an axis cuDNN is told one number of zeros, which stand before the image and after
// it, and puts the window down wherever it fits into both:
//
//   places = 1 + (size + 2 * pad - taps) / stride, rounded down
//
// SAME has one zero more at the end where their number is odd. Then one place is missing:
//
//   size   taps   stride   SAME: zeros, places   cuDNN: pad, places
//      9      3        2            1+1      5            1       5
//      8      3        2            0+1      4            0       3
//
// A convolution gets an image with all the zeros in it (convolver.h). In a pooling they
// would count, in the mean and against negative numbers, so it is left to our kernels.
//
// Read next  kernels/gpu/vendor/card_library.h

#pragma once

#include <algorithm>
#include <string>

#include "kernels/gpu/vendor/vendor_library.h"

namespace minitf::gpu {

/// Why cuDNN is not asked for a pooling of these sizes, which are the op's: K = C unless
/// windows go across channels. "" if it is.
inline std::string WhyNotPooled(const Conv2dSizes& g) {
  const auto places = [](int64_t size, int64_t pad, int64_t taps, int64_t stride) {
    return 1 + (size + 2 * pad - taps) / stride;
  };
  if (g.k != g.c) return "the windows go across channels";
  if (std::max(g.x_size(), g.y_size()) > kMostNumbers) {
    return "a tensor has more than 2^31 - 1 numbers";
  }
  const bool has_even_padding = places(g.h, g.pad_top, g.r, g.stride_h) == g.p &&
                                places(g.w, g.pad_left, g.s, g.stride_w) == g.q;
  return has_even_padding ? "" : "there is more padding after the image than before it";
}

}  // namespace minitf::gpu
