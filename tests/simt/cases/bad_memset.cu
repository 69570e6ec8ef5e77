// More bytes are set than were allocated.
// EXPECT bad-memset global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Nothing() {}

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 128);
  Nothing<<<1, 1>>>();
  cudaMemset(x, 0, 32 * 32);  // LINE
  cudaFree(x);
}
