// The last block to arrive adds up the sums of all: a fence and an atomic.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__device__ unsigned arrived = 0;
__global__ void Sum(const float* x, float* sums, float* y) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = x[2 * blockIdx.x] + x[2 * blockIdx.x + 1];
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += sums[i];
    *y = sum;
  }
}

int main() {
  Device<float> x(Numbers(16)), sums(8), y(1);
  Sum<<<8, 32>>>(x, sums, y);
  Expect(y.Host()[0], 120.0F);
}
