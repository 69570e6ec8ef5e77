// A copy of more bytes than were allocated.
// EXPECT bad-memcpy global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Nothing() {}

int main() {
  std::vector<float> host(64);
  float* x = nullptr;
  cudaMalloc(&x, 128);
  Nothing<<<1, 1>>>();
  cudaMemcpy(x, host.data(), 256, cudaMemcpyHostToDevice);  // LINE
  cudaFree(x);
}
