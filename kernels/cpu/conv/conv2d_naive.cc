// The tier "naive": the formula of a convolution, loop by loop. What the faster tiers are
// compared with, and the only one that computes groups.
//
// The innermost loop runs along K, where w and y are contiguous.
//
// Exercise   exercises/09_conv
// Op         minitf/ops/nn/nn_ops.cc
// Read next  kernels/cpu/conv/conv2d_naive_gradients.cc

#include <algorithm>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"

namespace minitf {
namespace {

// Writes the K numbers of y at `place`, counted through all images.
template <typename T>
void ComputePlace(const Conv2dGeometry& g, const T* x, const T* w, int64_t place, T* y) {
  // LAB(09.1) begin: write them: sums over the taps, and over the channels of the group
  const int64_t group_c = g.c / g.groups;
  const int64_t group_k = g.k / g.groups;
  const T* const image = x + place / g.places() * g.h * g.w * g.c;
  T* const result = y + place * g.k;
  std::fill_n(result, g.k, T(0));
  ForEachTap(g, place % g.places() / g.q, place % g.q, [&](int64_t pixel, int64_t i) {
    const T* value = image + pixel * g.c;
    for (int64_t group = 0; group < g.groups; ++group) {
      T* const sums = result + group * group_k;
      const T* filters = w + i * group_c * g.k + group * group_k;
      for (int64_t c = 0; c < group_c; ++c, ++value, filters += g.k) {
        for (int64_t k = 0; k < group_k; ++k) sums[k] += *value * filters[k];
      }
    }
  });
  // LAB(09.1) end
}

}  // namespace

template <typename T>
void Conv2dNaive(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                 ThreadPool& threads, const RowsDone<T>& rows_done) {
  threads.ParallelFor(g.n * g.places(), CostOfPlace(g), [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; ++place) ComputePlace(g, x, w, place, y);
  });
  FinishRows(g, rows_done, y, threads);
}

template decltype(Conv2dNaive<float>) Conv2dNaive<float>;
template decltype(Conv2dNaive<double>) Conv2dNaive<double>;

}  // namespace minitf
