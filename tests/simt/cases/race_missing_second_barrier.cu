// A tile is overwritten while others still read it.
// EXPECT race shared 1
// EXPECT race shared 2

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

constexpr int kTile = 8;
__global__ void MatMul(int n, const float* a, const float* b, float* c) {
  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile];
  const int row = threadIdx.y, column = threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    left[row][column] = a[row * n + first + column];         // LINE 1
    right[row][column] = b[(first + row) * kTile + column];  // LINE 2
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += left[row][k] * right[k][column];  // LINE 1 2
  }
  c[row * kTile + column] = sum;
}

int main() {
  Device<float> a(Numbers(128)), b(Numbers(128)), c(64);
  MatMul<<<1, dim3(kTile, kTile)>>>(16, a, b, c);
}
