// Vectors in shared memory, for which a compiler may keep a guard of its own.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Reverse(float* y) {
  __shared__ float4 room[32];
  room[threadIdx.x] = make_float4(1, 1, 1, 1);
  __syncthreads();
  y[threadIdx.x] = room[31 - threadIdx.x].x;
}

int main() {
  Device<float> y(32);
  Reverse<<<1, 32>>>(y);
}
