// One product of matrices for matmul and all convolutions: tiles in registers.
//
//   C [M,N] = A [M,K] B [K,N]
//
//   block    a tile of C, 128 x 128 if there are enough of these to keep a card busy,
//            else 128 x 64 or 64 x 64
//   warp     a part of 32 x 64 of the tile
//   thread   8 x 8 numbers of it, in registers: 4 rows and 4 columns, and the same 16
//            rows below and 32 columns to the right
//   step     16 columns of A and 16 rows of B come into shared memory
//
// Arithmetic. For each k a thread reads 8 + 8 numbers from shared memory, four at a time,
// and multiplies 64 times; so four reads feed 64 multiplications. A thread with one
// number of C would read two for each.
//
// Waiting. There are two buffers in shared memory. While a step computes out of one, the
// next one's numbers are on their way from global memory into registers, and go into the
// other buffer when the step is done. So each step has one barrier.
//
// Banks. A lies along m in the buffer, whatever way it lies in memory, so that a thread
// reads 4 rows at once. Rows of the buffer are 4 numbers longer than the tile, so that a
// warp that writes down columns spreads over the banks.
//
// What A and B are is up to two loaders: matrices, or what a convolution sees of an
// image. A loader has
//
//   kAlongK           whether 4 neighbours in memory follow each other along k; else
//                     along m, or n
//   Line              what stays the same for a thread while k moves
//   LineOf(i, batch)  the Line of row i of A, or column i of B; of i and the next three
//                     if neighbours do not lie along k
//   Load(line, k, end)  4 numbers of the line, from k on; 0 for those outside of the
//                       matrix
//
// Compare    NVIDIA CUTLASS, "Efficient GEMM in CUDA"
// Read next  kernels/gpu/matmul.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

inline constexpr int kTileDepth = 16;  ///< steps along k between two barriers

/// Where a tile of C goes: row i, column j to c[i * stride + j]. With `splits` > 1 the
/// blocks of one tile share k out among them, and split s writes to c + s * split_stride.
struct TileResult {
  float* c;
  int m, n, k;
  int64_t stride;
  int splits;
  int64_t split_stride;
  int64_t batch_stride;
};

namespace tiles {

/// Room in shared memory for a step of an operand that has `kLines` rows or columns. It
/// is read four numbers at a time, so it must lie at a multiple of 16.
template <int kLines>
struct __align__(16) Buffer {
  float x[kTileDepth][kLines + 4];
};

/// The numbers of one operand that a thread brings along for the next step.
template <typename Loader, int kLines, int kThreads>
class Feeder {
 public:
  __device__ Feeder(const Loader& loader, int first, int batch) : loader_(loader) {
    for (int i = 0; i < kLoads; ++i) {
      lines_[i] = loader.LineOf(first + (Loader::kAlongK ? Row(i) : Column()), batch);
    }
  }

  __device__ void Fetch(int k, int k_end) {
    for (int i = 0; i < kLoads; ++i) {
      const int at = k + (Loader::kAlongK ? Column() : Row(i));
      next_[i] = loader_.Load(lines_[i], at, k_end);
    }
  }

  __device__ void Store(Buffer<kLines>* buffer) const {
    for (int i = 0; i < kLoads; ++i) {
      if constexpr (Loader::kAlongK) {
        const int row = Row(i);
        const int depth = Column();
        buffer->x[depth][row] = next_[i].x;
        buffer->x[depth + 1][row] = next_[i].y;
        buffer->x[depth + 2][row] = next_[i].z;
        buffer->x[depth + 3][row] = next_[i].w;
      } else {
        *reinterpret_cast<float4*>(&buffer->x[Row(i)][Column()]) = next_[i];
      }
    }
  }

 private:
  // Each thread loads 4 numbers that lie side by side, kLoads times. Along k, 4 threads
  // share the 16 numbers of a line; otherwise kLines / 4 threads share all lines of one
  // k.
  static constexpr int kLoads = kLines * kTileDepth / 4 / kThreads;
  static constexpr int kAcross = Loader::kAlongK ? kTileDepth / 4 : kLines / 4;
  __device__ static int Row(int i) {
    return static_cast<int>(threadIdx.x) / kAcross + i * (kThreads / kAcross);
  }
  __device__ static int Column() { return static_cast<int>(threadIdx.x) % kAcross * 4; }

