// Running sums by shuffles within warps, then over the sums of the warps.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__device__ float ScanWarp(float sum) {
  for (int d = 1; d < warpSize; d *= 2) {
    const float left = __shfl_up_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 >= d) sum += left;
  }
  return sum;
}

__global__ void Scan(const float* x, float* y) {
  __shared__ float sums[32];
  const int warp = threadIdx.x / 32;
  const float sum = ScanWarp(x[threadIdx.x]);
  if (threadIdx.x % 32 == 31) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const float of_warp = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0.0F;
    sums[threadIdx.x] = ScanWarp(of_warp);
  }
  __syncthreads();
  y[threadIdx.x] = sum + (warp > 0 ? sums[warp - 1] : 0.0F);
}

int main() {
  Device<float> x(Ones(256)), y(256);
  Scan<<<1, 256>>>(x, y);
  const std::vector<float> sums = y.Host();
  for (int i = 0; i < 256; ++i) Expect(sums[i], i + 1.0F);
}
