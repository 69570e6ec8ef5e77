// Fiber: a thread of control that gives way of its own accord.
//
// A switch saves the registers that a function must keep, and the stack pointer, and
// loads those of another fiber: some 7 ns, where the operating system needs microseconds.
//
// Read next  kernels/simt/runtime/fiber_stacks.h

#pragma once

#if !defined(SIMT_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define SIMT_UCONTEXT  // the library's way: thirty times as slow, but on all processors
#endif

#if defined(SIMT_UCONTEXT)
#include <ucontext.h>
#endif

#include <cstddef>

namespace simt {

class Fiber {
 public:
  /// The next switch to this fiber calls `entry`, which must not return, on a stack.
  void Prepare(char* stack, size_t size, void (*entry)());

  /// Suspends the running fiber as `from`, and goes on where `to` was suspended.
  static void Switch(Fiber* from, Fiber* to);

 private:
#if defined(SIMT_UCONTEXT)
  ucontext_t context_;
#else
  void* stack_pointer_ = nullptr;
#endif
};

}  // namespace simt
