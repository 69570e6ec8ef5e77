// One kernel for several types and sizes of block.

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

template <typename T, int kThreads>
__global__ void Reverse(const T* x, T* y) {
  __shared__ T room[kThreads];
  const int begin = blockIdx.x * kThreads;
  room[threadIdx.x] = x[begin + threadIdx.x];
  __syncthreads();
  y[begin + threadIdx.x] = room[kThreads - 1 - threadIdx.x];
}

template <typename T, int kThreads>
void Check() {
  std::vector<T> numbers(2 * kThreads);
  for (int i = 0; i < 2 * kThreads; ++i) numbers[i] = static_cast<T>(i);
  Device<T> x(numbers), y(2 * kThreads);
  Reverse<T, kThreads><<<2, kThreads>>>(x, y);
  Expect(y.Host()[0], static_cast<T>(kThreads - 1));
  Expect(y.Host()[kThreads], static_cast<T>(2 * kThreads - 1));
}

int main() {
  Check<float, 32>();
  Check<double, 64>();
  Check<int, 48>();
}
