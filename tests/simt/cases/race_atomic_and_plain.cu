// Atomics by some, a plain read by others.
// EXPECT race global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Count(int* total, int* y) {
  atomicAdd(total, 1);      // LINE
  y[threadIdx.x] = *total;  // LINE
}

int main() {
  Device<int> total(std::vector<int>(1, 0)), y(32);
  Count<<<1, 32>>>(total, y);
}
