// A vector of 16 bytes at an odd place.
// EXPECT misaligned global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Copy(const float* x, float* y) {
  const float4 v = *reinterpret_cast<const float4*>(x + 1 + 4 * threadIdx.x);  // LINE
  *reinterpret_cast<float4*>(y + 4 * threadIdx.x) = v;
}

int main() {
  Device<float> x(Numbers(64)), y(64);
  Copy<<<1, 8>>>(x, y);
}
