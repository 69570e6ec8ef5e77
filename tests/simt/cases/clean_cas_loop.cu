// The largest float, by a loop of compare-and-swap.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Largest(int n, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* const bits = reinterpret_cast<int*>(y);
  int old = atomicCAS(bits, 0, 0);
  while (__int_as_float(old) < x[i]) {
    const int seen = atomicCAS(bits, old, __float_as_int(x[i]));
    if (seen == old) break;
    old = seen;
  }
}

int main() {
  Device<float> x(Numbers(100)), y(std::vector<float>(1, 0.0F));
  Largest<<<2, 64>>>(100, x, y);
  Expect(y.Host()[0], 99.0F);
}
