// Gathering patches.
//
// For one row r of the filter, the S * C numbers under it lie side by side in an image,
// if the taps do (dilation 1). So a patch is R runs of numbers, each copied in one go
// after its ends have been cut off at the border of the image.
//
// Compare    tensorflow/core/kernels/conv_grad_input_ops.cc
// Read next  kernels/cpu/conv/conv2d.cc

#include "kernels/cpu/conv/patches.h"

#include <algorithm>

#include "minitf/tensor/dtype.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// A loop and not memcpy: most runs are so short that the call would cost more.
constexpr int64_t kShortRun = 32;

// Walks through places [begin,end): calls visit(first pixel of the image, p, q). The
// three indices are counted up and not divided out anew at each place: for a small filter
// two divisions would take as long as the copying.
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

template <typename T>
void CopyRun(const T* from, int64_t count, T* to) {
  if (count > kShortRun) {
    std::copy_n(from, count, to);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

// One row of the filter: calls run(offset in the patch row, pixel, how many pixels) for
// each run of taps `inside` that lie side by side. `first_pixel` is under tap 0.
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

}  // namespace

// A patch that sticks out over the border has zeros there. They are written each time,
// since the memory for patches is used again for the next block.
template <typename T>
void GatherPatches(const Conv2dGeometry& g, const T* x, int64_t begin, int64_t end,
                   T* patches) {
  const int64_t row_size = g.s * g.c;
  T* patch = patches;
  ForEachPlace(g, begin, end, [&](int64_t image, int64_t p, int64_t q) {
    const int64_t column = q * g.stride_w - g.pad_left;
    const TapRange inside = TapRange::OfColumns(g, q);
    for (int64_t r = 0; r < g.r; ++r, patch += row_size) {
      const int64_t row = p * g.stride_h + r * g.dilation_h - g.pad_top;
      if (row < 0 || row >= g.h) {
        std::fill_n(patch, row_size, T(0));
        continue;
      }
      std::fill(patch, patch + inside.first * g.c, T(0));
      ForEachRun(g, inside, image + row * g.w + column,
                 [&](int64_t s, int64_t pixel, int64_t count) {
                   CopyRun(x + pixel * g.c, count * g.c, patch + s * g.c);
                 });
      std::fill(patch + inside.last * g.c, patch + row_size, T(0));
    }
  });
}

// As above, for those rows of the filter that the part has something of.
template <typename T>
void GatherPartOfPatch(const Conv2dGeometry& g, const T* x, int64_t place, int64_t first,
                       int64_t last, T* part) {
  const int64_t row_size = g.s * g.c;
  const int64_t in_image = place % g.places();
  const int64_t p = in_image / g.q;
  const int64_t q = in_image % g.q;
  const T* const image = x + place / g.places() * g.h * g.w * g.c;
  const int64_t column = q * g.stride_w - g.pad_left;
  const TapRange inside = TapRange::OfColumns(g, q);
  for (int64_t r = first / row_size; r * row_size < last; ++r) {
    const int64_t from = std::max(first, r * row_size);
    const int64_t to = std::min(last, (r + 1) * row_size);
    const int64_t row = p * g.stride_h + r * g.dilation_h - g.pad_top;
    std::fill(part + from - first, part + to - first, T(0));
    if (row < 0 || row >= g.h) continue;
    ForEachRun(g, inside, row * g.w + column,
               [&](int64_t s, int64_t pixel, int64_t count) {
                 const int64_t begin = r * row_size + s * g.c;
                 const int64_t begin_here = std::max(begin, from);
                 const int64_t end_here = std::min(begin + count * g.c, to);
                 if (begin_here >= end_here) return;
                 CopyRun(image + pixel * g.c + begin_here - begin, end_here - begin_here,
                         part + begin_here - first);
               });
  }
}

// A filter of one tap that goes to every pixel: the matrix of patches is the image, so
// nothing has to be gathered.
bool PatchesArePixels(const Conv2dGeometry& g) {
  return g.r == 1 && g.s == 1 && g.stride_h == 1 && g.stride_w == 1 && g.p == g.h &&
         g.q == g.w;
}

// A block of patches is written, and read once by the product. If it fits the cache,
// memory is not touched in between. But the product needs some rows at a time to use the
// filters that it loads, so there are at least 16.
template <typename T>
int64_t PatchesAtATime(const Conv2dGeometry& g) {
  constexpr int64_t kBytes = 400'000;         // most of an L2 cache of 512 kB
  constexpr int64_t kMostBytes = 64'000'000;  // for huge patches, of which 16 would do
  const int64_t patch_bytes = std::max<int64_t>(1, g.patch_size()) * sizeof(T);
  const int64_t most = std::max<int64_t>(1, kMostBytes / patch_bytes);
  return std::clamp<int64_t>(kBytes / patch_bytes, std::min<int64_t>(16, most), 1024);
}

template void GatherPatches<float16>(const Conv2dGeometry&, const float16*, int64_t,
                                     int64_t, float16*);
template void GatherPatches<bfloat16>(const Conv2dGeometry&, const bfloat16*, int64_t,
                                      int64_t, bfloat16*);
template void GatherPatches<float>(const Conv2dGeometry&, const float*, int64_t, int64_t,
                                   float*);
template void GatherPatches<double>(const Conv2dGeometry&, const double*, int64_t,
                                    int64_t, double*);
template void GatherPatches<int32_t>(const Conv2dGeometry&, const int32_t*, int64_t,
                                     int64_t, int32_t*);
template void GatherPatches<int64_t>(const Conv2dGeometry&, const int64_t*, int64_t,
                                     int64_t, int64_t*);
template void GatherPatches<uint8_t>(const Conv2dGeometry&, const uint8_t*, int64_t,
                                     int64_t, uint8_t*);
template void GatherPatches<int16_t>(const Conv2dGeometry&, const int16_t*, int64_t,
                                     int64_t, int16_t*);
template void GatherPatches<int8_t>(const Conv2dGeometry&, const int8_t*, int64_t,
                                    int64_t, int8_t*);
template void GatherPartOfPatch(const Conv2dGeometry&, const float*, int64_t, int64_t,
                                int64_t, float*);
template void GatherPartOfPatch(const Conv2dGeometry&, const double*, int64_t, int64_t,
                                int64_t, double*);
template int64_t PatchesAtATime<float>(const Conv2dGeometry&);
template int64_t PatchesAtATime<double>(const Conv2dGeometry&);

}  // namespace minitf
