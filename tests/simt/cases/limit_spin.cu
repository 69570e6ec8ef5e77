// A thread waits for a flag that another block would set.
// EXPECT limit -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Spin(volatile int* flag, int* y) {
  if (blockIdx.x == 0) {
    while (*flag == 0) {  // LINE
    }
    y[0] = 1;
  } else {
    y[1] = 2;
  }
}

int main() {
  Device<int> flag(std::vector<int>(1, 0)), y(2);
  Spin<<<2, 1>>>(flag, y);
}
