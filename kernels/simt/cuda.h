// CUDA with or without a GPU: the one header that a kernel includes.
//
// nvcc compiles the file for a GPU. A C++ compiler compiles the same file for the CPU,
// where the emulator in this folder runs each thread of a block as a fiber: in fast mode
// blocks are shared out among cores, in check mode every access to memory is looked at.
//
//   __global__ void Add(int n, const float* x, float* y) {
//     const int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) y[i] += x[i];
//   }
//   ...
//   Add<<<(n + 255) / 256, 256>>>(n, x, y);
//
// `<<<...>>>` and `extern __shared__ T name[];` are no C++, so cu2cpp.py rewrites these
// two first. A file that has to do without it writes simt::Launch(Add, grid, block)(n, x,
// y) and SIMT_DYNAMIC_SHARED(T, name), which both compilers take.
//
// Differences that a program can see:
//   - a file must not define two kernels of one name, and a launch passes all arguments
//   - <cuda_fp16.h> and <cuda_bf16.h> are those of kernels/simt/include
//   - __activemask() names the calling thread alone, as if each ran by itself
//   - launches in the default stream are over when the launch returns
//   - no launches from kernels, no textures, no cooperative groups, no inline PTX
//
// Compare    CUDA C++ Programming Guide, sections 5 and 7
// Read next  kernels/simt/cuda_types.h

#pragma once

#if defined(__CUDACC__)
#include <cassert>
#include <cstdio>

#include <cuda_runtime.h>

#define SIMT_DYNAMIC_SHARED(T, name)                                    \
  extern __shared__ __align__(16) unsigned char simt_dynamic_shared_[]; \
  T* const name = reinterpret_cast<T*>(simt_dynamic_shared_)

namespace simt {

/// What `kernel<<<grid, block, dynamic_shared, stream>>>` is short for.
template <typename... Parameters>
struct Launch {
  void (*kernel)(Parameters...);
  dim3 grid, block;
  size_t dynamic_shared;
  cudaStream_t stream;

  Launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t dynamic_shared = 0,
         cudaStream_t stream = nullptr)
      : kernel(kernel),
        grid(grid),
        block(block),
        dynamic_shared(dynamic_shared),
        stream(stream) {}

  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    kernel<<<grid, block, dynamic_shared, stream>>>(arguments...);
  }
};

}  // namespace simt
#elif defined(MINITF_CUDA)
// Not a kernel, but a part of a program for a GPU that a C++ compiler compiles.
#include <cuda_runtime.h>
#else
#include "kernels/simt/cuda_api.h"
#include "kernels/simt/cuda_atomics.h"
#include "kernels/simt/cuda_math.h"
#include "kernels/simt/cuda_threads.h"
#include "kernels/simt/cuda_types.h"
#include "kernels/simt/launch.h"
#endif
