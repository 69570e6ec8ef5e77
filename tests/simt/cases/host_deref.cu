// The host reads device memory.
// EXPECT host-deref global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(float* x) { x[threadIdx.x] = 1.0F; }

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 128);
  Fill<<<1, 32>>>(x);
  const float first = x[0];  // LINE
  Expect(first, 1.0F);
  cudaFree(x);
}
