// Products by cuBLAS: row-major, by a library whose matrices are column-major.
//
// A row-major matrix is, to cuBLAS, its transpose. So it is asked for the transpose of
// the result, C' = B' A', with the operands exchanged: nothing has to be copied or
// turned.

#include "kernels/gpu/vendor/cublas.h"

namespace minitf::gpu {
namespace {

Status StatusOf(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  const std::string text = StrCat("cuBLAS: ", cublasGetStatusString(status));
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return errors::ResourceExhausted(text);
  return errors::Internal(text);
}

}  // namespace

Cublas::~Cublas() {
  if (handle_ != nullptr) cublasDestroy(handle_);
}

Status Cublas::Open() {
  return handle_ != nullptr ? Status() : StatusOf(cublasCreate(&handle_));
}

Status Cublas::Multiply(const MatMulSizes& sizes, const void* a, const void* b, void* c,
                        const Form& form, cudaStream_t stream) {
  const auto [m, n, k, transpose_a, transpose_b, batch, a_moves, b_moves] = sizes;
  if (m == 0 || n == 0 || batch == 0) return {};
  if (k == 0) {
    const size_t bytes = size_t(form.element_size) * m * n * batch;
    const cudaError_t error = cudaMemsetAsync(c, 0, bytes, stream);
    if (error == cudaSuccess) return {};
    return errors::Internal("setting a product to zero: ", cudaGetErrorString(error));
  }
  if (Status status = StatusOf(cublasSetStream(handle_, stream)); !status.ok()) {
    return status;
  }
  const auto turned = [](bool is_transposed) {
    return is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  return StatusOf(cublasGemmStridedBatchedEx(
      handle_, turned(transpose_b), turned(transpose_a), n, m, k, form.one, b, form.type,
      transpose_b ? k : n, b_moves ? int64_t{k} * n : 0, a, form.type,
      transpose_a ? m : k, a_moves ? int64_t{m} * k : 0, form.zero, c, form.type, n,
      int64_t{m} * n, batch, form.compute, CUBLAS_GEMM_DEFAULT));
}

Status Cublas::MatMul(const MatMulProblem& problem, const void* a, const void* b, void* c,
                      cudaStream_t stream) {
  if (problem.type == ElementType::kFloat64) {
    const double one = 1;
    const double zero = 0;
    return Multiply(problem.sizes, a, b, c,
                    {CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, &one, &zero}, stream);
  }
  if (problem.type != ElementType::kFloat32) {
    return errors::Internal("products by cuBLAS are of float32 and float64");
  }
  const float one = 1;
  const float zero = 0;
  const auto compute =
      problem.use_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  return Multiply(problem.sizes, a, b, c, {CUDA_R_32F, compute, 4, &one, &zero}, stream);
}

Status Cublas::MatMulBfloat16(const MatMulSizes& sizes, const void* a, const void* b,
                              void* c, cudaStream_t stream) {
  const float one = 1;
  const float zero = 0;
  return Multiply(sizes, a, b, c, {CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2, &one, &zero},
                  stream);
}

}  // namespace minitf::gpu
