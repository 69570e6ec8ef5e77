// Sums of all elements up to each, in two buffers by turns.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Scan(const int* x, int* y) {
  __shared__ int sums[2][64];
  int now = 0;
  sums[0][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    const int i = threadIdx.x;
    sums[1 - now][i] = sums[now][i] + (i >= d ? sums[now][i - d] : 0);
    now = 1 - now;
    __syncthreads();
  }
  y[threadIdx.x] = sums[now][threadIdx.x];
}

int main() {
  Device<int> x(std::vector<int>(64, 1)), y(64);
  Scan<<<1, 64>>>(x, y);
  for (int i = 0; i < 64; ++i) Expect(y.Host()[i], i + 1);
}
