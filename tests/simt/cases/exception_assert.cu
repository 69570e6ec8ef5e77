// An assertion that does not hold.
// EXPECT exception -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Check(const int* x) {
  assert(x[threadIdx.x] == 1);  // LINE
}

int main() {
  Device<int> x(std::vector<int>(32, 2));
  Check<<<1, 32>>>(x);
}
