// A block reads what another has written in the same launch.
// EXPECT race global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Shift(int n, const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];                                               // LINE
  if (threadIdx.x == 0 && blockIdx.x > 0) y[i] += y[i - 1];  // LINE
}

int main() {
  Device<int> x(std::vector<int>(64, 3)), y(std::vector<int>(64, 0));
  Shift<<<2, 32>>>(64, x, y);
}
