// A flag that some set and others ask for, only by atomics.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Find(int n, const int* x, int wanted, int* place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && atomicAdd(place, 0) < 0 && x[i] == wanted) atomicExch(place, i);
}

int main() {
  std::vector<int> numbers(128);
  for (int i = 0; i < 128; ++i) numbers[i] = i;
  Device<int> x(numbers), place(std::vector<int>(1, -1));
  Find<<<4, 32>>>(128, x, 77, place);
  Expect(place.Host()[0], 77);
}
