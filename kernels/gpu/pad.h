// Zeros around images [N,H,W,C], and the way back.
//
// Read next  kernels/gpu/vendor/vendor_library.h

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// Images without zeros, and how many rows and columns of zeros stand around them.
struct PadSizes {
  int n = 0, h = 0, w = 0, c = 0;
  int top = 0, bottom = 0, left = 0, right = 0;
};

/// x [N,H,W,C] to y [N, top+H+bottom, left+W+right, C].
template <typename T>
cudaError_t LaunchPad(const PadSizes& sizes, const T* x, T* y, cudaStream_t stream);
/// Takes the images out of y again.
template <typename T>
cudaError_t LaunchCrop(const PadSizes& sizes, const T* y, T* x, cudaStream_t stream);

}  // namespace minitf::gpu
