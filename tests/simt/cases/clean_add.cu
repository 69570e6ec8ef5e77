// One element a thread, with a guard for the last block.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Add(int n, const float* x, const float* y, float* z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

int main() {
  const int n = 1000;
  Device<float> x(Numbers(n)), y(Numbers(n)), z(n);
  Add<<<(n + 255) / 256, 256>>>(n, x, y, z);
  for (int i = 0; i < n; ++i) Expect(z.Host()[i], 2.0F * i);
}
