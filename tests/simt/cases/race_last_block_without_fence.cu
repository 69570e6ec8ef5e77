// The sums of other blocks are read without a fence.
// EXPECT race global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__device__ unsigned arrived = 0;
__global__ void Sum(const float* x, float* sums, float* y) {
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = x[blockIdx.x];  // LINE
  if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += sums[i];  // LINE
    *y = sum;
  }
}

int main() {
  Device<float> x(Numbers(8)), sums(8), y(1);
  Sum<<<8, 32>>>(x, sums, y);
}
