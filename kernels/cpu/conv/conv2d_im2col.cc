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
// Exercise   exercises/09_conv
// Compare    tensorflow/core/kernels/conv_ops.cc
// Read next  kernels/cpu/conv/conv2d_implicit.cc

#include <algorithm>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

template <typename T>
struct Im2col {
  const Conv2dGeometry& g;
  const T* const x;
  const T* const w;
  T* const y;
  const RowsDone<T>& rows_done;

  void Run(ThreadPool& threads) const {
    threads.ParallelPieces(
        g.n * g.places(), g.patch_size() * g.k / 16,
        [this](int64_t begin, int64_t end) { ComputePlaces(begin, end); });
  }

  // Places [begin,end) of the result. Each thread has its own places, and its own memory
  // for patches, so the threads share nothing that is written. `rows_done` gets the rows
  // of a block while they are in the cache: a bias that is added later would have to
  // fetch them again.
  void ComputePlaces(int64_t begin, int64_t end) const {
    // LAB(09.4) begin: gather a block of patches, multiply it by the filters, and so on
    const int64_t patch_size = g.patch_size();
    const int64_t block = std::min(PatchesAtATime<T>(g), end - begin);
    const bool in_place = PatchesArePixels(g);
    Tensor room(DTypeOf<T>(), {in_place ? 0 : block * patch_size});
    T* const gathered = room.mutable_flat<T>().data();
    for (int64_t first = begin; first < end; first += block) {
      const int64_t count = std::min(block, end - first);
      if (!in_place) GatherPatches(g, x, first, first + count, gathered);
      const T* const patches = in_place ? x + first * g.c : gathered;
      MultiplyPacked<T>({count, patch_size, g.k},
                        MatrixPanels<T>({patches, patch_size, 1}, !in_place), {w, g.k, 1},
                        y + first * g.k, nullptr);
      if (rows_done) rows_done(y + first * g.k, count);
    }
    // LAB(09.4) end
  }
};

}  // namespace

template <typename T>
void Conv2dIm2col(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                  ThreadPool& threads, const RowsDone<T>& rows_done) {
  if (g.patch_size() == 0) {
    std::fill_n(y, g.n * g.places() * g.k, T(0));
    return FinishRows(g, rows_done, y, threads);
  }
  Im2col<T>{g, x, w, y, rows_done}.Run(threads);
}

template decltype(Conv2dIm2col<float>) Conv2dIm2col<float>;
template decltype(Conv2dIm2col<double>) Conv2dIm2col<double>;

}  // namespace minitf
