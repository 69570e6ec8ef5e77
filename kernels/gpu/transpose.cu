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

namespace minitf::gpu {
namespace {

constexpr int kSide = 32;
constexpr int kThreadRows = 8;

template <typename T>
__global__ void TransposeTiles(int64_t batch, int64_t rows, int64_t columns, const T* x,
                               T* y) {
  // LAB(11.2) begin: y [batch,columns,rows] = x [batch,rows,columns], tile by tile
  __shared__ T tile[kSide][kSide + 1];
  const int64_t across = (columns + kSide - 1) / kSide;
  const int64_t down = (rows + kSide - 1) / kSide;
  for (int64_t block = blockIdx.x; block < batch * down * across; block += gridDim.x) {
    const int64_t offset = block / across / down * rows * columns;
    const int64_t first_row = block / across % down * kSide;
    const int64_t first_column = block % across * kSide;
    for (int i = threadIdx.y; i < kSide; i += kThreadRows) {
      const int64_t row = first_row + i;
      const int64_t column = first_column + threadIdx.x;
      if (row < rows && column < columns) {
        tile[i][threadIdx.x] = x[offset + row * columns + column];
      }
    }
    __syncthreads();
    for (int i = threadIdx.y; i < kSide; i += kThreadRows) {
      const int64_t column = first_column + i;
      const int64_t row = first_row + threadIdx.x;
      if (row < rows && column < columns) {
        y[offset + column * rows + row] = tile[threadIdx.x][i];
      }
    }
    __syncthreads();
  }
  // LAB(11.2) end
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