  const Loader& loader_;
  typename Loader::Line lines_[kLoads];
  float4 next_[kLoads];
};

/// Adds a step's products to the 8 x 8 sums of a thread.
template <int kRows, int kColumns>
__device__ __forceinline__ void MultiplyStep(const Buffer<kRows>& a,
                                             const Buffer<kColumns>& b, int row,
                                             int column, float (&sum)[8][8]) {
#pragma unroll
  for (int k = 0; k < kTileDepth; ++k) {
    const float4 a0 = *reinterpret_cast<const float4*>(&a.x[k][row]);
    const float4 a1 = *reinterpret_cast<const float4*>(&a.x[k][row + 16]);
    const float4 b0 = *reinterpret_cast<const float4*>(&b.x[k][column]);
    const float4 b1 = *reinterpret_cast<const float4*>(&b.x[k][column + 32]);
    const float left[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    const float right[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sum[i][j] += left[i] * right[j];
    }
  }
}

__device__ __forceinline__ void StoreSums(const TileResult& result, float* c, int row,
                                          int column, const float (&sum)[8][8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int m = row + i % 4 + i / 4 * 16;
    if (m >= result.m) continue;
    float* const line = c + m * result.stride;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = column + half * 32;
      const float* const four = &sum[i][half * 4];
      if (n + 3 < result.n && result.stride % 4 == 0) {
        *reinterpret_cast<float4*>(line + n) =
            make_float4(four[0], four[1], four[2], four[3]);
      } else {
        for (int j = 0; j < 4; ++j) {
          if (n + j < result.n) line[n + j] = four[j];
        }
      }
    }
  }
}

}  // namespace tiles

/// Launch with kRows * kColumns / 64 threads, ceil(N / kColumns) blocks along x,
/// ceil(M / kRows) along y, and splits * batches along z. `result.c` must be aligned to
/// 16 bytes.
template <int kRows, int kColumns, typename LoadA, typename LoadB>
__global__ void __launch_bounds__(kRows* kColumns / 64)
    MultiplyTiles(LoadA load_a, LoadB load_b, TileResult result) {
  constexpr int kThreads = kRows * kColumns / 64;
  __shared__ tiles::Buffer<kRows> a[2];
  __shared__ tiles::Buffer<kColumns> b[2];
  const int split = static_cast<int>(blockIdx.z) % result.splits;
  const int batch = static_cast<int>(blockIdx.z) / result.splits;
  const int split_depth =
      ((result.k + result.splits - 1) / result.splits + kTileDepth - 1) / kTileDepth *
      kTileDepth;
  const int k_begin = split * split_depth;
  const int k_end = min(result.k, k_begin + split_depth);
  const int first_row = static_cast<int>(blockIdx.y) * kRows;
  const int first_column = static_cast<int>(blockIdx.x) * kColumns;
  tiles::Feeder<LoadA, kRows, kThreads> feed_a(load_a, first_row, batch);
  tiles::Feeder<LoadB, kColumns, kThreads> feed_b(load_b, first_column, batch);

  // The place of a thread in the tile: that of its warp, and of its lane, 4 by 8 of them.
  constexpr int kWarpsAcross = kColumns / 64;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / kWarpsAcross * 32 + lane / 8 * 4;
  const int column = warp % kWarpsAcross * 64 + lane % 8 * 4;

  float sum[8][8] = {};
  int now = 0;
  feed_a.Fetch(k_begin, k_end);
  feed_b.Fetch(k_begin, k_end);
  feed_a.Store(&a[0]);
  feed_b.Store(&b[0]);
  __syncthreads();
  for (int k = k_begin; k < k_end; k += kTileDepth) {
    const bool has_next = k + kTileDepth < k_end;
    if (has_next) {
      feed_a.Fetch(k + kTileDepth, k_end);
      feed_b.Fetch(k + kTileDepth, k_end);
    }
    tiles::MultiplyStep(a[now], b[now], row, column, sum);
    if (has_next) {
      feed_a.Store(&a[1 - now]);
      feed_b.Store(&b[1 - now]);
      __syncthreads();
    }
    now = 1 - now;
  }
  float* const c = result.c + batch * result.batch_stride + split * result.split_stride;
  tiles::StoreSums(result, c, first_row + row, first_column + column, sum);
}

