// A warp shares by shared memory, with __syncwarp between.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Rotate(int* x) {
  __shared__ int room[64];
  const int warp = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
  room[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  const int other = room[warp + (lane + 1) % 32];
  __syncwarp();
  room[threadIdx.x] = other + 1;
  __syncwarp();
  x[threadIdx.x] = room[warp + (lane + 31) % 32];
}

int main() {
  Device<int> x(std::vector<int>(64, 5));
  Rotate<<<1, 64>>>(x);
  for (const int one : x.Host()) Expect(one, 6);
}
