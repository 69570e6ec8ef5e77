// A cudaMalloc of as many bytes as there are elements.
// EXPECT oob global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(int n, float* x) {
  if (threadIdx.x < n) x[threadIdx.x] = 1.0F;  // LINE
}

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 64);
  Fill<<<1, 64>>>(64, x);
  cudaFree(x);
}
