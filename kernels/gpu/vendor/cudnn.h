// Convolutions by NVIDIA's library, for machines with a card.
//
// cuDNN takes images [N,H,W,C] as they are, and filters as [K,R,S,C]: those of
// TensorFlow, [R,S,C,K], are turned first. It pads an image by as many zeros at its end
// as at its start. SAME padding often wants one more at the end; then the image is copied
// into a larger one, with all zeros in it.
//
// Compare    tensorflow/core/kernels/conv_ops.cc (LaunchConv2DOp<GPUDevice, T>),
//            tensorflow/stream_executor/cuda/cuda_dnn.cc
// Read next  kernels/gpu/vendor/matmul_tensor_cores.h

#pragma once

#include <map>
#include <vector>

#include <cudnn.h>

#include "kernels/gpu/conv2d.h"

namespace minitf::gpu {

enum class ConvKind { kForward, kInput, kFilter };

/// How an algorithm of cuDNN is chosen: by its heuristics, which costs nothing, or by
/// trying all of them once for each shape.
enum class Autotune { kOff, kOn };

/// A handle of cuDNN, which belongs to one card. Not safe to use from several threads at
/// once. All functions return null, or what went wrong.
class Cudnn {
 public:
  Cudnn() = default;
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  /// On the card that is current now.
  const char* Open();

  /// What a call needs beyond its operands.
  struct Options {
    bool use_tf32 = false;
    Autotune autotune = Autotune::kOff;
    size_t workspace_limit = size_t{1} << 30;  ///< bytes
    int pad_bottom = 0, pad_right = 0;         ///< zeros at the end of the image
    cudaStream_t stream = nullptr;
    /// Gives device memory that stays until the call's work is done.
    void* (*allocate)(void* owner, size_t bytes) = nullptr;
    void* owner = nullptr;
  };

  /// y from x and w; dx from dy and w; dw from x and dy. All in TensorFlow's layout.
  const char* Conv2d(ConvKind kind, const Conv2dSizes& sizes, const float* first,
                     const float* second, float* result, const Options& options);

  /// The name of the algorithm that the last call took.
  int last_algorithm() const { return last_algorithm_; }

 private:
  struct Call;
  const char* Choose(ConvKind kind, const Call& call, const Options& options);
  const char* Run(ConvKind kind, const Call& call, const Options& options);

  struct Choice {
    int algorithm = 0;
    size_t workspace = 0;
  };

  cudnnHandle_t handle_ = nullptr;
  std::map<std::vector<int>, Choice> choices_;  // by kind, sizes and options
  Choice choice_;
  int last_algorithm_ = 0;
};

}  // namespace minitf::gpu
