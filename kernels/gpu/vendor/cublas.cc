// Products by cuBLAS: row-major, by a library that knows columns only.
//
// A row-major matrix is, to cuBLAS, its transpose. So it is asked for the transpose of
// the result, C' = B' A', with the operands exchanged: nothing has to be copied or
// turned.

#include "kernels/gpu/vendor/cublas.h"

namespace minitf::gpu {
namespace {

const char* ErrorOf(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? nullptr : cublasGetStatusString(status);
}

}  // namespace

Cublas::~Cublas() {
  if (handle_ != nullptr) cublasDestroy(handle_);
}

const char* Cublas::Open() {
  return handle_ != nullptr ? nullptr : ErrorOf(cublasCreate(&handle_));
}

const char* Cublas::Multiply(const MatMulSizes& sizes, const void* a, const void* b,
                             void* c, const Form& form, cudaStream_t stream) {
  const auto [m, n, k, transpose_a, transpose_b, batch, a_moves, b_moves] = sizes;
  if (m == 0 || n == 0 || batch == 0) return nullptr;
  if (k == 0) {
    const size_t bytes = size_t(form.element_size) * m * n * batch;
    return cudaMemsetAsync(c, 0, bytes, stream) == cudaSuccess ? nullptr
                                                               : "cudaMemset failed";
  }
  if (const char* error = ErrorOf(cublasSetStream(handle_, stream))) return error;
  const auto turned = [](bool is_transposed) {
    return is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  return ErrorOf(cublasGemmStridedBatchedEx(
      handle_, turned(transpose_b), turned(transpose_a), n, m, k, form.one, b, form.type,
      transpose_b ? k : n, b_moves ? int64_t{k} * n : 0, a, form.type,
      transpose_a ? m : k, a_moves ? int64_t{m} * k : 0, form.zero, c, form.type, n,
      int64_t{m} * n, batch, form.compute, CUBLAS_GEMM_DEFAULT));
}

const char* Cublas::MatMul(const MatMulSizes& sizes, const float* a, const float* b,
                           float* c, bool use_tf32, cudaStream_t stream) {
  const float one = 1;
  const float zero = 0;
  const auto compute = use_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  return Multiply(sizes, a, b, c, {CUDA_R_32F, compute, 4, &one, &zero}, stream);
}

const char* Cublas::MatMul(const MatMulSizes& sizes, const double* a, const double* b,
                           double* c, cudaStream_t stream) {
  const double one = 1;
  const double zero = 0;
  return Multiply(sizes, a, b, c, {CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, &one, &zero},
                  stream);
}

const char* Cublas::MatMulBfloat16(const MatMulSizes& sizes, const void* a, const void* b,
                                   void* c, cudaStream_t stream) {
  const float one = 1;
  const float zero = 0;
  return Multiply(sizes, a, b, c, {CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2, &one, &zero},
                  stream);
}

}  // namespace minitf::gpu
