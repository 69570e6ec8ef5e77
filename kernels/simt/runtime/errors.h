// The errors of the runtime: those of a thread, and those that stay.
//
// Read next  kernels/simt/runtime/faults.h

#pragma once

#include "kernels/simt/cuda_api.h"

// The first line of a function of the API that a kernel must not call.
#define SIMT_ONLY_ON_HOST(function) \
  simt::OnlyOnHost("calls " #function, {}, __builtin_return_address(0))

namespace simt {

/// Remembers an error for cudaGetLastError, and returns it; one of 700 and more stays for
/// all threads. cudaSuccess changes nothing.
cudaError_t Remember(cudaError_t error);

/// The error that stays; cudaSuccess if there is none. Calls that work on a device return
/// it and do nothing.
cudaError_t LastingError();

/// Forgets all.
void ForgetErrors();

}  // namespace simt
