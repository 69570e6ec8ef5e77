// Products of matrices of bfloat16 on tensor cores: the fourth tier of
// kernels/gpu/matmul.h, for machines with a card.
//
// Read next  kernels/gpu/vendor/matmul_tensor_cores.cu

#pragma once

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// Whether the launch below may be made: N and K are multiples of 8, so that 16 bytes at
/// a time can be copied.
bool FitsTensorCores(int m, int n, int k);

/// C [M,N] = A [M,K] B [K,N], row-major, aligned to 16 bytes. Elements are bfloat16, sums
/// float32. For cards from compute capability 8.0 on.
cudaError_t LaunchMatMulTensorCores(int m, int n, int k, const void* a, const void* b,
                                    void* c, cudaStream_t stream);

}  // namespace minitf::gpu
