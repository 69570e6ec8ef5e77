// A sum by halves in dynamic shared memory.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Sum(int n, const float* x, float* y) {
  extern __shared__ float sums[];
  const int i = threadIdx.x;
  sums[i] = i < n ? x[i] : 0.0F;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (i < half) sums[i] += sums[i + half];
    __syncthreads();
  }
  if (i == 0) *y = sums[0];
}

int main() {
  const int n = 200;
  Device<float> x(Numbers(n)), y(1);
  Sum<<<1, 256, 256 * sizeof(float)>>>(n, x, y);
  Expect(y.Host()[0], n * (n - 1) / 2.0F);
}
