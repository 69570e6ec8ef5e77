// All threads write the same value: a note, and no error.
// EXPECT note race global

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void AnyZero(int n, const int* x, int* found) {
  if (threadIdx.x < n && x[threadIdx.x] == 0) *found = 1;  // LINE LINE
}

int main() {
  Device<int> x(std::vector<int>(32, 0)), found(std::vector<int>{0});
  AnyZero<<<1, 64>>>(32, x, found);
  Expect(found.Host()[0], 1);
}
