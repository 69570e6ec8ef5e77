// A cudaMalloc that was forgotten.
// EXPECT null-pointer global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(float* x) {
  x[threadIdx.x] = 1.0F;  // LINE
}

int main() {
  float* x = nullptr;
  Fill<<<1, 32>>>(x);
}
