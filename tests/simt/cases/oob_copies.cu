// Too many bytes in copies that compilers leave as calls, one in each launch.
// EXPECT oob global 1
// EXPECT oob global 2
// EXPECT oob global 3
// EXPECT oob shared 4
// EXPECT uninit global 5

#include <cstring>

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Copy(int what, int size, float* x, float* y) {
  __shared__ float room[16];
  if (threadIdx.x != 0) return;
  switch (what) {
    case 0: memset(x + 1, 0, size); break;                 // LINE 1
    case 1: memcpy(y, x, size + 4); break;                 // LINE 2
    case 2: memmove(x + 1, x, size); break;                // LINE 3
    case 3: memcpy(room, x, size), x[0] = room[1]; break;  // LINE 4
    case 4: memcpy(x, y, size), y[0] = 0; break;           // LINE 5
    default: break;
  }
}

int main() {
  const int size = 64 * sizeof(float);
  for (int what = 0; what < 5; ++what) {
    float *x = nullptr, *y = nullptr;
    cudaMalloc(&x, size);
    cudaMalloc(&y, size);
    cudaMemset(x, 0, size);
    Copy<<<1, 32>>>(what, size, x, y);
    Expect(cudaGetLastError() != cudaSuccess, what < 4);
    cudaDeviceReset();
  }
}
