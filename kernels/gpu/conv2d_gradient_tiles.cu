// The gradients of a convolution as products of matrices, of which some exist nowhere.
//
//             result     left operand                     right operand
//   input     dx         [NHW, RSK] patches of dy         [RSK, C] w, with C and K
//             changed
//   filter    dw         [RSC, NPQ] patches of x, turned  [NPQ, K] dy
//
// Operands are found in the image as those of conv2d_tiles.cu are.
//
// Compare    kernels/cpu/conv/conv2d_turned.cc
// Read next  kernels/gpu/nn/pooling.h

#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/matrix_tiles.h"
#include "kernels/gpu/reduction.h"

namespace minitf::gpu {
namespace {

// [NHW, RSK]: for each pixel of dx the numbers of dy at the places that see it, tap by
// tap.
struct PatchesOfGradient {
  static constexpr bool kAlongK = true;
  struct Line {
    const float* image;  // of dy; null beyond the last
    int row, column;     // of the pixel, counted from the first zero of the padding
  };

  Conv2dSizes g;
  const float* dy;
  bool is_aligned;

  __device__ Line LineOf(int m, int) const {
    const int column = m % g.w;
    const int row = m / g.w % g.h;
    const int n = m / g.w / g.h;
    if (n >= g.n) return {nullptr, 0, 0};
    return {dy + int64_t{n} * g.p * g.q * g.k, row + g.pad_top, column + g.pad_left};
  }

  __device__ float4 Load(const Line& line, int k, int k_end) const {
    if (line.image == nullptr || k >= k_end) return make_float4(0, 0, 0, 0);
    if (is_aligned) {
      const float* const at = PlaceOf(line, k / g.k);
      return at == nullptr ? make_float4(0, 0, 0, 0)
                           : *reinterpret_cast<const float4*>(at + k % g.k);
    }
    return make_float4(One(line, k, k_end), One(line, k + 1, k_end),
                       One(line, k + 2, k_end), One(line, k + 3, k_end));
  }

  // dy at the place whose tap falls on the pixel; null if there is none.
  __device__ const float* PlaceOf(const Line& line, int tap) const {
    const int row = line.row - tap / g.s * g.dilation_h;
    const int column = line.column - tap % g.s * g.dilation_w;
    if (row < 0 || column < 0) return nullptr;
    if (row % g.stride_h != 0 || column % g.stride_w != 0) return nullptr;
    const int p = row / g.stride_h;
    const int q = column / g.stride_w;
    if (p >= g.p || q >= g.q) return nullptr;
    return line.image + (int64_t{p} * g.q + q) * g.k;
  }
  __device__ float One(const Line& line, int k, int k_end) const {
    if (k >= k_end) return 0;
    const float* const at = PlaceOf(line, k / g.k);
    return at == nullptr ? 0 : at[k % g.k];
  }
};

// [RSK, C]: w [R,S,C,K] with C and K changed, a line for each channel.
struct TurnedFilter {
  static constexpr bool kAlongK = true;
  using Line = int;

  Conv2dSizes g;
  const float* w;
  bool is_aligned;

  __device__ Line LineOf(int c, int) const { return c; }
  __device__ float4 Load(int c, int k, int k_end) const {
    if (c >= g.c || k >= k_end) return make_float4(0, 0, 0, 0);
    if (is_aligned) return *reinterpret_cast<const float4*>(At(c, k));
    return make_float4(*At(c, k), k + 1 < k_end ? *At(c, k + 1) : 0,
                       k + 2 < k_end ? *At(c, k + 2) : 0,
                       k + 3 < k_end ? *At(c, k + 3) : 0);
  }
  __device__ const float* At(int c, int k) const {
    return w + (int64_t{k} / g.k * g.c + c) * g.k + k % g.k;
  }
};

// [RSC, NPQ]: the patches of x, turned: a line for each number of a patch, and the places
// are along k.
struct TurnedPatches {
  static constexpr bool kAlongK = false;
  struct Line {
    int row, column;  // of the tap, from the place's first pixel
    int c;            // of the first of four channels
    int m;
  };

