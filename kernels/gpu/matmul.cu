// Products of matrices: from one thread a number to tiles in registers.
//
// What a tier costs is how often it reads the operands from global memory. The naive one
// reads 2 K numbers for each number of C. With tiles of T x T each number of A is read
// N/T times and each of B M/T times: a T-th of it.
//
// Compare    CUDA C++ Programming Guide, "Shared Memory" (the example of matmul)
// Read next  kernels/gpu/conv2d.h

#include "kernels/gpu/loops.h"
#include "kernels/gpu/matmul.h"
#include "kernels/gpu/matrix_tiles.h"

namespace minitf::gpu {
namespace {

/// How to walk through an operand: element (i, j) of batch b is at
/// b * batch + i * row + j * column.
struct Strides {
  int64_t row, column, batch;
};

Strides StridesOf(int rows, int columns, bool is_transposed, bool moves) {
  const int64_t batch = moves ? int64_t{rows} * columns : 0;
  return is_transposed ? Strides{1, rows, batch} : Strides{columns, 1, batch};
}

// One thread for C(i, j). Neighbours in a warp have neighbouring j: they read one number
// of A together, and neighbouring ones of B.
template <typename T>
__global__ void MatMulNaive(MatMulSizes sizes, Strides sa, Strides sb, const T* a,
                            const T* b, T* c) {
  // LAB(11.7) begin: compute all batch * m * n numbers of c, a thread for each
  const int64_t one = int64_t{sizes.m} * sizes.n;
  MINITF_GPU_LOOP(at, one * sizes.batch) {
    const int64_t batch = at / one;
    const int64_t i = at % one / sizes.n;
    const int64_t j = at % sizes.n;
    T sum = 0;
    for (int64_t k = 0; k < sizes.k; ++k) {
      sum += a[batch * sa.batch + i * sa.row + k * sa.column] *
             b[batch * sb.batch + k * sb.row + j * sb.column];
    }
    c[at] = sum;
  }
  // LAB(11.7) end
}

constexpr int kSide = 32;     // of a tile in shared memory
constexpr int kRowsEach = 4;  // numbers of C that a thread computes, below each other

// A block computes a tile of 32 x 32 of C with 32 x 8 threads. Tile after tile along k,
// it brings A's and B's into shared memory, each number read once by the block, and waits
// twice: until all is there, and until all is used.
template <typename T>
__global__ void MatMulShared(MatMulSizes sizes, Strides sa, Strides sb, const T* a,
                             const T* b, T* c) {
  a += blockIdx.z * sa.batch;
  b += blockIdx.z * sb.batch;
  c += blockIdx.z * int64_t{sizes.m} * sizes.n;
  // LAB(11.8) begin: compute this block's tile of c; its threads are 32 x 8
  // One column more: threads of a warp that go down a column meet different banks.
  __shared__ T tile_a[kSide][kSide + 1];
  __shared__ T tile_b[kSide][kSide + 1];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int first_row = static_cast<int>(blockIdx.y) * kSide;
  const int first_column = static_cast<int>(blockIdx.x) * kSide;

  T sum[kRowsEach] = {};
  for (int k0 = 0; k0 < sizes.k; k0 += kSide) {
    for (int r = y; r < kSide; r += kSide / kRowsEach) {
      // Neighbouring threads read along the axis that lies together in memory.
      const int ai = first_row + (sizes.transpose_a ? x : r);
      const int ak = k0 + (sizes.transpose_a ? r : x);
      const bool has_a = ai < sizes.m && ak < sizes.k;
      const T a_here = has_a ? a[ai * sa.row + ak * sa.column] : T(0);
      (sizes.transpose_a ? tile_a[x][r] : tile_a[r][x]) = a_here;
      const int bk = k0 + (sizes.transpose_b ? x : r);
      const int bj = first_column + (sizes.transpose_b ? r : x);
      const bool has_b = bk < sizes.k && bj < sizes.n;
      const T b_here = has_b ? b[bk * sb.row + bj * sb.column] : T(0);
      (sizes.transpose_b ? tile_b[x][r] : tile_b[r][x]) = b_here;
    }
    __syncthreads();
    for (int k = 0; k < kSide; ++k) {
      for (int r = 0; r < kRowsEach; ++r) {
        sum[r] += tile_a[y + r * (kSide / kRowsEach)][k] * tile_b[k][x];
      }
    }
    __syncthreads();
  }
  const int column = first_column + x;
  for (int r = 0; r < kRowsEach; ++r) {
    const int row = first_row + y + r * (kSide / kRowsEach);
    if (row < sizes.m && column < sizes.n) c[int64_t{row} * sizes.n + column] = sum[r];
  }
  // LAB(11.8) end
}

template <typename T>
cudaError_t LaunchSimple(MatMulTier tier, const MatMulSizes& sizes, const T* a,
                         const T* b, T* c, cudaStream_t stream) {
  const Strides sa = StridesOf(sizes.m, sizes.k, sizes.transpose_a, sizes.a_moves);
  const Strides sb = StridesOf(sizes.k, sizes.n, sizes.transpose_b, sizes.b_moves);
  const int64_t count = int64_t{sizes.m} * sizes.n * sizes.batch;
  if (count == 0) return cudaSuccess;
  if (tier == MatMulTier::kNaive) {
    MatMulNaive<T><<<BlocksFor(count), kBlockSize, 0, stream>>>(sizes, sa, sb, a, b, c);
  } else {
    const dim3 grid((sizes.n + kSide - 1) / kSide, (sizes.m + kSide - 1) / kSide,
                    sizes.batch);
    const dim3 block(kSide, kSide / kRowsEach);
    MatMulShared<T><<<grid, block, 0, stream>>>(sizes, sa, sb, a, b, c);
  }
  return cudaGetLastError();
}

// `rows` lines of `length`, one behind the other, in each batch.
Lines LinesOf(const float* data, int rows, int length, bool moves) {
  return {data, rows, length, length, moves ? int64_t{rows} * length : 0};
}

cudaError_t LaunchRegisters(const MatMulSizes& sizes, const float* a, const float* b,
                            float* c, cudaStream_t stream) {
  const auto [m, n, k, transpose_a, transpose_b, batch, a_moves, b_moves] = sizes;
  const TileResult result{c, m, n, k, n, 1, 0, int64_t{m} * n};
  const Lines lines_a =
      transpose_a ? LinesOf(a, k, m, a_moves) : LinesOf(a, m, k, a_moves);
  const Lines lines_b =
      transpose_b ? LinesOf(b, n, k, b_moves) : LinesOf(b, k, n, b_moves);
  const auto with_b = [&](const auto& load_a) {
    return transpose_b
               ? LaunchTiles(load_a, LinesAlongK(lines_b), result, batch, stream)
               : LaunchTiles(load_a, LinesAcrossK(lines_b), result, batch, stream);
  };
  return transpose_a ? with_b(LinesAcrossK(lines_a)) : with_b(LinesAlongK(lines_a));
}

// Grids are no larger along y and z; and batches that are not aligned would make tiles
// write four numbers at once to where they must not.
bool FitsTiles(const MatMulSizes& sizes) {
  const bool stays_aligned = sizes.batch == 1 || int64_t{sizes.m} * sizes.n % 4 == 0;
  return stays_aligned && sizes.batch <= 65535 && sizes.m <= kMaxTileRows;
}

}  // namespace

cudaError_t LaunchMatMul(MatMulTier tier, const MatMulSizes& sizes, const float* a,
                         const float* b, float* c, cudaStream_t stream) {
  if (tier == MatMulTier::kRegisters && FitsTiles(sizes)) {
    return LaunchRegisters(sizes, a, b, c, stream);
  }
  if (sizes.batch > 65535 || sizes.m > 65535 * kSide) tier = MatMulTier::kNaive;
  return LaunchSimple(tier, sizes, a, b, c, stream);
}

cudaError_t LaunchMatMul(MatMulTier tier, const MatMulSizes& sizes, const double* a,
                         const double* b, double* c, cudaStream_t stream) {
  if (sizes.batch > 65535 || sizes.m > 65535 * kSide) tier = MatMulTier::kNaive;
  return LaunchSimple(tier, sizes, a, b, c, stream);
}

}  // namespace minitf::gpu
