// The gradient of Conv2D's input, by a convolution.
//
// At stride 1 it is a convolution of dy, with other zeros around it, and with the filters
// turned by 180 degrees and C and K exchanged. Any tier computes it.
//
// Compare    Dumoulin and Visin, "A guide to convolution arithmetic for deep learning",
//            arXiv:1603.07285 (2016), section 4
// Read next  kernels/cpu/conv/conv2d_filter_gradient.cc

#include <tuple>

#include "kernels/cpu/common/transpose_matrix.h"
#include "kernels/cpu/conv/conv2d.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

Conv2dGeometry Turned(const Conv2dGeometry& g) {
  Conv2dGeometry turned = g;
  // LAB(10.6) begin: change the sizes, and the zeros before the image; stride 1
  // Pixel h gets dy(p) w(r) where h = p + r - pad_top. So p = h - r + pad_top, and with
  // the taps counted from the other end, r = R - 1 - i:  p = h + i - (R - 1 - pad_top).
  std::tie(turned.h, turned.w, turned.c) = std::tuple(g.p, g.q, g.k);
  std::tie(turned.p, turned.q, turned.k) = std::tuple(g.h, g.w, g.c);
  turned.pad_top = (g.r - 1) * g.dilation_h - g.pad_top;
  turned.pad_left = (g.s - 1) * g.dilation_w - g.pad_left;
  // LAB(10.6) end
  // What is missing so that the last tap of the last place has something under it.
  turned.pad_bottom = g.h - 1 + (g.r - 1) * g.dilation_h - turned.pad_top - (g.p - 1);
  turned.pad_right = g.w - 1 + (g.s - 1) * g.dilation_w - turned.pad_left - (g.q - 1);
  return turned;
}

// w [R,S,C,K] as [R,S,K,C], turned. `threads` may help.
template <typename T>
Tensor TurnedFilters(const Conv2dGeometry& g, const T* w,
                     [[maybe_unused]] ThreadPool& threads) {
  Tensor filters(DTypeOf<T>(), {g.r, g.s, g.k, g.c});
  T* const to = filters.mutable_flat<T>().data();
  // LAB(10.6) begin: write the filters to `to`
  const int64_t size = g.c * g.k;
  const int64_t last = g.r * g.s - 1;
  threads.ParallelFor(last + 1, size / 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      TransposeMatrix(w + (last - i) * size, g.k, g.c, g.k, to + i * size, g.c);
    }
  });
  // LAB(10.6) end
  return filters;
}

}  // namespace

template <typename T>
void InputGradientTurned(decltype(Conv2dDirect<T>)* convolve, const Conv2dGeometry& g,
                         const T* w, const T* dy, T* dx, ThreadPool& threads) {
  const Tensor filters = TurnedFilters(g, w, threads);
  convolve(Turned(g), dy, filters.flat<T>().data(), dx, threads, nullptr);
}

template decltype(InputGradientTurned<float>) InputGradientTurned<float>;
template decltype(InputGradientTurned<double>) InputGradientTurned<double>;

}  // namespace minitf
