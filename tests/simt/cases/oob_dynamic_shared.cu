// Half as much dynamic shared memory as is used.
// EXPECT oob shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Copy(float* x) {
  extern __shared__ float room[];
  room[threadIdx.x] = x[threadIdx.x];  // LINE
  __syncthreads();
  x[threadIdx.x] = room[threadIdx.x] + 1.0F;
}

int main() {
  Device<float> x(Numbers(64));
  Copy<<<1, 64, 32 * sizeof(float)>>>(x);
}
