// Lanes of a warp take it for granted that they run in step.
// EXPECT race shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Sum(int* x) {
  __shared__ int sums[32];
  const int i = threadIdx.x;
  sums[i] = x[i];
  __syncwarp();
  if (i < 16) sums[i] += sums[i + 16];  // LINE
  if (i < 8) sums[i] += sums[i + 8];    // LINE
  __syncwarp();
  x[i] = sums[i % 8];
}

int main() {
  Device<int> x(std::vector<int>(32, 1));
  Sum<<<1, 32>>>(x);
}
