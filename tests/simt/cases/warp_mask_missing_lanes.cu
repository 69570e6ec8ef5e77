// The mask names all lanes, but half of them do not come.
// EXPECT warp-mask -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Sum(int* y) {
  int value = 1;
  if (threadIdx.x < 16) value += __shfl_down_sync(0xffffffff, value, 8);  // LINE
  y[threadIdx.x] = value;
}

int main() {
  Device<int> y(32);
  Sum<<<1, 32>>>(y);
}
