// A product of matrices on tensor cores.
//
// A tensor core multiplies small matrices: one instruction of a warp, mma, adds a 16 x 16
// times 16 x 8 product of bfloat16 to 16 x 8 sums of float32. Everything around it is
// there to keep it fed:
//
//   block    a tile of 128 x 128 of C by 4 warps, each 64 x 64: 4 x 8 mma for 16 steps of
//            k
//   copies   cp.async brings 16 bytes from global to shared memory while the warps
//            compute. Four stages of 32 steps of k are under way, so that a copy has the
//            time of three stages to arrive
//   loads    ldmatrix gives each thread of a warp its part of a 16 x 16 matrix
//   banks    8 threads of ldmatrix read 16 bytes each from 8 rows. These would meet in
//            the same banks; so the 16-byte pieces of a row change places, by an
//            exclusive or with the row's number
//   order    blocks go down 8 tiles before they go right, so that neighbours in time read
//            the same parts of A and B from the L2 cache
//
// The emulator has no tensor cores, so this file is for nvcc alone. From Hopper on cards
// have wgmma, which is faster still, and which cuBLAS uses.
//
// Source     PTX ISA, "Matrix multiply-accumulate operation using mma instruction"
// Compare    NVIDIA CUTLASS, cutlass/gemm/threadblock/mma_multistage.h

#include <cuda_bf16.h>

#include "kernels/gpu/vendor/matmul_tensor_cores.h"

namespace minitf::gpu {
namespace {

constexpr int kRows = 128, kColumns = 128, kDepth = 32;  // of a block, for a stage
constexpr int kStages = 4;
constexpr int kThreads = 128;
constexpr int kPiece = 8;  // elements of 16 bytes

constexpr int kStageSize = (kRows + kColumns) * kDepth;  // elements
constexpr int kSharedBytes = kStages * kStageSize * 2;

// Where a piece of a row of A's tile [128,32], or of B's [32,128], lies in shared memory.
__device__ int PlaceInA(int row, int piece) {
  return row * kDepth + (piece ^ (row / 2 % 4)) * kPiece;
}
__device__ int PlaceInB(int row, int piece) {
  return row * kColumns + (piece ^ (row % 8)) * kPiece;
}

__device__ unsigned Address(const __nv_bfloat16* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// Begins to copy 16 bytes; zeros unless `is_there`.
__device__ void CopyPiece(__nv_bfloat16* to, const __nv_bfloat16* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(Address(to)),
               "l"(from), "r"(is_there ? 16 : 0));
}
__device__ void EndStage() { asm volatile("cp.async.commit_group;"); }
// Until no more than `kPending` stages are under way.
template <int kPending>
__device__ void WaitForStage() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending));
}

// Four 8 x 8 matrices; thread t gives the address of row t % 8 of matrix t / 8.
__device__ void LoadMatrices(unsigned (&x)[4], const __nv_bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(Address(row)));
}
__device__ void LoadTurned(unsigned (&x)[4], const __nv_bfloat16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(Address(row)));
}

// sum [16,8] += a [16,16] b [16,8]
__device__ void MultiplyAdd(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                            unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

struct Problem {
  int m, n, k;
  const __nv_bfloat16* a;
  const __nv_bfloat16* b;
  __nv_bfloat16* c;
};

// Begins to copy the stage that starts at k.
__device__ void CopyStage(const Problem& p, int first_row, int first_column, int k,
                          __nv_bfloat16* stage) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = thread; i < kRows * kDepth / kPiece; i += kThreads) {
    const int row = i / (kDepth / kPiece);
    const int piece = i % (kDepth / kPiece);
    const int at = k + piece * kPiece;
    const bool is_there = first_row + row < p.m && at < p.k;
    const int64_t from = is_there ? int64_t{first_row + row} * p.k + at : 0;
    CopyPiece(stage + PlaceInA(row, piece), p.a + from, is_there);
  }
  __nv_bfloat16* const b = stage + kRows * kDepth;
