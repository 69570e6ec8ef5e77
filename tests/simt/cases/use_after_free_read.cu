// The second kernel reads what was freed after the first.
// EXPECT use-after-free global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(float* x) { x[threadIdx.x] = 1.0F; }

__global__ void Copy(const float* x, float* y) {
  const float value = x[threadIdx.x];  // LINE
  y[threadIdx.x] = value;
}

int main() {
  Device<float> y(32);
  float* x = nullptr;
  cudaMalloc(&x, 32 * sizeof(float));
  Fill<<<1, 32>>>(x);
  cudaFree(x);
  Copy<<<1, 32>>>(x, y);
}
