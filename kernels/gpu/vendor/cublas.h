// Products of matrices by NVIDIA's library, for machines with a card.
//
// Compare    tensorflow/stream_executor/cuda/cuda_blas.cc
// Read next  kernels/gpu/vendor/cudnn.h

#pragma once

#include <cublas_v2.h>

#include "kernels/gpu/matmul.h"

namespace minitf::gpu {

/// A handle of cuBLAS, which belongs to one card. Not safe to use from several threads at
/// once. All functions return null, or what went wrong.
class Cublas {
 public:
  Cublas() = default;
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// On the card that is current now.
  const char* Open();

  /// As LaunchMatMul. With `use_tf32` operands are rounded to 10 bits of fraction, and
  /// the product runs on tensor cores.
  const char* MatMul(const MatMulSizes& sizes, const float* a, const float* b, float* c,
                     bool use_tf32, cudaStream_t stream);
  const char* MatMul(const MatMulSizes& sizes, const double* a, const double* b,
                     double* c, cudaStream_t stream);
  /// Operands and result of bfloat16, sums in float32.
  const char* MatMulBfloat16(const MatMulSizes& sizes, const void* a, const void* b,
                             void* c, cudaStream_t stream);

 private:
  // What differs from type to type.
  struct Form {
    cudaDataType_t type;
    cublasComputeType_t compute;
    int element_size;
    const void* one;
    const void* zero;
  };
  const char* Multiply(const MatMulSizes& sizes, const void* a, const void* b, void* c,
                       const Form& form, cudaStream_t stream);

  cublasHandle_t handle_ = nullptr;
};

}  // namespace minitf::gpu
