// A lane that its own mask does not name.
// EXPECT warp-mask -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Shuffle(int* y) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) {
    value = __shfl_sync(0xffff, value, 0);
  } else {
    value = __shfl_sync(0x7fff0000, value, 16);  // LINE
  }
  y[threadIdx.x] = value;
}

int main() {
  Device<int> y(32);
  Shuffle<<<1, 32>>>(y);
}
