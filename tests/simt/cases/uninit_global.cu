// A sum is added to what cudaMalloc returned.
// EXPECT uninit global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Accumulate(const float* x, float* y) {
  y[threadIdx.x] += x[threadIdx.x];  // LINE
}

int main() {
  Device<float> x(Numbers(32)), y(32);
  Accumulate<<<1, 32>>>(x, y);
}
