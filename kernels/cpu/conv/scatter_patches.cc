// Scattering patches: the adjoint of gathering them (col2im).
//
// Compare    tensorflow/core/kernels/conv_grad_input_ops.cc
// Read next  kernels/cpu/conv/conv2d.cc

#include "kernels/cpu/conv/patch_walk.h"

namespace minitf {
namespace {

template <typename T>
void AddRun(const T* __restrict from, int64_t count, T* __restrict to) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

// The walk of GatherPatches with the arrows reversed. A pixel is in up to R * S patches,
// so numbers are added to it, and what lies over the border is dropped.
template <typename T>
void ScatterPatches(const Conv2dGeometry& g, const T* patches, int64_t begin, int64_t end,
                    T* x) {
  const T* patch = patches;
  ForEachPlace(g, begin, end, [&](int64_t image, int64_t p, int64_t q) {
    const int64_t column = q * g.stride_w - g.pad_left;
    const TapRange inside = TapRange::OfColumns(g, q);
    for (int64_t r = 0; r < g.r; ++r, patch += g.s * g.c) {
      const int64_t row = p * g.stride_h + r * g.dilation_h - g.pad_top;
      if (row < 0 || row >= g.h) continue;
      ForEachRun(g, inside, image + row * g.w + column,
                 [&](int64_t s, int64_t pixel, int64_t count) {
                   AddRun(patch + s * g.c, count * g.c, x + pixel * g.c);
                 });
    }
  });
}

template void ScatterPatches<float>(const Conv2dGeometry&, const float*, int64_t, int64_t,
                                    float*);
template void ScatterPatches<double>(const Conv2dGeometry&, const double*, int64_t,
                                     int64_t, double*);

}  // namespace minitf
