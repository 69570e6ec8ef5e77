// Numbers of 16 bits to floats and back, on a card.
//
// Read next  kernels/gpu/pad.h

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// y[i] = x[i] for all i below `count`, exactly; x holds bfloat16, or else float16.
cudaError_t LaunchWiden(bool is_bfloat16, int64_t count, const void* x, float* y,
                        cudaStream_t stream);

/// y[i] = x[i], rounded to the nearest, of two to the even one.
cudaError_t LaunchNarrow(bool is_bfloat16, int64_t count, const float* x, void* y,
                         cudaStream_t stream);

}  // namespace minitf::gpu
