// The tier "eigen": all patches into one matrix, then Eigen's product.
//
// This is how TensorFlow computed convolutions on CPUs: Eigen's SpatialConvolution
// extracts the patches and contracts them with the filters. The matrix of patches is R *
// S times as large as the images, so it comes from memory where "im2col" has it in the
// cache.
//
// Compare    tensorflow/core/kernels/eigen_spatial_convolutions.h
// Read next  kernels/cpu/conv/conv2d_im2col.cc

#include <algorithm>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

template <typename T>
void Conv2dEigen(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                 ThreadPool& threads, const RowsDone<T>& rows_done) {
  const int64_t places = g.n * g.places();
  if (g.patch_size() == 0) {
    std::fill_n(y, places * g.k, T(0));
  } else {
    Tensor patches(DTypeOf<T>(), {places, g.patch_size()});
    T* const rows = patches.mutable_flat<T>().data();
    threads.ParallelFor(places, g.patch_size() / 4 + 1, [&](int64_t begin, int64_t end) {
      GatherPatches(g, x, begin, end, rows + begin * g.patch_size());
    });
    MultiplyByEigen<T>({.m = places, .k = g.patch_size(), .n = g.k}, rows, w, y,
                       &threads);
  }
  FinishRows(g, rows_done, y, threads);
}

template decltype(Conv2dEigen<float>) Conv2dEigen<float>;
template decltype(Conv2dEigen<double>) Conv2dEigen<double>;

}  // namespace minitf
