// A loop nest that moves elements, as in kernels/cpu/common/strided_copy.h.
//
// Read next  kernels/gpu/strided_copy.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// Loops, outermost first. Strides count elements; a stride may be 0 or negative.
struct StridedLoops {
  static constexpr int kMaxLoops = 12;
  int num_loops = 0;
  int64_t size[kMaxLoops] = {};
  int64_t from_stride[kMaxLoops] = {};
  int64_t to_stride[kMaxLoops] = {};
};

/// For every index (i, j, ...): to[i * to_stride_i + ...] = from[i * from_stride_i +
/// ...]. `size` is that of an element: 1, 2, 4, 8 or 16 bytes.
cudaError_t LaunchStridedCopy(int size, const StridedLoops& loops, const void* from,
                              void* to, cudaStream_t stream);

/// to[i] = the element that the host has at `element`, for all i below `count`.
cudaError_t LaunchFill(int size, int64_t count, const void* element, void* to,
                       cudaStream_t stream);

/// x [batch,rows,columns] to y [batch,columns,rows]; `size` as above.
cudaError_t LaunchTranspose(int size, int64_t batch, int64_t rows, int64_t columns,
                            const void* x, void* y, cudaStream_t stream);

}  // namespace minitf::gpu
