// The left neighbour of the first element.
// EXPECT oob global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Differences(int n, const float* x, float* y) {
  const int i = threadIdx.x;
  if (i < n) y[i] = x[i] - x[i - 1];  // LINE
}

int main() {
  Device<float> x(Numbers(32)), y(32);
  Differences<<<1, 32>>>(32, x, y);
}
