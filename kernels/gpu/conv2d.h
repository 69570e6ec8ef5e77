// Convolutions on the GPU and their two gradients, for images [N,H,W,C].
//
//   direct    a thread for each number, straight from the formula; any groups
//   shared    forward only: a block keeps its part of an image in shared memory, with the
//             halo of pixels around it that the filter reaches
//   im2col    forward only: patches become rows of a matrix in memory, and the rest is a
//             product of matrices
//   tiles     the same product, whose operands are taken from the image as they are
//             needed, so that the matrix of patches exists nowhere ("implicit GEMM")
//
// Letters and formula are those of minitf/framework/shapes/conv2d_geometry.h.
//
// Read next  kernels/gpu/conv2d_direct.cu

#pragma once

#include <compare>
#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// x [N,H,W,C], w [R,S,C/groups,K], y [N,P,Q,K]
struct Conv2dSizes {
  int n = 0, h = 0, w = 0, c = 0;
  int r = 0, s = 0, k = 0;
  int p = 0, q = 0;
  int stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_left = 0;
  int groups = 1;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 in <=> for one
  auto operator<=>(const Conv2dSizes&) const = default;

  __host__ __device__ bool has_pixel(int row, int column) const {
    return row >= 0 && row < h && column >= 0 && column < w;
  }
  __host__ __device__ int64_t x_size() const { return int64_t{n} * h * w * c; }
  __host__ __device__ int64_t w_size() const { return int64_t{r} * s * (c / groups) * k; }
  __host__ __device__ int64_t y_size() const { return int64_t{n} * p * q * k; }
};

// ---- direct ---------------------------------------------------------------------------

template <typename T>
cudaError_t LaunchConv2dDirect(const Conv2dSizes& sizes, const T* x, const T* w, T* y,
                               cudaStream_t stream);
template <typename T>
cudaError_t LaunchConv2dInputDirect(const Conv2dSizes& sizes, const T* dy, const T* w,
                                    T* dx, cudaStream_t stream);
template <typename T>
cudaError_t LaunchConv2dFilterDirect(const Conv2dSizes& sizes, const T* x, const T* dy,
                                     T* dw, cudaStream_t stream);

// ---- shared ---------------------------------------------------------------------------

/// Whether a block's part of the image fits into 48 KiB of shared memory: then the launch
/// below may be made. One group.
bool FitsConv2dShared(const Conv2dSizes& sizes);
cudaError_t LaunchConv2dShared(const Conv2dSizes& sizes, const float* x, const float* w,
                               float* y, cudaStream_t stream);

// ---- im2col ---------------------------------------------------------------------------

/// `patches` has room for N*P*Q * R*S*C numbers. One group.
cudaError_t LaunchConv2dIm2col(const Conv2dSizes& sizes, const float* x, const float* w,
                               float* patches, float* y, cudaStream_t stream);

// ---- tiles ----------------------------------------------------------------------------

/// Whether four channels of a pixel at `data` can be read at once, for all pixels.
inline bool ReadsByFour(const float* data, int channels) {
  return channels % 4 == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0;
}

/// Whether products of the sizes exist as tiles. One group, and a grid that CUDA allows.
bool FitsConv2dTiles(const Conv2dSizes& sizes);
cudaError_t LaunchConv2dTiles(const Conv2dSizes& sizes, const float* x, const float* w,
                              float* y, cudaStream_t stream);
cudaError_t LaunchConv2dInputTiles(const Conv2dSizes& sizes, const float* dy,
                                   const float* w, float* dx, cudaStream_t stream);
/// How many parts the sum over all places is cut into, so that enough blocks have work.
/// `partial` has room for that many gradients.
int Conv2dFilterSplits(const Conv2dSizes& sizes);
cudaError_t LaunchConv2dFilterTiles(const Conv2dSizes& sizes, const float* x,
                                    const float* dy, float* partial, float* dw,
                                    cudaStream_t stream);

}  // namespace minitf::gpu
