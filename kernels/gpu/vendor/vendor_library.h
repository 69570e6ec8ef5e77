// VendorLibrary: what cuBLAS and cuDNN do for a card, without their headers.
//
// The two are needed when a program runs, not when minitf is loaded. So what calls them
// is a library of its own, which is opened when an op first wants it (card_library.h):
//
//   libminitf_gpu_cuda.so     ops and our kernels; of cuBLAS and cuDNN it has this file
//   libminitf_gpu_vendor.so   cublas.cc, cudnn.cc, vendor_library.cc, linked with both
//
// Whatever can be done without the libraries is done above this interface, in
// convolver.h and pooling_fit.h: so it is tested, with another class in place of theirs,
// where no card is. Below are descriptors and calls.
//
// Compare    tensorflow/stream_executor/dnn.h, blas.h
// Read next  kernels/gpu/vendor/convolver.h

#pragma once

#include <compare>
#include <limits>
#include <string>
#include <vector>

#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/elementwise.h"
#include "kernels/gpu/matmul.h"
#include "minitf/base/status.h"

namespace minitf::gpu {

/// cuDNN counts the numbers of a tensor in 31 bits.
inline constexpr int64_t kMostNumbers = std::numeric_limits<int>::max();

/// y from x and w; dx from dy and w; dw from x and dy.
enum class ConvKind { kForward, kInput, kFilter };

/// How images lie in memory, and filters with them:
///
///   kNhwc    x [N,H,W,C]   w [K,R,S,C]   y [N,P,Q,K]
///   kNchw    x [N,C,H,W]   w [K,C,R,S]   y [N,K,P,Q]
enum class ConvLayout { kNhwc, kNchw };

/// A convolution as cuDNN takes it: of one group, and with as many zeros after the image
/// as before it.
struct ConvProblem {
  ConvKind kind = ConvKind::kForward;
  ElementType type = ElementType::kFloat32;  ///< or kFloat64
  ConvLayout layout = ConvLayout::kNhwc;
  Conv2dSizes sizes;
  bool use_tf32 = false;  ///< float32 may be rounded to 10 bits before products

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 in <=> for one
  auto operator<=>(const ConvProblem&) const = default;
};

/// y from x, or dx from dy. A mean is that of what a window sees of the image, and NaN is
/// larger than any number.
enum class PoolKind { kMax, kAverage, kAverageGradient };

/// A pooling for which WhyNotPooled has no reason.
struct PoolProblem {
  PoolKind kind = PoolKind::kMax;
  ElementType type = ElementType::kFloat32;  ///< or kFloat64
  ConvLayout layout = ConvLayout::kNhwc;
  Conv2dSizes sizes;
};

/// As LaunchSoftmax.
struct SoftmaxProblem {
  ElementType type = ElementType::kFloat32;  ///< or kFloat64
  bool is_log = false;
  int rows = 0, classes = 0;
};

struct MatMulProblem {
  ElementType type = ElementType::kFloat32;  ///< or kFloat64
  MatMulSizes sizes;
  bool use_tf32 = false;  ///< as above
};

/// x, w and y, or the gradients in their places, on the card. The kind of a convolution
/// says which of them is written, so no pointer is const; the other two are read.
struct ConvOperands {
  void* x = nullptr;
  void* w = nullptr;
  void* y = nullptr;
};

/// One of the library's ways to compute a convolution.
struct ConvAlgorithm {
  int id = 0;              ///< the library's number for it
  int math = 0;            ///< and for its arithmetic
  float milliseconds = 0;  ///< as measured, or as the library expects
  size_t workspace = 0;    ///< bytes
  bool is_deterministic = true;
};

/// Memory of the card for the time of a call.
struct Workspace {
  void* memory = nullptr;
  size_t bytes = 0;
};

/// Belongs to the card that was current when it was made. One thread at a time may call.
/// A status that is not ok has the library's text: Unimplemented if it does not take the
/// call, ResourceExhausted if there is no memory.
class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;

  /// The algorithms that the library has for a problem, the one first that it expects to
  /// be the fastest; none if it does not take the problem.
  virtual Status FindAlgorithms(const ConvProblem& problem,
                                std::vector<ConvAlgorithm>* found) = 0;
  /// Runs all that the room is enough for, and lists them by the time that they took. The
  /// result is overwritten. Waits for the stream.
  virtual Status MeasureAlgorithms(const ConvProblem& problem,
                                   const ConvOperands& operands, const Workspace& room,
                                   cudaStream_t stream,
                                   std::vector<ConvAlgorithm>* found) = 0;
  /// `room` has at least the algorithm's workspace.
  virtual Status Convolve(const ConvProblem& problem, const ConvOperands& operands,
                          const ConvAlgorithm& algorithm, const Workspace& room,
                          cudaStream_t stream) = 0;

  /// y from x, or dx from dy, as the kind says.
  virtual Status Pool(const PoolProblem& problem, const void* from, void* to,
                      cudaStream_t stream) = 0;
  virtual Status Softmax(const SoftmaxProblem& problem, const void* x, void* y,
                         cudaStream_t stream) = 0;

  /// As LaunchMatMul.
  virtual Status MatMul(const MatMulProblem& problem, const void* a, const void* b,
                        void* c, cudaStream_t stream) = 0;
};

/// The type and the name of the function of libminitf_gpu_vendor.so that makes a
/// VendorLibrary for the current card. Null if that cannot be; then *why_not says why: it
/// is ResourceExhausted if there is no memory.
using OpenVendorLibrary = VendorLibrary*(Status* why_not);
inline constexpr auto kOpenVendorLibrary = "minitf_open_vendor_library";

}  // namespace minitf::gpu

extern "C" minitf::gpu::OpenVendorLibrary minitf_open_vendor_library;
