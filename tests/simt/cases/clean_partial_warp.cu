// A block that is no multiple of a warp, and an early return of whole warps.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Votes(int* y) {
  if (threadIdx.x >= 32) return;
  const unsigned even = __ballot_sync(0xffffffff, threadIdx.x % 2 == 0);
  y[threadIdx.x] = __popc(even) + __any_sync(0xffffffff, threadIdx.x == 9) +
                   __all_sync(0xffffffff, threadIdx.x < 64);
}
__global__ void Small(int* y) {
  const int lanes = blockDim.x;
  int sum = 1;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync((1U << lanes) - 1, sum, d & 7);
  y[threadIdx.x] = lanes;
  if (sum < 0) y[0] = 0;
}

int main() {
  Device<int> y(32);
  Votes<<<1, 48>>>(y);
  for (int i = 0; i < 32; ++i) Expect(y.Host()[i], 18);
  Small<<<1, 8>>>(y);
  Expect(y.Host(8)[7], 8);
}
