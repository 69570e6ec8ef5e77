// Transposes by tiles in shared memory.
//
// A matrix that is turned is read along rows and written along columns, and whichever a
// warp does side by side, the other goes to 32 different sectors. So a block brings a
// tile of 32 x 32 into shared memory along its rows, and takes it out along its columns:
// both accesses to global memory are side by side, and the turn happens in shared memory.
// A row there is one number longer, so that a column meets 32 different banks.
//
// Compare    Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA (2009)
// Read next  kernels/gpu/conv2d_direct.cu

#include "kernels/gpu/strided_copy.h"
#include "minitf/base/lab.h"

namespace minitf::gpu {
namespace {

constexpr int kSide = 32;
constexpr int kThreadRows = 8;

template <typename T>
__global__ void TransposeTiles(int64_t batch, int64_t rows, int64_t columns, const T* x,
                               T* y) {
  // TODO(11.2) begin: y [batch,columns,rows] = x [batch,rows,columns], tile by tile
  MINITF_TODO("11.2");
  // TODO(11.2) end
}

}  // namespace

cudaError_t LaunchTranspose(int size, int64_t batch, int64_t rows, int64_t columns,
                            const void* x, void* y, cudaStream_t stream) {
  if (batch * rows * columns == 0) return cudaSuccess;
  const int64_t tiles =
      batch * ((rows + kSide - 1) / kSide) * ((columns + kSide - 1) / kSide);
  return WithElementsOf(size, [&]<typename T>() {
    TransposeTiles<T><<<BlocksFor(tiles, 1), dim3(kSide, kThreadRows), 0, stream>>>(
        batch, rows, columns, static_cast<const T*>(x), static_cast<T*>(y));
    return cudaGetLastError();
  });
}

}  // namespace minitf::gpu
