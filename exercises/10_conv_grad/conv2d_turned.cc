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
#include "minitf/base/lab.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

Conv2dGeometry Turned(const Conv2dGeometry& g) {
  Conv2dGeometry turned = g;
  // TODO(10.6) begin: change the sizes, and the zeros before the image; stride 1
  MINITF_TODO("10.6");
  // TODO(10.6) end
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
  // TODO(10.6) begin: write the filters to `to`
  MINITF_TODO("10.6");
  // TODO(10.6) end
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
