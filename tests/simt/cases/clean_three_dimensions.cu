// Grids and blocks of three dimensions.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Index(int* x) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  x[i] = i;
}

int main() {
  Device<int> x(24 * 12);
  Index<<<dim3(2, 3, 2), dim3(4, 3, 2)>>>(x);
  for (int i = 0; i < 288; ++i) Expect(x.Host()[i], i);
}
