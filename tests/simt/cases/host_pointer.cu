// A pointer to memory of the host.
// EXPECT host-pointer global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Fill(float* x) {
  x[threadIdx.x] = 1.0F;  // LINE
}

int main() {
  std::vector<float> x(32);
  Fill<<<1, 32>>>(x.data());
}
