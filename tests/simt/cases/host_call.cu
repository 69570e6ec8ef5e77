// Kernels that do what only the host can. nvcc does not take such a file.
// EXPECT host-call - 1
// EXPECT host-call - 2
// EXPECT host-call - 3
// EXPECT host-call - 4
// EXPECT host-call - 5
// EXPECT host-call - 6
// EXPECT host-call - 7
// EXPECT host-call - 8
// EXPECT host-call - 9
// EXPECT host-call - 10
// EXPECT host-call - 11
// EXPECT host-call - 12
// EXPECT host-call - 13
// EXPECT host-call - 14
// EXPECT host-call - 15
// EXPECT host-call - 16
// EXPECT host-call - 17
// EXPECT host-call - 18
// EXPECT host-call - 19

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

__constant__ int table[4];

__global__ void Nothing() {}
template <typename T>
__global__ void Store(T* y) {
  *y = 1;
}

__global__ void CallHost(int what, int* y) {
  if (threadIdx.x != 5) return;
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  size_t size = 0;
  float time = 0;
  cudaDeviceProp properties;
  switch (what) {
    case 0: Nothing<<<1, 1>>>(); break;                               // LINE 1
    case 1: Store<<<1, 1>>>(y); break;                                // LINE 2
    case 2: cudaMalloc(&memory, 4); break;                            // LINE 3
    case 3: cudaFree(y); break;                                       // LINE 4
    case 4: cudaMemcpy(y, &what, 4, cudaMemcpyHostToDevice); break;   // LINE 5
    case 5: cudaMemset(y, 0, 4); break;                               // LINE 6
    case 6: cudaMemcpyToSymbol(table, y, 4); break;                   // LINE 7
    case 7: cudaDeviceSynchronize(); break;                           // LINE 8
    case 8: cudaStreamCreate(&stream); break;                         // LINE 9
    case 9: cudaStreamSynchronize(stream); break;                     // LINE 10
    case 10: cudaEventRecord(event); break;                           // LINE 11
    case 11: cudaDeviceReset(); break;                                // LINE 12
    case 12: cudaMemcpyAsync(y, &what, 4, cudaMemcpyDefault); break;  // LINE 13
    case 13: cudaMemsetAsync(y, 0, 4); break;                         // LINE 14
    case 14: cudaMemGetInfo(&size, &size); break;                     // LINE 15
    case 15: cudaGetDeviceProperties(&properties, 0); break;          // LINE 16
    case 16: cudaStreamQuery(stream); break;                          // LINE 17
    case 17: cudaEventQuery(event); break;                            // LINE 18
    case 18: cudaEventElapsedTime(&time, event, event); break;        // LINE 19
    default: break;
  }
}

int main() {
  for (int what = 0; what < 19; ++what) {
    int* y = nullptr;
    cudaMalloc(&y, sizeof(int));
    CallHost<<<2, 32>>>(what, y);
    Expect(cudaGetLastError(), cudaErrorLaunchFailure);
    cudaDeviceReset();
  }
}
