// A pair of floats in shared memory, 4 bytes too far on.
// EXPECT misaligned shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Store(float* y) {
  __shared__ float room[66];
  float2* const here = reinterpret_cast<float2*>(room + 2 * threadIdx.x + 1);
  *here = make_float2(1.0F, y[threadIdx.x]);  // LINE
  __syncthreads();
  y[threadIdx.x] = room[2 * (31 - threadIdx.x) + 2];
}

int main() {
  Device<float> y(Numbers(32));
  Store<<<1, 32>>>(y);
}
