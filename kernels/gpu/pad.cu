// Zeros around images: a thread for each number of the padded, or of the cropped ones.
//
// Compare    tensorflow/core/kernels/pad_op_gpu.cu.cc

#include "kernels/gpu/loops.h"
#include "kernels/gpu/pad.h"

namespace minitf::gpu {
namespace {

template <typename T>
__global__ void Pad(PadSizes g, int64_t count, const T* x, T* y) {
  const int columns = g.left + g.w + g.right;
  const int rows = g.top + g.h + g.bottom;
  MINITF_GPU_LOOP(i, count) {
    const int64_t c = i % g.c;
    const int64_t column = i / g.c % columns - g.left;
    const int64_t row = i / g.c / columns % rows - g.top;
    const int64_t n = i / g.c / columns / rows;
    const bool is_inside = row >= 0 && row < g.h && column >= 0 && column < g.w;
    y[i] = is_inside ? x[((n * g.h + row) * g.w + column) * g.c + c] : T(0);
  }
}

template <typename T>
__global__ void Crop(PadSizes g, int64_t count, const T* y, T* x) {
  const int columns = g.left + g.w + g.right;
  const int rows = g.top + g.h + g.bottom;
  MINITF_GPU_LOOP(i, count) {
    const int64_t c = i % g.c;
    const int64_t column = i / g.c % g.w + g.left;
    const int64_t row = i / g.c / g.w % g.h + g.top;
    const int64_t n = i / g.c / g.w / g.h;
    x[i] = y[((n * rows + row) * columns + column) * g.c + c];
  }
}

}  // namespace

template <typename T>
cudaError_t LaunchPad(const PadSizes& g, const T* x, T* y, cudaStream_t stream) {
  const int64_t count =
      int64_t{g.n} * (g.top + g.h + g.bottom) * (g.left + g.w + g.right) * g.c;
  if (count == 0) return cudaSuccess;
  Pad<T><<<BlocksFor(count), kBlockSize, 0, stream>>>(g, count, x, y);
  return cudaGetLastError();
}

template <typename T>
cudaError_t LaunchCrop(const PadSizes& g, const T* y, T* x, cudaStream_t stream) {
  const int64_t count = int64_t{g.n} * g.h * g.w * g.c;
  if (count == 0) return cudaSuccess;
  Crop<T><<<BlocksFor(count), kBlockSize, 0, stream>>>(g, count, y, x);
  return cudaGetLastError();
}

template cudaError_t LaunchPad(const PadSizes&, const float*, float*, cudaStream_t);
template cudaError_t LaunchPad(const PadSizes&, const double*, double*, cudaStream_t);
template cudaError_t LaunchCrop(const PadSizes&, const float*, float*, cudaStream_t);
template cudaError_t LaunchCrop(const PadSizes&, const double*, double*, cudaStream_t);

}  // namespace minitf::gpu
