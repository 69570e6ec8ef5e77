// A row of a softmax a block: largest, sum, division.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Softmax(int n, const float* x, float* y) {
  __shared__ float shared[32];
  const int i = threadIdx.x;
  const float mine = x[blockIdx.x * n + i];
  shared[i] = mine;
  __syncthreads();
  float most = shared[0];
  for (int k = 1; k < n; ++k) most = fmaxf(most, shared[k]);
  __syncthreads();
  shared[i] = __expf(mine - most);
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += shared[k];
  y[blockIdx.x * n + i] = shared[i] / sum;
}

int main() {
  Device<float> x(Ones(64)), y(64);
  Softmax<<<2, 32>>>(32, x, y);
  for (const float one : y.Host()) Expect(one, 1.0F / 32);
}
