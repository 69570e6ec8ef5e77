// Matrices turned.
//
// Read next  kernels/gpu/transpose.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// x [batch,rows,columns] to y [batch,columns,rows]. `size` is that of an element: 1, 2,
/// 4, 8 or 16 bytes.
cudaError_t LaunchTranspose(int size, int64_t batch, int64_t rows, int64_t columns,
                            const void* x, void* y, cudaStream_t stream);

}  // namespace minitf::gpu