#pragma unroll
  for (int i = thread; i < kDepth * kColumns / kPiece; i += kThreads) {
    const int row = i / (kColumns / kPiece);
    const int piece = i % (kColumns / kPiece);
    const int column = first_column + piece * kPiece;
    const bool is_there = k + row < p.k && column < p.n;
    const int64_t from = is_there ? int64_t{k + row} * p.n + column : 0;
    CopyPiece(b + PlaceInB(row, piece), p.b + from, is_there);
  }
}

// Adds the products of a stage to the sums of a warp, which has the rows from `row` and
// the columns from `column` on of the tile.
__device__ void MultiplyStage(const __nv_bfloat16* stage, int row, int column,
                              float (&sum)[4][8][4]) {
  const __nv_bfloat16* const a = stage;
  const __nv_bfloat16* const b = stage + kRows * kDepth;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int k = 0; k < kDepth; k += 16) {
    unsigned left[4][4];
    unsigned right[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      LoadMatrices(left[i], a + PlaceInA(row + i * 16 + lane % 16, k / 8 + lane / 16));
      LoadTurned(right[i], b + PlaceInB(k + lane % 16, column / 8 + i * 2 + lane / 16));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        MultiplyAdd(sum[i][j], left[i], right[j / 2][j % 2 * 2],
                    right[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

__device__ void StoreSums(const Problem& p, int row, int column,
                          const float (&sum)[4][8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int m = row + i * 16 + lane / 4 + half * 8;
        const int n = column + j * 8 + lane % 4 * 2;
        if (m >= p.m || n >= p.n) continue;
        *reinterpret_cast<__nv_bfloat162*>(p.c + int64_t{m} * p.n + n) =
            __floats2bfloat162_rn(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads, 2) MatMulTensorCores(Problem p) {
  extern __shared__ __align__(16) __nv_bfloat16 stages[];
  constexpr int kGroup = 8;  // tiles below each other before the next column
  const int down = (p.m + kRows - 1) / kRows;
  const int across = (p.n + kColumns - 1) / kColumns;
  const int block = static_cast<int>(blockIdx.x);
  const int group = block / (kGroup * across);
  const int group_rows = min(kGroup, down - group * kGroup);
  const int in_group = block % (kGroup * across);
  const int first_row = (group * kGroup + in_group % group_rows) * kRows;
  const int first_column = in_group / group_rows * kColumns;

  const int num_stages = (p.k + kDepth - 1) / kDepth;
  for (int i = 0; i < kStages - 1; ++i) {
    if (i < num_stages) {
      CopyStage(p, first_row, first_column, i * kDepth, stages + i * kStageSize);
    }
    EndStage();
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / 2 * 64;
  const int column = warp % 2 * 64;
  float sum[4][8][4] = {};
  for (int i = 0; i < num_stages; ++i) {
    WaitForStage<kStages - 2>();
    __syncthreads();  // for all, stage i is there, and stage i - 1 is used
    const int next = i + kStages - 1;
    if (next < num_stages) {
      CopyStage(p, first_row, first_column, next * kDepth,
                stages + next % kStages * kStageSize);
    }
    EndStage();
    MultiplyStage(stages + i % kStages * kStageSize, row, column, sum);
  }
  StoreSums(p, first_row + row, first_column + column, sum);
}

}  // namespace

bool FitsTensorCores(int m, int n, int k) {
  return m > 0 && n > 0 && n % kPiece == 0 && k % kPiece == 0;
}

cudaError_t LaunchMatMulTensorCores(int m, int n, int k, const void* a, const void* b,
                                    void* c, cudaStream_t stream) {
  const Problem problem{m,
                        n,
                        k,
                        static_cast<const __nv_bfloat16*>(a),
                        static_cast<const __nv_bfloat16*>(b),
                        static_cast<__nv_bfloat16*>(c)};
  const cudaError_t error = cudaFuncSetAttribute(
      MatMulTensorCores, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error != cudaSuccess) return error;
  const int blocks = (m + kRows - 1) / kRows * ((n + kColumns - 1) / kColumns);
  MatMulTensorCores<<<blocks, kThreads, kSharedBytes, stream>>>(problem);
  return cudaGetLastError();
}

}  // namespace minitf::gpu
