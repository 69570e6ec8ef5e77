// Copies of 16 bytes at a time.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Copy(int n, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    v.w += 1.0F;
    reinterpret_cast<float4*>(y)[i] = v;
  }
}

int main() {
  Device<float> x(Numbers(256)), y(256);
  Copy<<<1, 96>>>(256, x, y);
  Expect(y.Host()[3], 4.0F);
  Expect(y.Host()[4], 4.0F);
}
