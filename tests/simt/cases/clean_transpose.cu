// A transpose through a tile whose rows are one longer.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

constexpr int kTile = 16;
__global__ void Transpose(int n, const float* x, float* y) {
  __shared__ float tile[kTile][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x[row * n + column];
  __syncthreads();
  y[(blockIdx.x * kTile + threadIdx.y) * n + blockIdx.y * kTile + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int n = 32;
  Device<float> x(Numbers(n * n)), y(n * n);
  Transpose<<<dim3(2, 2), dim3(kTile, kTile)>>>(n, x, y);
  const std::vector<float> found = y.Host();
  for (int i = 0; i < n * n; ++i) Expect(found[i], 1.0F * (i % n * n + i / n));
}
