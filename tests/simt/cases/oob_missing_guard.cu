// The last block has threads too many.
// EXPECT oob global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Scale(int n, float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= 2.0F;  // LINE
}

int main() {
  Device<float> x(Numbers(100));
  Scale<<<2, 64>>>(100, x);
}
