// An index runs from one row of a tile into the next: no tool sees that on a GPU.
// EXPECT oob shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Tile(float* y) {
  __shared__ float tile[8][8];
  tile[threadIdx.y][threadIdx.x + 1] = 1.0F;  // LINE
  __syncthreads();
  y[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

int main() {
  Device<float> y(64);
  Tile<<<1, dim3(8, 8)>>>(y);
}
