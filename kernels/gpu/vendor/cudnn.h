// Convolutions, poolings and softmax by NVIDIA's library, for machines with a card.
//
// Compare    tensorflow/stream_executor/cuda/cuda_dnn.cc
// Read next  kernels/gpu/vendor/matmul_tensor_cores.h

#pragma once

#include <vector>

#include <cudnn.h>

#include "kernels/gpu/vendor/vendor_library.h"

namespace minitf::gpu {

/// A handle of cuDNN, which belongs to one card. Not safe to use from several threads at
/// once. The functions are those of VendorLibrary.
class Cudnn {
 public:
  Cudnn() = default;
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  /// On the card that is current now.
  Status Open();

  Status FindAlgorithms(const ConvProblem& problem, std::vector<ConvAlgorithm>* found);
  Status MeasureAlgorithms(const ConvProblem& problem, const ConvOperands& operands,
                           const Workspace& room, cudaStream_t stream,
                           std::vector<ConvAlgorithm>* found);
  Status Convolve(const ConvProblem& problem, const ConvOperands& operands,
                  const ConvAlgorithm& algorithm, const Workspace& room,
                  cudaStream_t stream);
  Status Pool(const PoolProblem& problem, const void* from, void* to,
              cudaStream_t stream);
  Status Softmax(const SoftmaxProblem& problem, const void* x, void* y,
                 cudaStream_t stream);

 private:
  cudnnHandle_t handle_ = nullptr;
};

}  // namespace minitf::gpu
