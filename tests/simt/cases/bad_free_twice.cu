// A cudaFree twice.
// EXPECT bad-free global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Nothing() {}

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 128);
  Nothing<<<1, 1>>>();
  cudaFree(x);
  cudaFree(x);  // LINE
}
