// Copies that compilers leave as calls: of a size they do not know, and of large structs.

#include <cstring>

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

struct Rows {
  float x[4][64];
};

__global__ void Copy(int n, const float* from, float* to, Rows* rows) {
  if (threadIdx.x == 0) {
    memset(to, 0, n * sizeof(float));
    memcpy(to + 1, from, (n - 1) * sizeof(float));
    memmove(to, to + 2, (n - 2) * sizeof(float));
    rows[1] = rows[0];
  }
  __syncthreads();
  const int i = threadIdx.x;
  if (i < n) to[i] += rows[1].x[0][i];
}

int main() {
  const int n = 64;
  Device<float> from(Numbers(n)), to(n);
  Device<Rows> rows(2);
  Rows on_host;
  for (auto& row : on_host.x) memcpy(row, Ones(n).data(), n * sizeof(float));
  cudaMemcpy(rows, &on_host, sizeof(Rows), cudaMemcpyHostToDevice);
  Copy<<<1, 96>>>(n, from, to, rows);
  Expect(to.Host()[5], 7.0F);
}
