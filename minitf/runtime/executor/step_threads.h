// StepThreads: the threads that work on one step, and what they share.
//
//   caller    the thread that runs the step. It works first, and at the end waits for all
//   helpers   threads of the pool, called when there is something that is worth a thread
//   offered   nodes that are ready, for the first thread that is free
//   finished  runs of asynchronous kernels that are done. Another thread goes on with
//             their nodes, since the one in which the kernel became done may belong to
//             another step, or hold a lock
//
// A helper may come late: when the step is over and its executor gone. It owns this
// object in part, sees that the step is over, and leaves.
//
// Compare    tensorflow/core/common_runtime/executor.cc: ExecutorState::ScheduleReady
// Read next  minitf/runtime/executor/step_options.h

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "minitf/base/thread_pool.h"
#include "minitf/runtime/executor/async_run.h"
#include "minitf/runtime/executor/propagator.h"

namespace minitf {

/// A node for the first thread that is free.
struct SharedNode {
  ReadyNode ready;         ///< to be run,
  AsyncRun::Ptr finished;  ///< or, if not null, a run that is done
};

class StepThreads : public std::enable_shared_from_this<StepThreads> {
 public:
  using Clock = std::chrono::steady_clock;

  /// Helpers come from `pool`, one less than it has threads; with `has_helpers` false
  /// there are none. A helper calls `help` with its number, from 1 on, which works on
  /// what NextForHelper gives until that gives nothing.
  StepThreads(ThreadPool* pool, bool has_helpers, std::function<void(int thread)> help);

  /// A step begins. Requires: the one before is over, and no helper is to come.
  void Begin();

  /// Shares nodes that are ready.
  void Offer(std::span<const ReadyNode> ready);
  /// Whether the step has shared a node. In the caller, and only in steps without
  /// asynchronous kernels.
  bool has_offered() const { return has_offered_; }

  /// Starts the kernel of `run`. Returns the run if that is done; else null, and a thread
  /// of the step gets it later, as a SharedNode.
  AsyncRun::Ptr StartKernel(AsyncRun::Ptr run);

  /// What a helper does next. False if there is nothing; then the helper has left, and
  /// must not touch the step any more. Requires: next->finished is null.
  bool NextForHelper(SharedNode* next);

  enum class Next { kNode, kTimeOut, kStepIsOver };
  /// What the caller does next. Waits for it until `until`, or until nothing is shared,
  /// no helper is at work and no kernel waits: then the step is over. A helper that has
  /// not come by then is not waited for; its pool may be busy with other steps.
  Next NextForCaller(SharedNode* next, Clock::time_point until);

 private:
  void HandOver(AsyncRun::Ptr run);
  bool Take(SharedNode* next);
  int NumHelpersToCall();
  void CallHelpers(int num_helpers);
  void Help();

  ThreadPool* const pool_;
  const int max_helpers_;
  const std::function<void(int)> help_;
  std::atomic<int> num_kernels_ = 0;  // started and not yet handed over
  bool has_offered_ = false;

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<ReadyNode> offered_;
  std::deque<AsyncRun::Ptr> finished_;
  int num_helpers_ = 0;       // called, and not yet gone
  int num_helpers_seen_ = 0;  // that have come
  int num_helping_ = 0;       // at work
  bool is_waiting_ = false;   // the caller
  bool is_over_ = false;
};

}  // namespace minitf
