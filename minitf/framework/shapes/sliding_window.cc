// SlidingWindow: how often a window fits along an axis, and with how many zeros.
//
// Exercise   exercises/02_registry

#include <algorithm>

#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {
namespace {

constexpr int64_t kTooLong = int64_t{1} << 60;

// How much of an axis `taps` cover that are `dilation` apart, from the first to the
// last. Throws InvalidArgument for more than kTooLong.
int64_t ReachOf(int64_t taps, int64_t dilation) {
  int64_t reach = 0;
  bool fits = true;
  // LAB(02.13) begin: set reach, or fits to false; no product may overflow
  fits = !__builtin_mul_overflow(taps - 1, dilation, &reach) && reach < kTooLong;
  ++reach;
  // LAB(02.13) end
  Require(fits, "a filter of ", taps, " taps at a dilation of ", dilation,
          " is too large");
  return reach;
}

// Places of a SAME window, which do not depend on its reach.
int64_t SamePlaces(int64_t size, int64_t stride) {
  // LAB(02.13) begin: return them
  return size == 0 ? 0 : (size - 1) / stride + 1;
  // LAB(02.13) end
}

SlidingWindow SameWindow(int64_t size, int64_t reach, int64_t stride) {
  // LAB(02.13) begin: return the places and the zeros before and after
  const int64_t places = SamePlaces(size, stride);
  const int64_t last = places == 0 ? 0 : (places - 1) * stride + reach;
  const int64_t zeros = std::max<int64_t>(0, last - size);
  return {places, zeros / 2, zeros - zeros / 2};
  // LAB(02.13) end
}

// VALID or EXPLICIT: as many places as fit into the axis with the zeros of `attrs`.
SlidingWindow PaddedWindow(int64_t size, int64_t reach, const WindowAttrs& attrs) {
  const int64_t padded = size + attrs.pad_before + attrs.pad_after;
  Require(padded >= reach, "Negative dimension size caused by subtracting ", reach,
          " from ", padded, ": the filter is larger than the image with its padding");
  // LAB(02.13) begin: return the places and the zeros
  return {(padded - reach) / attrs.stride + 1, attrs.pad_before, attrs.pad_after};
  // LAB(02.13) end
}

}  // namespace

SlidingWindow SlidingWindow::Of(int64_t size, int64_t taps, Padding padding,
                                const WindowAttrs& attrs) {
  if (size == kUnknown || taps == kUnknown) {
    // LAB(02.13) begin: return what can be known; the zeros are those of attrs
    const bool no_filter_needed = padding == Padding::kSame && size != kUnknown;
    return {no_filter_needed ? SamePlaces(size, attrs.stride) : kUnknown,
            attrs.pad_before, attrs.pad_after};
    // LAB(02.13) end
  }
  Require(size <= kTooLong, "an axis of ", size,
          " is too long to move a window along it");
  const int64_t reach = ReachOf(taps, attrs.dilation);
  return padding == Padding::kSame ? SameWindow(size, reach, attrs.stride)
                                   : PaddedWindow(size, reach, attrs);
}

}  // namespace minitf
