// Convolution as a product of matrices, of which one exists nowhere.
//
//             result     left operand                     right operand
//   forward   y          [NPQ, RSC] patches of x          [RSC, K] w
//
// Element (m,k) of the patches is found by taking m and k apart: m = (n,p,q) says which
// patch and k = (r,s,c) which of its numbers. What depends on m is worked out once by a
// thread, in LineOf; what depends on k, once for four channels.
//
// Compare    cuDNN's implicit GEMM: Chetlur et al., cuDNN: Efficient Primitives for Deep
//            Learning (2014), section 3
// Read next  kernels/gpu/conv2d_gradient_tiles.cu

#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/loops.h"
#include "kernels/gpu/matmul.h"
#include "kernels/gpu/matrix_tiles.h"

namespace minitf::gpu {
namespace {

// [NPQ, RSC]: the patches of x, a line for each place.
struct Patches {
  static constexpr bool kAlongK = true;
  struct Line {
    const float* image;  // null beyond the last
    int row, column;     // of the first tap
  };

  Conv2dSizes g;
  const float* x;
  bool is_aligned;  // four channels of one pixel can be read at once

  __device__ Line LineOf(int m, int) const {
    // LAB(11.13) begin: return the image of place m, and the pixel of its first tap
    const int q = m % g.q;
    const int p = m / g.q % g.p;
    const int n = m / g.q / g.p;
    if (n >= g.n) return {nullptr, 0, 0};
    return {x + int64_t{n} * g.h * g.w * g.c, p * g.stride_h - g.pad_top,
            q * g.stride_w - g.pad_left};
    // LAB(11.13) end
  }

  __device__ float4 Load(const Line& line, int k, int k_end) const {
    // LAB(11.14) begin: return numbers k to k + 3 of the patch, 0 from k_end on
    if (line.image == nullptr || k >= k_end) return make_float4(0, 0, 0, 0);
    if (is_aligned) {
      const float* const at = PixelOf(line, k / g.c);
      return at == nullptr ? make_float4(0, 0, 0, 0)
                           : *reinterpret_cast<const float4*>(at + k % g.c);
    }
    return make_float4(One(line, k, k_end), One(line, k + 1, k_end),
                       One(line, k + 2, k_end), One(line, k + 3, k_end));
    // LAB(11.14) end
  }

  // The pixel under a tap; null outside of the image, which the line must have.
  __device__ const float* PixelOf(const Line& line, int tap) const {
    // LAB(11.13) begin: return where the channels of this pixel begin
    const int row = line.row + tap / g.s * g.dilation_h;
    const int column = line.column + tap % g.s * g.dilation_w;
    if (!g.has_pixel(row, column)) return nullptr;
    return line.image + (int64_t{row} * g.w + column) * g.c;
    // LAB(11.13) end
  }
  __device__ float One(const Line& line, int k, int k_end) const {
    if (k >= k_end) return 0;
    const float* const pixel = PixelOf(line, k / g.c);
    return pixel == nullptr ? 0 : pixel[k % g.c];
  }
};

constexpr int64_t kMaxInt = 0x7fffffff;

// All patches, as a matrix in memory with `length` numbers in a row.
__global__ void GatherPatches(Patches patches, int64_t count, int length, float* rows) {
  // LAB(11.13) begin: write all `count` numbers of the matrix
  MINITF_GPU_LOOP(i, count) {
    const auto line = patches.LineOf(static_cast<int>(i / length), 0);
    rows[i] = patches.One(line, static_cast<int>(i % length), length);
  }
  // LAB(11.13) end
}

}  // namespace

bool FitsConv2dTiles(const Conv2dSizes& g) {
  const int64_t rows = int64_t{g.n} * g.h * g.w;
  const int64_t places = int64_t{g.n} * g.p * g.q;
  const int64_t patch = int64_t{g.r} * g.s * (g.c > g.k ? g.c : g.k);
  return g.groups == 1 && rows < kMaxTileRows && places < kMaxTileRows &&
         patch < kMaxInt && int64_t{g.r} * g.s * g.c < kMaxTileRows;
}

cudaError_t LaunchConv2dTiles(const Conv2dSizes& g, const float* x, const float* w,
                              float* y, cudaStream_t stream) {
  const int patch = g.r * g.s * g.c;
  const TileResult result{y, g.n * g.p * g.q, g.k, patch, g.k, 1, 0, 0};
  return LaunchTiles(Patches{g, x, ReadsByFour(x, g.c)},
                     LinesAcrossK({w, patch, g.k, g.k, 0}), result, 1, stream);
}

cudaError_t LaunchConv2dIm2col(const Conv2dSizes& g, const float* x, const float* w,
                               float* patches, float* y, cudaStream_t stream) {
  const int length = g.r * g.s * g.c;
  const int rows = g.n * g.p * g.q;
  const int64_t count = int64_t{rows} * length;
  if (count > 0) {
    GatherPatches<<<BlocksFor(count), kBlockSize, 0, stream>>>(Patches{g, x, false},
                                                               count, length, patches);
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) return error;
  }
  return LaunchMatMul(MatMulTier::kRegisters, {rows, g.k, length}, patches, w, y, stream);
}

}  // namespace minitf::gpu
