// More shared memory than a block has without being asked for.
// EXPECT bad-launch -

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Nothing() {}

int main() {
  Nothing<<<1, 32, 100 * 1024>>>();  // LINE
}
