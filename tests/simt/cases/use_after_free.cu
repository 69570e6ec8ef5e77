// A kernel gets memory that is free.
// EXPECT use-after-free global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(float* x) {
  x[threadIdx.x] = 1.0F;  // LINE
}

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 128);
  cudaFree(x);
  Fill<<<1, 32>>>(x);
}
