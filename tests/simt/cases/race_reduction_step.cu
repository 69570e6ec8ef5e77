// The barrier stands outside of the loop.
// EXPECT race shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Sum(int* x) {
  __shared__ int sums[128];
  const int i = threadIdx.x;
  sums[i] = x[i];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (i < half) sums[i] += sums[i + half];  // LINE LINE
  }
  __syncthreads();
  if (i == 0) x[0] = sums[0];
}

int main() {
  Device<int> x(std::vector<int>(128, 1));
  Sum<<<1, 128>>>(x);
}
