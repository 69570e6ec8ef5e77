// The tier "im2col": gather patches, then multiply matrices.
//
// From its place (p,q) the filter sees R * S * C numbers of the image. Write them as one
// row, all places of all images below each other, and the convolution is a product of
// matrices:
//
//   patches [N*P*Q, R*S*C]  *  filters [R*S*C, K]  =  result [N*P*Q, K]
//
// A pixel is copied once for every tap that sees it, R * S times at stride 1. That buys
// the speed of a blocked matrix product. Unlike in "eigen" the matrix of patches never
// exists as a whole: a block of its rows is gathered, multiplied while it is still in the
// cache, and forgotten.
//
// Compare    tensorflow/core/kernels/conv_ops.cc
// Read next  kernels/cpu/conv/conv2d_implicit.cc

#include <algorithm>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void Conv2dIm2col(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                  ThreadPool& threads, const RowsDone<T>& rows_done) {
  const int64_t all_places = g.n * g.places();
  const int64_t patch_size = g.patch_size();
  if (patch_size == 0) {
    std::fill_n(y, all_places * g.k, T(0));
    if (rows_done) rows_done(y, all_places);
    return;
  }
  const StridedMatrix<T> filters = {w, g.k, 1};
  const int64_t block = PatchesAtATime<T>(g);

  // Each thread has its own places of the result and its own memory for patches, so the
  // threads share nothing that is written. `rows_done` gets the rows of a block while
  // they are in the cache: a bias that is added later would have to fetch them again.
  const auto work = [&](int64_t begin, int64_t end) {
    Matrix<T> scratch(PatchesArePixels(g) ? 0 : block, patch_size);
    for (int64_t first = begin; first < end; first += block) {
      StopIfAsked();
      const int64_t count = std::min(block, end - first);
      const T* patches = x + first * g.c;
      if (!PatchesArePixels(g)) {
        GatherPatches(g, x, first, first + count, scratch.data());
        patches = scratch.data();
      }
      const MatrixPanels<T> rows({patches, patch_size, 1}, !PatchesArePixels(g));
      MultiplyPacked<T>({count, patch_size, g.k}, rows, filters, y + first * g.k,
                        nullptr);
      if (rows_done) rows_done(y + first * g.k, count);
    }
  };
  threads.ParallelPieces(all_places, patch_size * g.k / 16, work);
}

template void Conv2dIm2col(const Conv2dGeometry&, const float*, const float*, float*,
                           ThreadPool&, const RowsDone<float>&);
template void Conv2dIm2col(const Conv2dGeometry&, const double*, const double*, double*,
                           ThreadPool&, const RowsDone<double>&);

}  // namespace minitf
