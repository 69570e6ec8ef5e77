// Code that ops and kernels in C share: errors of builders, and of registrations.
//
// Read next  minitf/c/kernels/ops.cc

#pragma once

#include <exception>
#include <utility>

#include "minitf/base/caught.h"
#include "minitf/base/status.h"
#include "minitf/c/internal.h"
#include "minitf/framework/registry.h"

namespace minitf::c {

/// Returns the status that C code reports. A code that minitf does not have is kUnknown.
inline Status StatusOfC(const TF_Status& status) {
  const bool is_known = TF_OK <= status.code && status.code <= TF_DATA_LOSS;
  return {is_known ? static_cast<Code>(status.code) : Code::kUnknown, status.message};
}

/// As above, for a failure. Null and TF_OK are errors too.
inline Status FailureOfC(const TF_Status* status) {
  if (status == nullptr) {
    return errors::InvalidArgument("the status of a failure is null");
  }
  if (status->code == TF_OK) return errors::Internal("the status of a failure is TF_OK");
  return StatusOfC(*status);
}

/// Calls `change` with the builder, unless it is null. Stores the first error in it.
template <typename Builder, typename Change>
void Changed(Builder* builder, const Change& change) {
  if (builder == nullptr) return;
  try {
    change(*builder);
  } catch (...) {
    if (builder->error.ok()) builder->error = CaughtStatus();
  }
}

/// Calls `body`, which registers something. While a library loads, the first error also
/// becomes the error of the load.
template <typename Body>
void GuardedRegistration(TF_Status* status, const Body& body) {
  TF_Status result;
  // Without a load, a registrar throws.
  Status* const load = std::exchange(ErrorOfLoad(), nullptr);
  Guarded(&result, body);
  ErrorOfLoad() = load;
  Guarded(status, [&] {
    if (result.code == TF_OK) return;
    const Status error = StatusOfC(result);
    if (load != nullptr && load->ok()) *load = error;
    throw Error(error);
  });
}

}  // namespace minitf::c
