// Memory that nobody frees.
// EXPECT leak global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(float* x) { x[threadIdx.x] = 1.0F; }

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 128);  // LINE
  Fill<<<1, 32>>>(x);
}
