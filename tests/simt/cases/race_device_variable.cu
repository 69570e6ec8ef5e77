// A variable of the device that all write.
// EXPECT race module

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__device__ int last;
__global__ void Store(int* y) {
  last = threadIdx.x;  // LINE LINE
  y[threadIdx.x] = threadIdx.x;
}

int main() {
  Device<int> y(32);
  Store<<<1, 32>>>(y);
}
