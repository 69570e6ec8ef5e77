// Products of matrices by NVIDIA's library, for machines with a card.
//
// Compare    tensorflow/stream_executor/cuda/cuda_blas.cc
// Read next  kernels/gpu/vendor/cudnn.h

#pragma once

#include <cublas_v2.h>

#include "kernels/gpu/vendor/vendor_library.h"

namespace minitf::gpu {

/// A handle of cuBLAS, which belongs to one card. Not safe to use from several threads at
/// once.
class Cublas {
 public:
  Cublas() = default;
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// On the card that is current now.
  Status Open();

  /// As LaunchMatMul.
  Status MatMul(const MatMulProblem& problem, const void* a, const void* b, void* c,
                cudaStream_t stream);
  /// Operands and result of bfloat16, sums in float32.
  Status MatMulBfloat16(const MatMulSizes& sizes, const void* a, const void* b, void* c,
                        cudaStream_t stream);

 private:
  // What differs from type to type.
  struct Form {
    cudaDataType_t type;
    cublasComputeType_t compute;
    int element_size;
    const void* one;
    const void* zero;
  };
  Status Multiply(const MatMulSizes& sizes, const void* a, const void* b, void* c,
                  const Form& form, cudaStream_t stream);

  cublasHandle_t handle_ = nullptr;
};

}  // namespace minitf::gpu
