// When an op of a card is computed by cuBLAS or cuDNN.
//
//   label "cublas" or "cudnn"   by the library; an error if it cannot be
//   no label                    by the library where it can be, else by our kernels
//   another label               by our kernels
//
// Read next  kernels/gpu/ops/math.cc

#pragma once

#include <string>
#include <utility>

#include "kernels/gpu/function_table.h"
#include "kernels/gpu/ops/gpu_op.h"
#include "kernels/gpu/vendor/card_library.h"

namespace minitf::gpu {

/// Throws Unimplemented: `label` asks for a library that does not compute the call.
[[noreturn]] inline void ThrowNotByLibrary(const std::string& label,
                                           const std::string& why_not) {
  throw Error(
      errors::Unimplemented("the kernel '", label, "' does not compute this: ", why_not));
}

/// The libraries of the card of a call, of which `library` is wanted; null if our kernels
/// are to compute it. `why_not` says what the library does not take in the call, and is
/// "" if it takes it.
inline CardLibrary* LibraryFor(const OpKernelContext& ctx, const std::string& label,
                               const std::string& library, std::string why_not) {
  if (!label.empty() && label != library) return nullptr;
  CardLibrary* found = nullptr;
  if (why_not.empty()) {
    found = FindCardLibrary(static_cast<CudaStream*>(ctx.stream()), &why_not);
  }
  if (found == nullptr && label == library) ThrowNotByLibrary(label, why_not);
  return found;
}

/// Has cuDNN compute a call of an op: `compute` is given the library. False if our
/// kernels are to do it, as LibraryFor says, or since cuDNN does not take the call.
template <typename Compute>
bool ComputesByCudnn(const OpKernelContext& ctx, const std::string& label,
                     std::string why_not, Compute compute) {
  CardLibrary* const library = LibraryFor(ctx, label, "cudnn", std::move(why_not));
  if (library == nullptr) return false;
  const Status status = library->Call(compute);
  if (status.code() != Code::kUnimplemented) ThrowIfError(status);
  if (!status.ok() && !label.empty()) ThrowNotByLibrary(label, status.message());
  return status.ok();
}

}  // namespace minitf::gpu
