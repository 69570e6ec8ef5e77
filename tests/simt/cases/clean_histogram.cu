// Counts with atomics in shared memory, then in global memory.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Count(int n, const int* x, int* counts) {
  __shared__ int mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    atomicAdd(&mine[x[i] % 16], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

int main() {
  const int n = 1600;
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  Device<int> x(numbers), counts(std::vector<int>(16, 0));
  Count<<<4, 64>>>(n, x, counts);
  for (const int count : counts.Host()) Expect(count, 100);
}
