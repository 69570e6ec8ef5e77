// A flag that some set and others ask for, only by atomics.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__global__ void Find(int n, const int* x, int wanted, int* place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == wanted && atomicAdd(place, 0) < 0) atomicExch(place, i);
}

int main() {
  std::vector<int> numbers(100);
  for (int i = 0; i < 100; ++i) numbers[i] = i % 10;
  Device<int> x(numbers), place(std::vector<int>(1, -1));
  Find<<<4, 32>>>(100, x, 7, place);
  Expect(place.Host()[0] % 10, 7);
}
