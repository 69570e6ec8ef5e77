// Counts without atomics.
// EXPECT race global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Count(int n, const int* x, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) counts[x[i]] += 1;  // LINE LINE
}

int main() {
  Device<int> x(std::vector<int>(64, 3)), counts(std::vector<int>(8, 0));
  Count<<<2, 32>>>(64, x, counts);
}
