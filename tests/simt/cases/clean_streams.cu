// Work in two streams, ordered by an event.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Add(int n, int more, int* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += more;
}

int main() {
  Device<int> x(std::vector<int>(100, 1));
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t done;
  cudaEventCreate(&done);
  Add<<<2, 64, 0, first>>>(100, 2, x);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done, 0);
  Add<<<2, 64, 0, second>>>(100, 3, x);
  cudaStreamSynchronize(second);
  for (const int one : x.Host()) Expect(one, 6);
  cudaEventDestroy(done);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
