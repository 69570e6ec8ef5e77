// More elements than threads; fewer threads than a warp in the last.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Scale(int n, float factor, float* x) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    x[i] *= factor;
  }
}

int main() {
  const int n = 777;
  Device<float> x(Numbers(n));
  Scale<<<3, 50>>>(n, 3.0F, x);
  for (int i = 0; i < n; ++i) Expect(x.Host()[i], 3.0F * i);
}
