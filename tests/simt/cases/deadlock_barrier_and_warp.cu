// Some lanes wait at the barrier, the others for them.
// EXPECT deadlock -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Wait(int* y) {
  if (threadIdx.x < 16) {
    __syncthreads();  // LINE
  } else {
    __syncwarp();  // LINE
  }
  y[threadIdx.x] = 1;
}

int main() {
  Device<int> y(32);
  Wait<<<1, 32>>>(y);
}
