// Scattering patches (col2im): the adjoint of gathering them.
//
// The same walk as in patches.cc, with the arrows reversed. A pixel is in up to R * S
// patches, so numbers are added to it, and what lies over the border is dropped.
//
// Compare    tensorflow/core/kernels/conv_grad_input_ops.cc (Col2im)
// Read next  kernels/cpu/conv/conv2d_im2col_gradients.cc

#include "kernels/cpu/conv/patches.h"
#include "minitf/base/lab.h"

namespace minitf {
namespace {

template <typename T>
void AddRun(const T* __restrict from, int64_t count, T* __restrict to) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

// Adds the patch [R,S,C] of the place (p,q) to `image` [H,W,C].
template <typename T>
void ScatterPatch(const Conv2dGeometry& g, int64_t p, int64_t q, const T* patch,
                  T* image) {
  // TODO(10.3) begin: add what lies inside of the image; AddRun adds numbers side by side
  MINITF_TODO("10.3");
  // TODO(10.3) end
}

}  // namespace

template <typename T>
void ScatterPatches(const Conv2dGeometry& g, const T* patches, int64_t begin, int64_t end,
                    T* x) {
  for (int64_t place = begin; place < end; ++place) {
    const int64_t in_image = place % g.places();
    ScatterPatch(g, in_image / g.q, in_image % g.q,
                 patches + (place - begin) * g.patch_size(),
                 x + place / g.places() * g.h * g.w * g.c);
  }
}

template decltype(ScatterPatches<float>) ScatterPatches<float>;
template decltype(ScatterPatches<double>) ScatterPatches<double>;

}  // namespace minitf
