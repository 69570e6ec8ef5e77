// A ring of a single row is filled again while it is read.
// EXPECT race shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Rotate(int rounds, const float* x, float* y) {
  __shared__ float ring[1][64];
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    ring[0][threadIdx.x] = x[round * 64 + threadIdx.x];  // LINE
    __syncthreads();
    sum += ring[0][63 - threadIdx.x];  // LINE
  }
  y[threadIdx.x] = sum;
}

int main() {
  Device<float> x(Ones(4 * 64)), y(64);
  Rotate<<<1, 64>>>(4, x, y);
}