  Conv2dSizes g;
  const float* x;
  bool is_aligned;

  __device__ Line LineOf(int m, int) const {
    const int tap = m / g.c;
    return {tap / g.s * g.dilation_h, tap % g.s * g.dilation_w, m % g.c, m};
  }

  __device__ float4 Load(const Line& line, int k, int k_end) const {
    if (k >= k_end || line.m >= g.r * g.s * g.c) return make_float4(0, 0, 0, 0);
    const int q = k % g.q;
    const int p = k / g.q % g.p;
    const float* const image = x + int64_t{k} / g.q / g.p * g.h * g.w * g.c;
    const int row = p * g.stride_h - g.pad_top;
    const int column = q * g.stride_w - g.pad_left;
    if (is_aligned) {
      if (!g.has_pixel(row + line.row, column + line.column)) {
        return make_float4(0, 0, 0, 0);
      }
      return *reinterpret_cast<const float4*>(
          image + (int64_t{row + line.row} * g.w + column + line.column) * g.c + line.c);
    }
    return make_float4(
        One(image, row, column, line.m), One(image, row, column, line.m + 1),
        One(image, row, column, line.m + 2), One(image, row, column, line.m + 3));
  }

  __device__ float One(const float* image, int row, int column, int m) const {
    const int tap = m / g.c;
    row += tap / g.s * g.dilation_h;
    column += tap % g.s * g.dilation_w;
    if (tap >= g.r * g.s || !g.has_pixel(row, column)) return 0;
    return image[(int64_t{row} * g.w + column) * g.c + m % g.c];
  }
};

}  // namespace

cudaError_t LaunchConv2dInputTiles(const Conv2dSizes& g, const float* dy, const float* w,
                                   float* dx, cudaStream_t stream) {
  const TileResult result{dx, g.n * g.h * g.w, g.c, g.r * g.s * g.k, g.c, 1, 0, 0};
  return LaunchTiles(PatchesOfGradient{g, dy, ReadsByFour(dy, g.k)},
                     TurnedFilter{g, w, ReadsByFour(w, g.k)}, result, 1, stream);
}

int Conv2dFilterSplits(const Conv2dSizes& g) {
  constexpr int kBlocksWanted = 264;  // two for each multiprocessor of an H100
  constexpr int kMinDepth = 256;      // places that are worth a block
  constexpr int kSide = 128;          // of a tile
  const int tiles = (g.r * g.s * g.c + kSide - 1) / kSide * ((g.k + kSide - 1) / kSide);
  const int64_t places = int64_t{g.n} * g.p * g.q;
  const int64_t most = (places + kMinDepth - 1) / kMinDepth;
  const int64_t wanted = (kBlocksWanted + tiles - 1) / (tiles > 0 ? tiles : 1);
  const int64_t splits = wanted < most ? wanted : most;
  return static_cast<int>(splits > 0 ? splits : 1);
}

cudaError_t LaunchConv2dFilterTiles(const Conv2dSizes& g, const float* x, const float* dy,
                                    float* partial, float* dw, cudaStream_t stream) {
  const int splits = Conv2dFilterSplits(g);
  const int places = g.n * g.p * g.q;
  const int rows = g.r * g.s * g.c;
  float* const out = splits > 1 ? partial : dw;
  // Each split writes what four numbers at once can be written to.
  const int64_t size = g.w_size();
  if (size % 4 != 0 && splits > 1) {
    return LaunchConv2dFilterDirect(g, x, dy, dw, stream);
  }
  const TileResult result{out, rows, g.k, places, g.k, splits, size, 0};
  const cudaError_t error =
      LaunchTiles(TurnedPatches{g, x, ReadsByFour(x, g.c)},
                  LinesAcrossK({dy, places, g.k, g.k, 0}), result, 1, stream);
  if (error != cudaSuccess || splits == 1) return error;
  return LaunchReduce<float>(ReduceFunction::kSum, {1, splits, size}, partial, dw,
                             nullptr, stream);
}

}  // namespace minitf::gpu