/// Launches it for `batches` products.
template <typename LoadA, typename LoadB>
cudaError_t LaunchTiles(const LoadA& a, const LoadB& b, const TileResult& result,
                        int batches, cudaStream_t stream) {
  if (result.m == 0 || result.n == 0 || batches == 0) return cudaSuccess;
  const auto blocks = [&](int rows, int columns) {
    return dim3((result.n + columns - 1) / columns, (result.m + rows - 1) / rows,
                result.splits * batches);
  };
  const auto count = [](dim3 grid) { return int64_t{grid.x} * grid.y * grid.z; };
  constexpr int kEnough = 128;  // blocks: one for each multiprocessor of a large card
  const bool is_narrow = result.n <= 64;
  if (!is_narrow && count(blocks(128, 128)) >= kEnough) {
    simt::Launch(MultiplyTiles<128, 128, LoadA, LoadB>, blocks(128, 128), 256, 0, stream)(
        a, b, result);
  } else if (count(blocks(128, 64)) >= kEnough) {
    simt::Launch(MultiplyTiles<128, 64, LoadA, LoadB>, blocks(128, 64), 128, 0, stream)(
        a, b, result);
  } else {
    simt::Launch(MultiplyTiles<64, 64, LoadA, LoadB>, blocks(64, 64), 64, 0, stream)(
        a, b, result);
  }
  return cudaGetLastError();
}

/// The most rows and columns that a grid has room for, whichever tiles it takes.
inline constexpr int64_t kMaxTileRows = int64_t{65535} * 64;

// ---- Matrices as operands -------------------------------------------------------------

/// Where a matrix lies: line i begins at data + i * stride, and has `length` numbers.
struct Lines {
  const float* data;
  int count, length;
  int64_t stride, batch_stride;

  /// Whether 4 numbers may be read at once, where there are 4.
  __host__ __device__ bool is_aligned() const {
    return stride % 4 == 0 && batch_stride % 4 == 0 &&
           reinterpret_cast<uintptr_t>(data) % 16 == 0;
  }
};

/// Numbers at, at + 1, ... of a line that ends at `end`.
__device__ __forceinline__ float4 FourOf(const float* line, int at, int end,
                                         bool is_aligned) {
  if (at + 3 < end && is_aligned) return *reinterpret_cast<const float4*>(line + at);
  float4 four = make_float4(0, 0, 0, 0);
  if (at < end) four.x = line[at];
  if (at + 1 < end) four.y = line[at + 1];
  if (at + 2 < end) four.z = line[at + 2];
  if (at + 3 < end) four.w = line[at + 3];
  return four;
}

/// A as [M,K], or B as [N,K]: lines along k.
struct LinesAlongK {
  static constexpr bool kAlongK = true;
  using Line = const float*;  // null beyond the last

  Lines lines;
  bool is_aligned;

  explicit LinesAlongK(const Lines& lines)
      : lines(lines), is_aligned(lines.is_aligned()) {}
  __device__ Line LineOf(int i, int batch) const {
    if (i >= lines.count) return nullptr;
    return lines.data + batch * lines.batch_stride + i * lines.stride;
  }
  __device__ float4 Load(Line line, int k, int k_end) const {
    if (line == nullptr) return make_float4(0, 0, 0, 0);
    return FourOf(line, k, k_end, is_aligned);
  }
};

/// A as [K,M], or B as [K,N]: a line for each k.
struct LinesAcrossK {
  static constexpr bool kAlongK = false;
  struct Line {
    const float* data;  // of the batch
    int at;
  };

  Lines lines;
  bool is_aligned;

  explicit LinesAcrossK(const Lines& lines)
      : lines(lines), is_aligned(lines.is_aligned()) {}
  __device__ Line LineOf(int i, int batch) const {
    return {lines.data + batch * lines.batch_stride, i};
  }
  __device__ float4 Load(const Line& line, int k, int k_end) const {
    if (k >= k_end) return make_float4(0, 0, 0, 0);
    return FourOf(line.data + k * lines.stride, line.at, lines.length, is_aligned);
  }
};

}  // namespace minitf::gpu
