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
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void InputGradientNaive(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                        ThreadPool& threads) {
  // LAB(10.1) begin: write all of dx [N,H,W,C], in several threads
  const int64_t tap_size = g.c / g.groups * g.k;
  // Windows overlap inside of an image, so an image is the smallest piece for a thread.
  const auto add_images = [&](int64_t begin, int64_t end) {
    std::fill(dx + begin * g.h * g.w * g.c, dx + end * g.h * g.w * g.c, T(0));
    for (int64_t place = begin * g.places(); place < end * g.places(); ++place) {
      if (place % g.q == 0) StopIfAsked();
      T* image = dx + place / g.places() * g.h * g.w * g.c;
      const T* gradient = dy + place * g.k;
      ForEachTap(g, place % g.places() / g.q, place % g.q, [&](int64_t pixel, int64_t i) {
        ForEachChannel(g, [&](int64_t c, int64_t group_c, int64_t k_0, int64_t k_1) {
          const T* filters = w + i * tap_size + group_c * g.k;
          T sum(0);
          for (int64_t k = k_0; k < k_1; ++k) sum += gradient[k] * filters[k];
          image[pixel * g.c + c] += sum;
        });
      });
    }
  };
  threads.ParallelPieces(g.n, CostOfPlace(g) * g.places(), add_images);
  // LAB(10.1) end
}

template <typename T>
void FilterGradientNaive(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                         ThreadPool& threads) {
  // LAB(10.2) begin: write all of dw [R,S,C/G,K], in several threads
  const int64_t tap_size = g.c / g.groups * g.k;
  // Every thread has taps of its own and walks through all places.
  const auto add_places = [&](int64_t begin, int64_t end) {
    std::fill(dw + begin * tap_size, dw + end * tap_size, T(0));
    for (int64_t place = 0; place < g.n * g.places(); ++place) {
      if (place % g.q == 0) StopIfAsked();
      const T* image = x + place / g.places() * g.h * g.w * g.c;
      const T* gradient = dy + place * g.k;
      ForEachTap(g, place % g.places() / g.q, place % g.q, [&](int64_t pixel, int64_t i) {
        if (i < begin || i >= end) return;
        ForEachChannel(g, [&](int64_t c, int64_t group_c, int64_t k_0, int64_t k_1) {
          const T value = image[pixel * g.c + c];
          T* filters = dw + i * tap_size + group_c * g.k;
          for (int64_t k = k_0; k < k_1; ++k) filters[k] += value * gradient[k];
        });
      });
    }
  };
  const int64_t taps = g.r * g.s;
  threads.ParallelPieces(taps, CostOfPlace(g) * g.n * g.places() / taps, add_places);
  // LAB(10.2) end
}

template decltype(InputGradientNaive<float>) InputGradientNaive<float>;
template decltype(InputGradientNaive<double>) InputGradientNaive<double>;
template decltype(FilterGradientNaive<float>) FilterGradientNaive<float>;
template decltype(FilterGradientNaive<double>) FilterGradientNaive<double>;

}  // namespace minitf
