// The kind of a copy does not fit the pointers.
// EXPECT bad-memcpy global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Nothing() {}

int main() {
  std::vector<float> host(32);
  float* x = nullptr;
  cudaMalloc(&x, 128);
  Nothing<<<1, 1>>>();
  cudaMemcpy(x, host.data(), 128, cudaMemcpyDeviceToHost);  // LINE
  cudaFree(x);
}
