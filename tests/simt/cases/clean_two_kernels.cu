// Two kernels, each with a shared variable of the same name.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void First(int* x) {
  __shared__ int room[32];
  room[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = room[31 - threadIdx.x];
}
template <typename T>
__global__ void Second(T* x) {
  __shared__ T room[32];
  room[31 - threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = room[threadIdx.x];
}

int main() {
  Device<int> x(32);
  First<<<1, 32>>>(x);
  Second<<<1, 32>>>(static_cast<int*>(x));
  for (int i = 0; i < 32; ++i) Expect(x.Host()[i], i);
}
