// A product of matrices by tiles in shared memory.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

template <int kTile>
__global__ void MatMul(int n, const float* a, const float* b, float* c) {
  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 32;
  Device<float> a(Numbers(n * n)), b(Ones(n * n)), c(n * n);
  MatMul<8><<<dim3(n / 8, n / 8), dim3(8, 8)>>>(n, a, b, c);
  for (int i = 0; i < n; ++i) Expect(c.Host()[i * n], n * (i * n + (n - 1) / 2.0F));
}
