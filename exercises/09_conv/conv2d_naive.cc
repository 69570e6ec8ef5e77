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
#include "minitf/base/lab.h"

namespace minitf {
namespace {

// Writes the K numbers of y at `place`, counted through all images.
template <typename T>
void ComputePlace(const Conv2dGeometry& g, const T* x, const T* w, int64_t place, T* y) {
  // TODO(09.1) begin: write them: sums over the taps, and over the channels of the group
  MINITF_TODO("09.1");
  // TODO(09.1) end
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
