// An index that may be n: <= where < is meant.
// EXPECT oob global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(int n, float* x) {
  for (int i = threadIdx.x; i <= n; i += blockDim.x) {
    x[i] = 1.0F;  // LINE
  }
}

int main() {
  Device<float> x(1024);
  Fill<<<1, 64>>>(1024, x);
}
