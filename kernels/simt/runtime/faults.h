// Faults: bad addresses, full stacks and endless loops end a launch, and not the process.
//
// A processor tells of a bad access by a signal. If it comes while a kernel runs, its
// handler sends the thread to a function that reports and gives up the launch; the host
// goes on, and finds the error as it would after a launch on a GPU. A watchdog sends a
// signal of its own to those that run for too long.
//
// A signal in host code is passed on to whom it went to before.
//
// Read next  kernels/simt/runtime/stream.h

#pragma once

#include <string_view>

namespace simt {

/// While it lives, the calling thread runs blocks, and its faults are taken care of.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;
};

/// Ends the process at once, with status 99: nothing is taken down, no lock is needed.
[[noreturn]] void EndProcess(std::string_view why);

}  // namespace simt
