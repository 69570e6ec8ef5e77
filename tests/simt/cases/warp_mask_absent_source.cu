// A lane reads from one that does not take part.
// EXPECT warp-mask -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Read(int* y) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = __shfl_sync(0xffff, value, 20);  // LINE
  y[threadIdx.x] = value;
}

int main() {
  Device<int> y(32);
  Read<<<1, 32>>>(y);
}
