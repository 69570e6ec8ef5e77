// The tier "im2col" of the gradients of Conv2D: products with a matrix of patches.
//
// Forward, for the matrix X of all patches, Y = X W. A small change of W or X changes L
// by
//
//   <dY, X dW>  =  <X' dY, dW>      so dL/dW = X' dY
//   <dY, dX W>  =  <dY W', dX>      so dL/dX = dY W'
//
// where the prime is the transpose. dL/dW is the gradient of the filters. dL/dX is that
// of the patches; a pixel stands in many of them, so its gradient is their sum:
// scattering, the adjoint of gathering.
//
//   x = A B C     w = X Y     y = A X + B Y     dL/dA = a X     dL/dX = A a + B b
//       (one row)                 B X + C Y     dL/dB = a Y + b X
//     dy = a b                                  dL/dC = b Y     dL/dY = B a + C b
//
// Compare    tensorflow/core/kernels/conv_grad_input_ops.cc, conv_grad_filter_ops.cc:
//            Conv2DCustomBackpropInputOp, Conv2DCustomBackpropFilterOp
// Read next  kernels/cpu/conv/conv2d_turned.cc

#include <algorithm>
#include <vector>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "minitf/base/stop.h"

namespace minitf {

template <typename T>
void InputGradientIm2col(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                         ThreadPool& threads) {
  const int64_t image_size = g.h * g.w * g.c;
  const int64_t patch_size = g.patch_size();
  if (g.places() * g.k * patch_size == 0) {
    return std::fill_n(dx, g.n * image_size, T(0)), void();
  }
  const bool in_place = PatchesArePixels(g);
  const int64_t block = PatchesAtATime<T>(g);

  // Patches overlap inside of an image, so an image is the smallest piece for a thread.
  const auto work = [&](int64_t begin, int64_t end) {
    // LAB(10.4) begin: write dx of images [begin,end), `block` patches at a time
    const Matrix<T> turned = ConstMatrixView<T>(w, patch_size, g.k).transpose();
    const StridedMatrix<T> filters = {turned.data(), patch_size, 1};  // [K,R*S*C]
    Matrix<T> scratch(in_place ? 0 : block, patch_size);
    if (!in_place) std::fill(dx + begin * image_size, dx + end * image_size, T(0));
    const int64_t last = end * g.places();
    for (int64_t first = begin * g.places(); first < last; first += block) {
      StopIfAsked();
      const int64_t count = std::min(block, last - first);
      T* patches = in_place ? dx + first * g.c : scratch.data();
      MultiplyPacked<T>({count, g.k, patch_size},
                        MatrixPanels<T>({dy + first * g.k, g.k, 1}), filters, patches,
                        nullptr);
      if (!in_place) ScatterPatches(g, patches, first, first + count, dx);
    }
    // LAB(10.4) end
  };
  threads.ParallelPieces(g.n, g.places() * patch_size * g.k / 16, work);
}

template <typename T>
void FilterGradientIm2col(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                          ThreadPool& threads) {
  const int64_t all_places = g.n * g.places();
  const int64_t patch_size = g.patch_size();
  const bool in_place = PatchesArePixels(g);
  const int64_t block = PatchesAtATime<T>(g);

  // Every place adds to the same dW. So each piece of the places has a sum of its own,
  // which one thread computes without locks; at the end they are added in a fixed order,
  // which makes the result the same at every run.
  const int64_t pieces =
      std::clamp<int64_t>(all_places / block, 1, threads.num_threads());
  std::vector<Matrix<T>> sums(pieces);
  const auto sum_piece = [&](int64_t piece) {
    const int64_t last = all_places * (piece + 1) / pieces;
    int64_t first = all_places * piece / pieces;
    // LAB(10.5) begin: set sums[piece] to X' dY of places [first,last), by blocks
    sums[piece] = Matrix<T>::Zero(patch_size, g.k);
    Matrix<T> scratch(in_place ? 0 : block, patch_size);
    for (; first < last; first += block) {
      StopIfAsked();
      const int64_t count = std::min(block, last - first);
      const T* patches = in_place ? x + first * g.c : scratch.data();
      if (!in_place) GatherPatches(g, x, first, first + count, scratch.data());
      const MatrixPanels<T> turned({patches, 1, patch_size}, !in_place);
      MultiplyPacked<T>({patch_size, count, g.k, true}, turned,
                        {dy + first * g.k, g.k, 1}, sums[piece].data(), nullptr);
    }
    // LAB(10.5) end
  };
  threads.ParallelFor(pieces, all_places * patch_size * g.k / 16 / pieces,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) sum_piece(i);
                      });

  MatrixView<T> result(dw, patch_size, g.k);
  // LAB(10.5) begin: set `result` to the sum of all sums, the same bits at every run
  result = sums[0];
  for (int64_t piece = 1; piece < pieces; ++piece) result += sums[piece];
  // LAB(10.5) end
}

template decltype(InputGradientIm2col<float>) InputGradientIm2col<float>;
template decltype(InputGradientIm2col<double>) InputGradientIm2col<double>;
template decltype(FilterGradientIm2col<float>) FilterGradientIm2col<float>;
template decltype(FilterGradientIm2col<double>) FilterGradientIm2col<double>;

}  // namespace minitf
