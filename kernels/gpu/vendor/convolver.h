// Convolver: convolutions by cuDNN, as the ops want them.
//
// cuDNN takes less than the ops have, and offers several algorithms for what it takes.
// Here the difference is made up:
//
//   filters      come as [R,S,C,K] and are turned into cuDNN's order
//   images       are taken as they lie in memory. [N,H,W,C] is turned into [N,C,H,W] for
//                dilated filters and float64, and where cuDNN has no algorithm otherwise
//   padding      cuDNN puts as many zeros after an image as before it. SAME often wants
//                one more at the end; then the image is copied into a larger one, with
//                all zeros in it
//   algorithms   those that need too much workspace, or whose sums differ from run to
//                run, are left out. The first of the others is taken, or all are run and
//                the fastest is: once for each shape, and remembered (autotune). One that
//                fails, or for whose workspace there is no memory, makes way for the next
//
// Compare    tensorflow/core/kernels/conv_ops.cc (LaunchConv2DOp<GPUDevice, T>),
//            tensorflow/core/kernels/gpu_utils.h (AutoTuneMap)
// Read next  kernels/gpu/vendor/pooling_fit.h

#pragma once

#include <functional>
#include <map>
#include <vector>

#include "kernels/gpu/device/cuda_stream.h"
#include "kernels/gpu/vendor/vendor_library.h"

namespace minitf::gpu {

/// A convolution of an op. In `problem` layout and zeros are those of the op, and filters
/// are [R,S,C,K].
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
  /// `library` and `card` must live longer.
  Convolver(VendorLibrary* library, const CudaStream& card, const ConvOptions& options)
      : library_(*library), card_(card), options_(options) {}

  /// Puts the convolution into the stream. False if the library has no algorithm for it
  /// that is allowed and works: then the result is not there. Throws ResourceExhausted if
  /// there is no memory, and what the library says, with the sizes, if it fails.
  bool Run(const ConvCall& call, const ConvOperands& operands,
           const AllocateRoom& allocate, cudaStream_t stream);

  /// What the last Run that was true took.
  const ConvAlgorithm& last_algorithm() const { return last_algorithm_; }

 private:
  // How calls of one shape are computed.
  struct Plan {
    std::vector<ConvLayout> layouts;  // in which to look when no algorithm is left
    ConvProblem problem;
    // Those that are allowed and have not failed; the first is taken. None: the library
    // does not compute such calls.
    std::vector<ConvAlgorithm> algorithms;
    bool is_chosen = false;  // autotune has been done, or is off
    Status error;            // the first since a call that worked
    // After an error: the plan is forgotten after so many calls. 0: it is kept.
    int calls_left = 0;
  };
  static constexpr int kCallsAfterError = 100;

  Plan& PlanFor(const ConvCall& call);
  void FindAlgorithms(const ConvCall& call, Plan* plan);
  std::vector<ConvAlgorithm> Allowed(std::vector<ConvAlgorithm> found) const;
  bool RunPlan(const ConvCall& call, const ConvOperands& operands,
               const AllocateRoom& allocate, cudaStream_t stream, Plan* plan);
  static void Note(const Status& status, Plan* plan);
  static Workspace LargestRoom(const AllocateRoom& allocate, Plan* plan);
  // Measures, if the options say so. Returns the memory in which that was done.
  Workspace Choose(const ConvOperands& operands, const AllocateRoom& allocate,
                   cudaStream_t stream, Plan* plan);
  void Log(const ConvCall& call, const Plan& plan) const;

  VendorLibrary& library_;
  const CudaStream& card_;
  const ConvOptions options_;
  std::map<ConvCall, Plan> plans_;
  ConvAlgorithm last_algorithm_;
};

}  // namespace minitf::gpu
