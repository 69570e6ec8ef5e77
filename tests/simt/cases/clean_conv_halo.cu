// A convolution of a row with a halo in shared memory.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

constexpr int kBlock = 64, kRadius = 2;
__constant__ float filter[2 * kRadius + 1];
__global__ void Convolve(int n, const float* x, float* y) {
  __shared__ float tile[kBlock + 2 * kRadius];
  const int first = blockIdx.x * kBlock - kRadius;
  for (int i = threadIdx.x; i < kBlock + 2 * kRadius; i += kBlock) {
    const int from = first + i;
    tile[i] = from >= 0 && from < n ? x[from] : 0.0F;
  }
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += filter[k] * tile[threadIdx.x + k];
  y[i] = sum;
}

int main() {
  const int n = 150;
  const float weights[5] = {1, 1, 1, 1, 1};
  cudaMemcpyToSymbol(filter, weights, sizeof(weights));
  Device<float> x(Ones(n)), y(n);
  Convolve<<<3, kBlock>>>(n, x, y);
  Expect(y.Host()[0], 3.0F);
  Expect(y.Host()[75], 5.0F);
}
