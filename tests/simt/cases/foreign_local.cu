// A local variable is shared by its address.
// EXPECT foreign-local -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Share(int* y) {
  __shared__ int* address;
  int mine = threadIdx.x + 1;
  if (threadIdx.x == 5) address = &mine;
  __syncthreads();
  y[threadIdx.x] = *address;  // LINE
  __syncthreads();
}

int main() {
  Device<int> y(32);
  Share<<<1, 32>>>(y);
}
