// A double of 8 bytes at a place for floats.
// EXPECT misaligned global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Copy(const float* x, double* y) {
  const double* const from = reinterpret_cast<const double*>(x + 1);
  y[threadIdx.x] = from[threadIdx.x];  // LINE
}

int main() {
  Device<float> x(Ones(66));
  Device<double> y(32);
  Copy<<<1, 32>>>(x, y);
}
