// Products of matrices on the GPU: C [M,N] = A [M,K] B [K,N], in three tiers.
//
//   naive       a thread for each number of C, straight from the formula
//   shared      blocks of 32 x 32, whose operands come into shared memory once
//   registers   tiles of 128 x 128, 8 x 8 numbers for a thread (matrix_tiles.h)
//
// Read next  kernels/gpu/matrix_tiles.h

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// Row-major operands without gaps. With transpose_a A lies as [K,M] in memory, with
/// transpose_b B lies as [N,K]. `batch` products, one behind the other; an operand whose
/// `moves` is false is the same in all of them.
struct MatMulSizes {
  int m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  int batch = 1;
  bool a_moves = true, b_moves = true;
};

enum class MatMulTier { kNaive, kShared, kRegisters };

/// With K = 0 the result is all zeros. Memory of `c` must not overlap the operands.
cudaError_t LaunchMatMul(MatMulTier tier, const MatMulSizes& sizes, const float* a,
                         const float* b, float* c, cudaStream_t stream);
/// In double precision there are the first two tiers; kRegisters means kShared.
cudaError_t LaunchMatMul(MatMulTier tier, const MatMulSizes& sizes, const double* a,
                         const double* b, double* c, cudaStream_t stream);

}  // namespace minitf::gpu
