// Some threads return before the barrier.
// EXPECT barrier-divergence -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Guarded(int n, int* y) {
  if (threadIdx.x >= n) return;
  y[threadIdx.x] = 1;
  __syncthreads();  // LINE
  y[threadIdx.x] += 1;
}

int main() {
  Device<int> y(32);
  Guarded<<<1, 32>>>(20, y);
}
