// A neighbour's element is read before it is surely written.
// EXPECT race shared
// EXPECT may uninit shared

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Reverse(int* x) {
  __shared__ int room[64];
  room[threadIdx.x] = x[threadIdx.x];              // LINE
  x[threadIdx.x] = room[(threadIdx.x + 33) % 64];  // LINE
}

int main() {
  Device<int> x(std::vector<int>(64, 1));
  Reverse<<<1, 64>>>(x);
}
