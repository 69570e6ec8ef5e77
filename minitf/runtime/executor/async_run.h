// AsyncRun: one run of an asynchronous kernel, from its start to its end.
//
// Such a kernel returns before it is done and holds no thread while it waits. What it
// computes with must stay until then: inputs in their slots, the outputs, the context.
// If the kernel is done by the time it returns, the thread that started it goes on with
// the node; otherwise the thread in which it becomes done puts the run into the list of
// finished ones, from which a thread of the step takes it (step_threads.h).
//
// Compare    tensorflow/core/common_runtime/executor.cc: ExecutorState::AsyncState
// Read next  minitf/runtime/executor/step_threads.h

#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/runtime/executor/propagator.h"
#include "minitf/runtime/executor/step_options.h"

namespace minitf {

class AsyncRun {
 public:
  using Ptr = std::unique_ptr<AsyncRun>;

  /// A run of `ready`, which is a node of `plan`, with `inputs`. Inputs, plan and step
  /// must stay until the run is done.
  AsyncRun(const ExecutorPlan& plan, const ReadyNode& ready, std::span<Tensor> inputs,
           const StepContext& step, StepOptions::Clock::time_point start);

  /// Starts the kernel of `run`. If it is done at once, returns the run; else null, and
  /// `hand_over(run)` is called once, later, in the thread that is done with it.
  template <typename HandOver>
  static Ptr Start(Ptr run, HandOver hand_over);

  const ReadyNode& ready() const { return ready_; }
  StepOptions::Clock::time_point start() const { return start_; }  ///< if it is observed
  std::span<Tensor> outputs() { return outputs_; }
  const Status& status() const { return ctx_.status(); }

 private:
  // kDone before kReturned: the thread that started the kernel goes on with the node.
  enum Phase { kStarted, kReturned, kDone };

  const ReadyNode ready_;
  AsyncOpKernel* const kernel_;
  const StepOptions::Clock::time_point start_;
  std::vector<Tensor> outputs_;
  OpKernelContext ctx_;
  std::atomic<Phase> phase_ = kStarted;
};

template <typename HandOver>
AsyncRun::Ptr AsyncRun::Start(Ptr run, HandOver hand_over) {
  // The kernel has it from here on, until one of the two below takes it back.
  AsyncRun* const started = run.release();
  RunKernelAsync(started->kernel_, &started->ctx_,
                 [started, hand_over = std::move(hand_over)] {
                   const Phase before = started->phase_.exchange(kDone);
                   if (before == kReturned) hand_over(Ptr(started));
                 });
  const Phase before = started->phase_.exchange(kReturned);
  return Ptr(before == kDone ? started : nullptr);
}

}  // namespace minitf
