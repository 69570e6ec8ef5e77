// Conv2dGeometry: all sizes of a 2-D convolution or pooling, worked out in one place.
//
// The shape functions, the CPU and GPU kernels and the gradients need the same numbers.
// They are worked out here once, and are called by these letters everywhere:
//
//   x [N,H,W,C]     images: N of them, H rows by W columns, C channels
//   w [R,S,C/G,K]   filters: K of them, R rows by S columns; G groups, nearly always 1
//   y [N,P,Q,K]     result: P rows by Q columns, one channel per filter
//
//   y(n,p,q,k) = sum over r, s, c of
//                x(n, p * stride_h + r * dilation_h - pad_top,
//                     q * stride_w + s * dilation_w - pad_left, c) * w(r,s,c,k)
//                                                      with x = 0 outside of the image
//
// A pooling has a window of R by S in place of filters, and K = C.
//
// The taps of a filter are `dilation` pixels apart; its reach goes from the first tap to
// the last. How many places it has along an axis, and how many zeros stand around the
// image, follows from the padding:
//
//   VALID      no zeros
//   SAME       just enough for a place at every stride-th pixel; of an odd number of
//              zeros the end gets one more than the start
//   EXPLICIT   as the user says; then as VALID
//
// TensorFlow has long names for the letters: batch N, input_rows H, input_cols W,
// in_depth C, filter_rows R, filter_cols S, patch_depth C/G, out_rows P, out_cols Q,
// out_depth K, pad_rows_before pad_top, pad_cols_before pad_left.
//
// Compare    tensorflow/core/kernels/conv_ops.h (Conv2DParameters, Conv2DDimensions),
//            tensorflow/core/framework/common_shape_fns.cc
// Read next  minitf/framework/shapes/batch_norm_shapes.h

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/tensor/shape.h"

namespace minitf {

/// In which order the axes of a batch of images lie: [N,H,W,C] or [N,C,H,W].
enum class DataFormat { kNhwc, kNchw };

/// The format called "NHWC" or "NCHW". Throws InvalidArgument for any other name.
DataFormat DataFormatFrom(const std::string& name);

/// Which of the four axes are the batch, the rows, the columns and the channels.
struct AxisOrder {
  int n, h, w, c;
};

AxisOrder OrderOf(DataFormat format);

/// The shape of N images in `format`. A size may be PartialShape::kUnknown.
PartialShape ShapeFromFormat(DataFormat format, int64_t n, int64_t h, int64_t w,
                             int64_t c);

enum class Padding { kValid, kSame, kExplicit };

/// What the node says about one axis of the image.
struct WindowAttrs {
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;  ///< of EXPLICIT padding
  int64_t pad_after = 0;
};

/// The attributes of a node that moves a window over images, checked.
struct Conv2dAttrs {
  DataFormat format = DataFormat::kNhwc;
  Padding padding = Padding::kValid;
  WindowAttrs rows;
  WindowAttrs columns;

  /// Reads strides, padding and, where the op has them, explicit_paddings, data_format
  /// and dilations. Throws InvalidArgument when they make no sense.
  static Conv2dAttrs Of(const Attrs& attrs);
};

/// As above, and the size of the window.
struct PoolAttrs : Conv2dAttrs {
  int64_t window_h = 1, window_w = 1;
  int64_t window_c = 1;  ///< more than 1 only if window_h and window_w are 1

  /// Of a pooling: reads ksize too.
  static PoolAttrs Of(const Attrs& attrs);
  /// Of ExtractImagePatches, where they are called ksizes and rates.
  static PoolAttrs OfPatches(const Attrs& attrs);
};

/// One axis: where a sliding window fits.
struct SlidingWindow {
  int64_t places;  ///< how often the window is put down
  int64_t pad_before, pad_after;

  /// Where size or taps are unknown, so are the places, unless they do not depend on what
  /// is unknown; the zeros are those of `attrs`. On 0 pixels SAME has 0 places and no
  /// zeros. Throws InvalidArgument when a window that is not SAME does not fit once.
  static SlidingWindow Of(int64_t size, int64_t taps, Padding padding,
                          const WindowAttrs& attrs);
};

/// A size may be PartialShape::kUnknown if one of the shapes was known in part only; what
/// depends on it is unknown too.
struct Conv2dGeometry {
  int64_t n, h, w, c;              ///< images
  int64_t r, s, k;                 ///< filters
  int64_t p, q;                    ///< result
  int64_t stride_h, stride_w;      ///< pixels from one place to the next
  int64_t dilation_h, dilation_w;  ///< pixels from one tap to the next
  int64_t pad_top, pad_left;       ///< rows and columns of zeros before the image
  int64_t pad_bottom, pad_right;   ///< and after it
  int64_t groups;                  ///< group i makes the i-th part of K of that of C
  DataFormat format;               ///< of x and y in memory

  /// Of a convolution. Throws InvalidArgument when x and w do not fit each other.
  static Conv2dGeometry Of(const PartialShape& x, const PartialShape& w,
                           const Conv2dAttrs& attrs);

  /// Of a convolution that filters each channel apart, with M filters for each:
  /// w is [R,S,C,M], and K = C * M. The same elements as [R,S,1,K] are its filters with
  /// one group a channel.
  static Conv2dGeometry OfDepthwise(const PartialShape& x, const PartialShape& w,
                                    const Conv2dAttrs& attrs);

  /// Of a pooling, with K = C / window_c.
  static Conv2dGeometry OfPool(const PartialShape& x, const PoolAttrs& attrs);

  /// Of the same pooling with a window across columns, if this one has its window across
  /// channels: each window becomes an image of one row and one channel. The elements of x
  /// and y in the order [N,H,W,C] stay where they are. Requires: *this is of a pooling.
  Conv2dGeometry WithDepthAsColumns() const;

  /// Of ExtractImagePatches, with K = R * S * C: all that the window sees.
  static Conv2dGeometry OfPatches(const PartialShape& x, const PoolAttrs& attrs);

  PartialShape output_shape() const { return ShapeFromFormat(format, n, p, q, k); }

  /// Places of the filter in one image, and numbers that it sees from one place.
  int64_t places() const { return p * q; }
  int64_t patch_size() const { return r * s * (c / groups); }
};

/// The shape of x that Conv2DBackpropInput's `sizes` stand for: all four of them, or H
/// and W alone; then the others are those of the filters w and of dy.
PartialShape Conv2dInputShape(const PartialShape& sizes, const PartialShape& w,
                              const PartialShape& dy, DataFormat format);

/// The shape whose sizes the tensor `sizes`, input `name` of an op, lists. Throws
/// InvalidArgument unless it is a list of sizes.
Shape ShapeFromSizes(const Tensor& sizes, std::string_view name);

/// Throws InvalidArgument, naming both shapes, unless `dy` may be the gradient of the
/// result of `g`.
void CheckOutputGradient(const Conv2dGeometry& g, const PartialShape& dy);

}  // namespace minitf
