// Gathering patches, as a whole or in parts (im2col).
//
// Exercise   exercises/09_conv
// Compare    tensorflow/core/kernels/conv_grad_filter_ops.cc (Im2col)
// Read next  kernels/cpu/conv/scatter_patches.cc

#include "kernels/cpu/conv/patches.h"

#include <algorithm>

#include "kernels/cpu/conv/patch_walk.h"
#include "minitf/tensor/dtype.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// A loop and not memcpy: most runs are so short that the call would cost more.
constexpr int64_t kShortRun = 32;

template <typename T>
void CopyRun(const T* from, int64_t count, T* to) {
  if (count > kShortRun) {
    std::copy_n(from, count, to);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

}  // namespace

// A patch that sticks out over the border has zeros there. They are written each time,
// since the memory for patches is used again for the next block.
template <typename T>
void GatherPatches(const Conv2dGeometry& g, const T* x, int64_t begin, int64_t end,
                   T* patches) {
  // LAB(09.2) begin: write the patches, zeros included
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
  // LAB(09.2) end
}

// As above, for those rows of the filter that the part has something of.
template <typename T>
void GatherPartOfPatch(const Conv2dGeometry& g, const T* x, int64_t place, int64_t first,
                       int64_t last, T* part) {
  // LAB(09.5) begin: write the numbers [first,last) of the patch, zeros included
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
  // LAB(09.5) end
}

// A filter of one tap that goes to every pixel: the matrix of patches is the image, so
// nothing has to be gathered.
bool PatchesArePixels(const Conv2dGeometry& g) {
  // LAB(09.3) begin: return whether the patches are the pixels, in their order
  return g.r == 1 && g.s == 1 && g.stride_h == 1 && g.stride_w == 1 && g.pad_top == 0 &&
         g.pad_left == 0 && g.p == g.h && g.q == g.w;
  // LAB(09.3) end
}

// A block of patches is written, and read once by the product. If it fits the cache,
// memory is not touched in between. But the product needs some rows at a time to use the
// filters that it loads, so there are at least 16.
template <typename T>
int64_t PatchesAtATime(const Conv2dGeometry& g) {
  constexpr int64_t kBytes = 400'000;         // most of an L2 cache of 512 kB
  constexpr int64_t kMostBytes = 64'000'000;  // for huge patches, of which 16 would do
  // LAB(09.3) begin: return as many as fit kBytes; 16 to 1024, none beyond kMostBytes
  const int64_t patch_bytes = std::max<int64_t>(1, g.patch_size()) * sizeof(T);
  const int64_t most = std::max<int64_t>(1, kMostBytes / patch_bytes);
  return std::clamp<int64_t>(kBytes / patch_bytes, std::min<int64_t>(16, most), 1024);
  // LAB(09.3) end
}

template decltype(GatherPatches<float16>) GatherPatches<float16>;
template decltype(GatherPatches<bfloat16>) GatherPatches<bfloat16>;
template decltype(GatherPatches<float>) GatherPatches<float>;
template decltype(GatherPatches<double>) GatherPatches<double>;
template decltype(GatherPatches<int32_t>) GatherPatches<int32_t>;
template decltype(GatherPatches<int64_t>) GatherPatches<int64_t>;
template decltype(GatherPatches<uint8_t>) GatherPatches<uint8_t>;
template decltype(GatherPatches<int16_t>) GatherPatches<int16_t>;
template decltype(GatherPatches<int8_t>) GatherPatches<int8_t>;
template decltype(GatherPartOfPatch<float>) GatherPartOfPatch<float>;
template decltype(GatherPartOfPatch<double>) GatherPartOfPatch<double>;
template int64_t PatchesAtATime<float>(const Conv2dGeometry&);
template int64_t PatchesAtATime<double>(const Conv2dGeometry&);

}  // namespace minitf
