// CardLibrary: cuBLAS and cuDNN for the ops of one card.
//
// A handle of the libraries belongs to a card, and must not be used by two threads at
// once. All that minitf does on a card goes through one stream, so there is one handle
// for each stream, and a lock around it. It is opened when an op first wants it; where
// that is not possible the reason is logged, and our own kernels compute.
//
// The environment says how the libraries are used:
//
//   TF_CUDNN_USE_AUTOTUNE           1, or 0: no algorithm is tried before it is taken
//   TF_CUDNN_WORKSPACE_LIMIT_IN_MB  for the workspace of one convolution, not for copies
//                                   of its operands; 4096 if nothing is said
//   TF_CUDNN_DETERMINISTIC          1: results are the same in every process. Algorithms
//   TF_DETERMINISTIC_OPS            whose sums differ are never taken, so it is enough
//                                   that none is chosen by time: no autotune
//   MINITF_TF32                     1: float32 may be multiplied on tensor cores, with 10
//                                   bits of fraction. TensorFlow 1.15 has no such thing
//
// Compare    tensorflow/core/util/use_cudnn.h
// Read next  kernels/gpu/vendor/cublas.h

#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "kernels/gpu/device/cuda_stream.h"
#include "kernels/gpu/vendor/convolver.h"

namespace minitf::gpu {

struct VendorOptions {
  ConvOptions convolutions;
  bool use_tf32 = false;
};

/// What the environment says now. Throws InvalidArgument, naming the variable, if it says
/// what makes no sense.
VendorOptions VendorOptionsFromEnvironment();

/// Safe to use from any thread.
class CardLibrary {
 public:
  /// `card` must live longer.
  CardLibrary(std::unique_ptr<VendorLibrary> library, const CudaStream& card,
              const VendorOptions& options)
      : card_(card),
        options_(options),
        library_(std::move(library)),
        convolver_(library_.get(), card, options.convolutions) {}

  /// As Convolver::Run, with use_tf32 as the options say.
  bool Convolve(ConvCall call, const ConvOperands& operands, const AllocateRoom& allocate,
                cudaStream_t stream);
  /// Gives the library to `call`, and returns what that does. For calls that need no
  /// workspace and have no options.
  Status Call(const std::function<Status(VendorLibrary*)>& call);
  /// As VendorLibrary::MatMul, with use_tf32 as the options say. Throws what the library
  /// says, with the sizes.
  void MatMul(MatMulProblem problem, const void* a, const void* b, void* c,
              cudaStream_t stream);

 private:
  const CudaStream& card_;
  const VendorOptions options_;
  std::mutex mutex_;  // guards all below
  const std::unique_ptr<VendorLibrary> library_;
  Convolver convolver_;
};

/// The libraries for the card of `stream`, which live as long as the process. Null if
/// they cannot be had; then *why_not says why, and they are asked for again only if there
/// was no memory. Throws as VendorOptionsFromEnvironment.
CardLibrary* FindCardLibrary(CudaStream* stream, std::string* why_not);

/// Makes the libraries of the card that is current; null, and why, if that cannot be:
/// ResourceExhausted if there is no memory for them.
using VendorOpener = std::function<std::unique_ptr<VendorLibrary>(Status* why_not)>;

/// For tests: forgets the libraries that were opened, and takes `opener` for those to
/// come. Requires: no op is under way.
void SetVendorOpener(VendorOpener opener);

}  // namespace minitf::gpu
