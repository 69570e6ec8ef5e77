// Walks through patches: place by place, and run by run through the rows of a filter.
//
// For one row r of the filter, the S * C numbers under it lie side by side in an image,
// if the taps do (dilation 1). So a patch is R runs of numbers, each copied or added in
// one go.
//
// Read next  kernels/cpu/conv/image_rows.h

#pragma once

#include <cstdint>

#include "kernels/cpu/conv/patches.h"

namespace minitf {

/// Walks through places [begin,end): calls visit(first pixel of the image, p, q). The
/// three indices are counted up and not divided out anew at each place: for a small
/// filter two divisions would take as long as the copying.
template <typename Visit>
void ForEachPlace(const Conv2dGeometry& g, int64_t begin, int64_t end, Visit&& visit) {
  if (begin >= end) return;  // perhaps there are no places to divide by
  int64_t n = begin / g.places();
  int64_t p = begin % g.places() / g.q;
  int64_t q = begin % g.q;
  for (int64_t place = begin; place < end; ++place) {
    visit(n * g.h * g.w, p, q);
    if (++q < g.q) continue;
    q = 0;
    if (++p < g.p) continue;
    p = 0;
    ++n;
  }
}

/// One row of the filter: calls run(first tap, its pixel, how many taps) for each run of
/// taps `inside` whose pixels lie side by side. `first_pixel` is under tap 0, which may
/// be outside.
template <typename Run>
void ForEachRun(const Conv2dGeometry& g, TapRange inside, int64_t first_pixel,
                Run&& run) {
  if (g.dilation_w == 1) {
    if (inside.size() > 0) run(inside.first, first_pixel + inside.first, inside.size());
    return;
  }
  for (int64_t s = inside.first; s < inside.last; ++s) {
    run(s, first_pixel + s * g.dilation_w, 1);
  }
}

}  // namespace minitf
