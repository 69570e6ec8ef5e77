// Convolver: convolutions by cuDNN, as the ops want them.
//
// cuDNN takes less than the ops have, and offers several algorithms for what it takes.
// Here the difference is made up:
//
//   filters      come as [R,S,C/groups,K] and are turned into cuDNN's order
//   images       are taken as they lie in memory. [N,H,W,C] is turned into [N,C,H,W] for
//                dilated filters and float64, and where cuDNN has no algorithm otherwise
//   padding      cuDNN puts as many zeros after an image as before it. SAME often wants
//                one more at the end; then the image is copied into a larger one, with
//                all zeros in it
//   algorithms   those that need too much workspace, or whose sums differ from run to
//                run, are left out. The first of the others is taken, or all are run and
//                the fastest is: once for each shape, and remembered (autotune)
//
// Compare    tensorflow/core/kernels/conv_ops.cc (LaunchConv2DOp<GPUDevice, T>),
//            tensorflow/core/kernels/gpu_utils.h (AutoTuneMap)
// Read next  kernels/gpu/vendor/card_library.h

#pragma once

#include <functional>
#include <map>
#include <vector>

#include "kernels/gpu/vendor/vendor_library.h"

namespace minitf::gpu {

/// A convolution of an op. In `problem` layout and zeros are those of the op, and filters
/// are [R,S,C/groups,K].
struct ConvCall {
  ConvProblem problem;
  int pad_bottom = 0, pad_right = 0;  ///< zeros after the image

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 in <=> for one
  auto operator<=>(const ConvCall&) const = default;
};

/// How an algorithm is chosen.
struct ConvOptions {
  bool autotune = true;
  bool only_deterministic = true;
  size_t workspace_limit = size_t{4} << 30;  ///< bytes, as in TensorFlow 1.15
};

/// Gives memory of the card that stays until the call's work is done; null if there is
/// none.
using AllocateRoom = std::function<void*(size_t bytes)>;

/// For one card. One thread at a time may call.
class Convolver {
 public:
  /// `library` must live longer.
  Convolver(VendorLibrary* library, const ConvOptions& options)
      : library_(*library), options_(options) {}

  /// Puts the convolution into the stream. False if the library has no algorithm for it
  /// that the options allow; then nothing is done. Throws ResourceExhausted if there is
  /// no memory, and what the library says, with the sizes, if it fails.
  bool Run(const ConvCall& call, const ConvOperands& operands,
           const AllocateRoom& allocate, cudaStream_t stream);

  /// What the last Run that was true took.
  const ConvAlgorithm& last_algorithm() const { return last_algorithm_; }

 private:
  // How calls of one shape are computed.
  struct Plan {
    ConvProblem problem;
    // Those that are allowed; the first is taken for which there is memory. None: the
    // library does not compute such calls.
    std::vector<ConvAlgorithm> algorithms;
    bool is_chosen = false;  // which is the first
  };

  Plan& PlanFor(const ConvCall& call);
  std::vector<ConvAlgorithm> Allowed(std::vector<ConvAlgorithm> found) const;
  static Workspace LargestRoom(const Plan& plan, const AllocateRoom& allocate);
  // Measures, if the options say so. Returns the memory in which that was done.
  Workspace Choose(const ConvOperands& operands, const AllocateRoom& allocate,
                   cudaStream_t stream, Plan* plan);
  void Log(const Plan& plan) const;

  VendorLibrary& library_;
  const ConvOptions options_;
  std::map<ConvCall, Plan> plans_;
  ConvAlgorithm last_algorithm_;
};

}  // namespace minitf::gpu
