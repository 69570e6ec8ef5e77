// Convolution with a part of the image in shared memory.
//
// A block computes 8 x 8 places of one image, for 32 filters. For these places it needs
// the pixels under them and a halo around, which neighbouring places share:
//
//   stride 1, filter 3x3:   10 x 10 pixels for 8 x 8 places, each read once by the block
//                           and used up to nine times
//
// Channels come in portions of 4, so that the part fits. A thread computes one filter at
// 8 places, below each other.
//
// Read next  kernels/gpu/conv2d_tiles.cu

#include "kernels/gpu/conv2d.h"
#include "minitf/base/lab.h"

namespace minitf::gpu {
namespace {

constexpr int kPlaces = 8;    // along each axis
constexpr int kFilters = 32;  // of a block: one warp
constexpr int kChannels = 4;  // of the part in shared memory at a time

// Pixels along an axis that kPlaces places see.
__host__ __device__ int PartSize(int stride, int taps, int dilation) {
  return (kPlaces - 1) * stride + (taps - 1) * dilation + 1;
}

int64_t PartBytes(const Conv2dSizes& g) {
  return int64_t{4} * kChannels * PartSize(g.stride_h, g.r, g.dilation_h) *
         PartSize(g.stride_w, g.s, g.dilation_w);
}

// Block (32 filters, 8 columns); grid (filters, tiles of places, images).
__global__ void Conv2dShared(Conv2dSizes g, const float* x, const float* w, float* y) {
  extern __shared__ float part[];  // [rows,columns,kChannels]
  const int rows = PartSize(g.stride_h, g.r, g.dilation_h);
  const int columns = PartSize(g.stride_w, g.s, g.dilation_w);
  const int tiles_across = (g.q + kPlaces - 1) / kPlaces;
  const int first_p = static_cast<int>(blockIdx.y) / tiles_across * kPlaces;
  const int first_q = static_cast<int>(blockIdx.y) % tiles_across * kPlaces;
  const int first_row = first_p * g.stride_h - g.pad_top;
  const int first_column = first_q * g.stride_w - g.pad_left;
  const int k = static_cast<int>(blockIdx.x) * kFilters + static_cast<int>(threadIdx.x);
  const int q = static_cast<int>(threadIdx.y);
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const int num_threads = static_cast<int>(blockDim.x * blockDim.y);
  const float* const image = x + int64_t{blockIdx.z} * g.h * g.w * g.c;

  float sum[kPlaces] = {};
  // TODO(11.12) begin: sum up 8 places of filter k, with 4 channels in `part` at a time
  MINITF_TODO("11.12");
  // TODO(11.12) end
  if (k >= g.k || first_q + q >= g.q) return;
  for (int p = 0; p < kPlaces && first_p + p < g.p; ++p) {
    const int64_t place = (int64_t{blockIdx.z} * g.p + first_p + p) * g.q + first_q + q;
    y[place * g.k + k] = sum[p];
  }
}

int TilesOf(const Conv2dSizes& g) {
  return (g.p + kPlaces - 1) / kPlaces * ((g.q + kPlaces - 1) / kPlaces);
}

}  // namespace

bool FitsConv2dShared(const Conv2dSizes& sizes) {
  return sizes.groups == 1 && PartBytes(sizes) <= 48 * 1024 && sizes.n <= 65535 &&
         TilesOf(sizes) <= 65535;
}

cudaError_t LaunchConv2dShared(const Conv2dSizes& sizes, const float* x, const float* w,
                               float* y, cudaStream_t stream) {
  if (sizes.y_size() == 0) return cudaSuccess;
  const dim3 grid((sizes.k + kFilters - 1) / kFilters, TilesOf(sizes), sizes.n);
  const dim3 block(kFilters, kPlaces);
  Conv2dShared<<<grid, block, PartBytes(sizes), stream>>>(sizes, x, w, y);
  return cudaGetLastError();
}

}  // namespace minitf::gpu
