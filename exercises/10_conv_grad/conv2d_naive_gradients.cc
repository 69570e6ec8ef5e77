// The tier "naive" of the gradients of Conv2D, as loops.
//
// Both walk through the places (n,p,q) and the taps (r,s) inside of the image, and have
// the same three tensors in hand as the forward form y += x * w, of which two are given:
//
//   input     dx += dy * w      for all c, k
//   filter    dw += x  * dy
//
// Read next  kernels/cpu/conv/scatter_patches.cc

#include <algorithm>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "minitf/base/lab.h"
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void InputGradientNaive(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                        ThreadPool& threads) {
  // TODO(10.1) begin: write all of dx [N,H,W,C], in several threads
  MINITF_TODO("10.1");
  // TODO(10.1) end
}

template <typename T>
void FilterGradientNaive(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                         ThreadPool& threads) {
  // TODO(10.2) begin: write all of dw [R,S,C/G,K], in several threads
  MINITF_TODO("10.2");
  // TODO(10.2) end
}

template decltype(InputGradientNaive<float>) InputGradientNaive<float>;
template decltype(InputGradientNaive<double>) InputGradientNaive<double>;
template decltype(FilterGradientNaive<float>) FilterGradientNaive<float>;
template decltype(FilterGradientNaive<double>) FilterGradientNaive<double>;

}  // namespace minitf
