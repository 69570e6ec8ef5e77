// A sum by shuffles, then by one warp.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Sum(int n, const float* x, float* y) {
  __shared__ float sums[8];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x / 32 == 0) {
    sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0.0F;
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) *y = sum;
  }
}

int main() {
  const int n = 1000;
  Device<float> x(Numbers(n)), y(1);
  Sum<<<1, 256>>>(n, x, y);
  Expect(y.Host()[0], n * (n - 1) / 2.0F);
}
