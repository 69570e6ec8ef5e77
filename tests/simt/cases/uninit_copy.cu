// The result is copied, but nobody has written the last element.
// EXPECT uninit-copy global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(int n, float* x) {
  if (threadIdx.x < n - 1) x[threadIdx.x] = 1.0F;
}

int main() {
  std::vector<float> host(32);
  float* x = nullptr;
  cudaMalloc(&x, 32 * sizeof(float));
  Fill<<<1, 32>>>(32, x);
  cudaMemcpy(host.data(), x, 32 * sizeof(float), cudaMemcpyDeviceToHost);  // LINE
  cudaFree(x);
}
