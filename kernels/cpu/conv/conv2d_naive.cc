// The tier "naive": convolution as loops. The formula, readable, and what the faster
// tiers are compared with.
//
// Through the places (n,p,q) and the taps (r,s) inside of the image goes y += x * w, for
// all c and k. The innermost loop runs along K, where w and y are contiguous.
//
// Op         minitf/ops/nn/nn_ops.cc
// Read next  kernels/cpu/conv/conv2d_eigen.cc

#include <algorithm>

#include "kernels/cpu/conv/channel_groups.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"

namespace minitf {

template <typename T>
void Conv2dNaive(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                 ThreadPool& threads, const RowsDone<T>& rows_done) {
  const int64_t tap_size = g.c / g.groups * g.k;
  const auto work = [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; ++place) {
      const T* image = x + place / g.places() * g.h * g.w * g.c;
      T* result = y + place * g.k;
      std::fill_n(result, g.k, T(0));
      ForEachTap(g, place % g.places() / g.q, place % g.q, [&](int64_t pixel, int64_t i) {
        ForEachChannel(g, [&](int64_t c, int64_t group_c, int64_t k_0, int64_t k_1) {
          const T value = image[pixel * g.c + c];
          const T* filters = w + i * tap_size + group_c * g.k;
          for (int64_t k = k_0; k < k_1; ++k) result[k] += value * filters[k];
        });
      });
    }
  };
  threads.ParallelFor(g.n * g.places(), CostOfPlace(g), work);
  FinishRows(g, rows_done, y, threads);
}

template void Conv2dNaive(const Conv2dGeometry&, const float*, const float*, float*,
                          ThreadPool&, const RowsDone<float>&);
template void Conv2dNaive(const Conv2dGeometry&, const double*, const double*, double*,
                          ThreadPool&, const RowsDone<double>&);
}  // namespace minitf
