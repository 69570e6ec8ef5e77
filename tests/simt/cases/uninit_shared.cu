// Only the first half of a tile is filled.
// EXPECT uninit shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Copy(const float* x, float* y) {
  __shared__ float tile[64];
  if (threadIdx.x < 32) tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];  // LINE
}

int main() {
  Device<float> x(Numbers(64)), y(64);
  Copy<<<1, 64>>>(x, y);
}
