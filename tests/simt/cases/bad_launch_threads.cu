// A block of 2048 threads.
// EXPECT bad-launch -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Nothing() {}

int main() {
  Nothing<<<1, 2048>>>();  // LINE
}
