// A ring of two buffers: one is filled while the other is read.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Ring(int steps, const int* x, int* y) {
  __shared__ int ring[2][32];
  int sum = 0;
  ring[0][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int next = step + 1;
    if (next < steps) ring[next % 2][threadIdx.x] = x[next * 32 + threadIdx.x];
    sum += ring[step % 2][31 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

int main() {
  Device<int> x(std::vector<int>(128, 2)), y(32);
  Ring<<<1, 32>>>(4, x, y);
  for (const int one : y.Host()) Expect(one, 8);
}
