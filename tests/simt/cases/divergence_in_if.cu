// A barrier in each branch of an if.
// EXPECT barrier-divergence -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Branch(int* y) {
  if (threadIdx.x < 16) {
    y[threadIdx.x] = 1;
    __syncthreads();  // LINE
  } else {
    y[threadIdx.x] = 2;
    __syncthreads();  // LINE
  }
}

int main() {
  Device<int> y(32);
  Branch<<<1, 32>>>(y);
}
