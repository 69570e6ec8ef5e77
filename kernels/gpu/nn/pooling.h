// Pooling of images [N,H,W,C] and its gradients.
//
// A window sees what lies in the image; the zeros of a padding do not count, neither for
// the largest number nor for the mean. Of several equal numbers the first, row by row, is
// the largest, and gets all of the gradient. NaN is larger than any number, as on the CPU
// and in cuDNN.
//
// Read next  kernels/gpu/nn/pooling.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/conv2d.h"

namespace minitf::gpu {

/// Sizes as those of a convolution, of which pooling uses no weights: K = C.
template <typename T>
cudaError_t LaunchMaxPool(const Conv2dSizes& sizes, const T* x, T* y,
                          cudaStream_t stream);
template <typename T>
cudaError_t LaunchMaxPoolGrad(const Conv2dSizes& sizes, const T* x, const T* dy, T* dx,
                              cudaStream_t stream);
template <typename T>
cudaError_t LaunchAvgPool(const Conv2dSizes& sizes, const T* x, T* y,
                          cudaStream_t stream);
template <typename T>
cudaError_t LaunchAvgPoolGrad(const Conv2dSizes& sizes, const T* dy, T* dx,
                              cudaStream_t stream);

}  // namespace minitf::gpu
