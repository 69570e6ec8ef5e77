// Patches: what a filter sees from each of its places, as the rows of a matrix.
//
//   image, 3x3     1 2 3       patches of a 2x2 filter     1 2 4 5
//                  4 5 6                                   2 3 5 6
//                  7 8 9                                   4 5 7 8
//                                                          5 6 8 9
//
// Gathering them turns a convolution into a product of matrices (im2col); scattering is
// the adjoint: it adds each number of a patch back to where it came from (col2im).
//
// Places are counted through the whole batch: place i of image n is n * places() + i.
//
// Compare    tensorflow/core/kernels/conv_grad_input_ops.cc (Col2im), Im2col there in
//            conv_grad_filter_ops.cc; both after Yangqing Jia's Caffe
// Read next  kernels/cpu/conv/patch_walk.h

#pragma once

#include <algorithm>
#include <cstdint>

#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {

/// Writes the rows of places [begin,end) to `patches` [end - begin, R*S*C], with zeros
/// for what is outside of the image. `x` is [N,H,W,C]. Requires: one group.
template <typename T>
void GatherPatches(const Conv2dGeometry& g, const T* x, int64_t begin, int64_t end,
                   T* patches);

/// Writes columns [first,last) of the row of one place to `part`.
template <typename T>
void GatherPartOfPatch(const Conv2dGeometry& g, const T* x, int64_t place, int64_t first,
                       int64_t last, T* part);

/// Adds the rows of places [begin,end), `patches` [end - begin, R*S*C], to `x` [N,H,W,C].
template <typename T>
void ScatterPatches(const Conv2dGeometry& g, const T* patches, int64_t begin, int64_t end,
                    T* x);

/// Whether the patch of each place is its pixel: a 1x1 filter, stride 1, no padding. Then
/// x itself is the matrix of patches.
bool PatchesArePixels(const Conv2dGeometry& g);

/// How many patches to gather at a time, so that they stay in the L2 cache until the
/// product has read them.
template <typename T>
int64_t PatchesAtATime(const Conv2dGeometry& g);

/// The taps [first,last) along one axis that are inside of the image.
struct TapRange {
  int64_t first, last;

  /// Of a filter whose first tap is at `start`, which may be outside of [0,size).
  static TapRange Of(int64_t start, int64_t taps, int64_t dilation, int64_t size) {
    const int64_t before = std::max<int64_t>(0, -start);
    const int64_t left = std::max<int64_t>(0, size - start);
    const int64_t first = std::min(taps, (before + dilation - 1) / dilation);
    const int64_t last = std::min(taps, (left + dilation - 1) / dilation);
    return {first, std::max(first, last)};
  }

  static TapRange OfRows(const Conv2dGeometry& g, int64_t p) {
    return Of(p * g.stride_h - g.pad_top, g.r, g.dilation_h, g.h);
  }
  static TapRange OfColumns(const Conv2dGeometry& g, int64_t q) {
    return Of(q * g.stride_w - g.pad_left, g.s, g.dilation_w, g.w);
  }

  int64_t size() const { return last - first; }
};

/// How many taps of the filter can be inside of the image at a time, at most. A window
/// may be far larger than the image, and work is paid by what it sees.
inline int64_t TapsOnImage(const Conv2dGeometry& g) {
  return std::min(g.r, g.h) * std::min(g.s, g.w);
}

/// Nanoseconds that loops over the taps and channels of one place take.
inline int64_t CostOfPlace(const Conv2dGeometry& g) {
  return TapsOnImage(g) * (g.c / g.groups) * g.k / 4 + 1;
}

/// Calls `tap(pixel, i)` for each tap i = r * S + s of the filter at (p,q) that is inside
/// of the image, where it sees pixel number `pixel` = row * W + column.
template <typename Tap>
void ForEachTap(const Conv2dGeometry& g, int64_t p, int64_t q, Tap&& tap) {
  const TapRange rows = TapRange::OfRows(g, p);
  const TapRange columns = TapRange::OfColumns(g, q);
  for (int64_t r = rows.first; r < rows.last; ++r) {
    const int64_t row = p * g.stride_h + r * g.dilation_h - g.pad_top;
    for (int64_t s = columns.first; s < columns.last; ++s) {
      const int64_t column = q * g.stride_w + s * g.dilation_w - g.pad_left;
      tap(row * g.w + column, r * g.s + s);
    }
  }
}

/// Calls visit(c, index of c in its group, first k, last k) for every channel: group by
/// group, channel c is seen by the filters [first k, last k).
template <typename Visit>
void ForEachChannel(const Conv2dGeometry& g, Visit&& visit) {
  const int64_t group_c = g.c / g.groups;
  const int64_t group_k = g.k / g.groups;
  for (int64_t c = 0; c < g.c; ++c) {
    const int64_t group = c / group_c;
    visit(c, c % group_c, group * group_k, (group + 1) * group_k);
  }
}

}  // namespace minitf
