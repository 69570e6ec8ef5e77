// Ctrl-C while C++ computes.
//
// Python notes the signal at once, but raises KeyboardInterrupt only when its own code
// runs again. So C++ asks Python now and then. The exception then waits in the thread,
// the work is given up (minitf/base/stop.h), and what the user gets is the exception.
//
// Read next  python/bindings/bind_eager.cc

#pragma once

#include <chrono>
#include <thread>

#include <pybind11/pybind11.h>

#include "minitf/base/status.h"
#include "minitf/base/stop.h"
#include "python/bindings/gil.h"

namespace minitf {

/// Says whether the user has pressed Ctrl-C; the exception waits in this thread then.
/// Only Python's main thread is told of signals, so in others there is nothing to ask,
/// and the function is empty.
inline StopQuestion InterruptCheck() {
  static const std::thread::id main_thread = std::this_thread::get_id();
  using Clock = std::chrono::steady_clock;
  if (std::this_thread::get_id() != main_thread) return nullptr;
  return [next = Clock::now()]() mutable {
    if (std::this_thread::get_id() != main_thread || Clock::now() < next) return false;
    const GilHeld held;
    next = Clock::now() + std::chrono::milliseconds(50);
    return PyErr_CheckSignals() != 0;
  };
}

/// Calls `work`, which Ctrl-C can end. Requires: this thread holds Python's lock, and
/// does again after `work`.
template <typename Work>
auto Interruptibly(Work work) {
  const StopQuestion check = InterruptCheck();
  const StopScope scope(&check);
  try {
    return work();
  } catch (const Error&) {
    if (PyErr_Occurred() != nullptr) throw pybind11::error_already_set();
    throw;
  }
}

}  // namespace minitf
