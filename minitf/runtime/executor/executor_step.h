// Executor::Step: the tensors, counters and threads of one step. Kept by its executor and
// used again.
//
// executor.cc runs nodes and passes tensors on; executor_threads.cc shares nodes among
// threads, and waits for what other threads and asynchronous kernels do.
//
// Compare    tensorflow/core/common_runtime/executor/executor.cc: ExecutorState
// Read next  minitf/runtime/executor/control_flow.h

#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "minitf/base/stop.h"
#include "minitf/runtime/executor/control_flow.h"
#include "minitf/runtime/executor/executor.h"

namespace minitf {

class Executor::Step : public std::enable_shared_from_this<Step> {
 public:
  // Below this many nanoseconds, waking another thread costs more than the node.
  static constexpr int64_t kWorthAThread = 10'000;

  /// `memory` is null where memory is not planned.
  Step(const ExecutorPlan& plan, const StepMemory* memory, ThreadPool* pool,
       Costs* costs);

  Status Run(std::span<const Tensor> feeds, const StepOptions& options, bool is_measured,
             std::vector<Tensor>* fetches);

 private:
  using Clock = StepOptions::Clock;

  // After so many nodes a worker asks whether to stop; with a deadline, after each.
  static constexpr int kCheckEvery = 64;

  // What a thread that works on a step has of its own.
  struct Worker {
    std::vector<ReadyNode> ready;  // the next one to run is the last
    std::vector<ReadyNode> offered;
    std::vector<Tensor> outputs;  // of the node that runs
    bool has_expensive = false;   // one of `ready` is worth a thread
    int number = 0;
    int num_since_check = 0;
    Clock::time_point last_done;
  };

  // An asynchronous kernel that has been started.
  struct AsyncRun {
    AsyncRun(Step* step, const ReadyNode& ready);

    enum Phase { kStarted, kReturned, kDone };

    const ReadyNode ready;
    std::vector<Tensor> outputs;
    OpKernelContext ctx;
    // kDone before kReturned: whoever started the kernel goes on with the node. Else the
    // thread that calls done hands it to the step.
    std::atomic<Phase> phase = kStarted;
    Clock::time_point start;
  };

  // ---- executor.cc: what becomes of a node
  void Begin(std::span<const Tensor> feeds, const StepOptions& options);
  void Work(Worker* worker);
  void RunReady(Worker* worker);
  void RunByPlan(Worker* worker);
  void CheckNowAndThen(Worker* worker);
  void RunNode(const ReadyNode& ready, Worker* worker);
  void SkipNode(const ReadyNode& ready, Worker* worker);
  void NodeDone(const ReadyNode& ready, std::span<Tensor> outputs, const Status& status,
                Worker* worker);
  Status CheckOutputs(int32_t number, std::span<const Tensor> outputs) const;
  void PassOn(const ReadyNode& done, std::span<Tensor> outputs, Worker* worker);
  void FillSlots(const PlannedNode& node, std::span<Tensor> outputs, Worker* worker);
  bool IsLastToArrive(int32_t node);
  FrameAndIter FrameAndIterOf(const ReadyNode& ready) const;
  Status Finish(std::vector<Tensor>* fetches);

  std::span<Tensor> InputsOf(const ReadyNode& ready) const {
    const PlannedNode& node = plan_.nodes[ready.node];
    return {ready.iteration->slots.data() + node.first_slot,
            static_cast<size_t>(node.num_inputs)};
  }
  std::span<const DType> OutputTypesOf(const PlannedNode& node) const {
    return {plan_.output_types.data() + node.first_output,
            static_cast<size_t>(node.num_outputs)};
  }

  // ---- executor_threads.cc: who works on it, and who waits
  void RunAsyncNode(const ReadyNode& ready, Clock::time_point start, Worker* worker);
  void FinishAsync(AsyncRun* run, Worker* worker);
  void HandOver(AsyncRun* run);
  bool IsExpensive(const ReadyNode& ready) const {
    return costs_[ready.node].load(std::memory_order_relaxed) >= kWorthAThread;
  }
  void Measure(int32_t number, Worker* worker);
  void OfferExpensive(size_t begin, Worker* worker);
  void Offer(const std::vector<ReadyNode>& ready);
  int NumHelpersToCall();
  void CallHelpers(int num_helpers);
  bool WorkOnOffered(Worker* worker, std::unique_lock<std::mutex>* lock);
  void Help();
  void WaitForOthers();
  void Sleep(std::unique_lock<std::mutex>* lock);
  void CheckLimits();
  bool MustStop();
  void Fail(const Status& status);
  Clock::time_point StartObserved(const ReadyNode& ready) const;
  void EndObserved(const ReadyNode& ready, Clock::time_point start, int thread,
                   std::span<const Tensor> outputs) const;

  const DeviceContext& DeviceOf(const PlannedNode& node) const {
    return memory_ == nullptr ? *node.device : planned_device_;
  }

  const ExecutorPlan& plan_;
  const StepMemory* const memory_;
  ArenaHandle arena_;             // null where memory is not planned
  DeviceContext planned_device_;  // that of all nodes, with the arena
  ThreadPool* const pool_;
  Costs& costs_;
  const bool is_parallel_;
  bool is_measured_ = false;
  bool has_deadline_ = false;
  bool has_limits_ = false;  // that, or somebody to ask
  const StopQuestion must_stop_ = [this] { return MustStop(); };  // for long kernels
  const StepOptions* options_ = nullptr;
  StepObserver* observer_ = nullptr;
  std::span<const Tensor> feeds_;
  Iteration root_;
  ControlFlow control_flow_;
  Worker caller_;
  Clock::time_point start_;
  StepContext context_;
  std::optional<CancellationManager> cancellation_;
  ResourceManager resources_;       // state that ends with the step
  std::atomic<int> num_async_ = 0;  // kernels started and not yet handed over
  std::atomic<bool> has_failed_ = false;
  bool has_offered_ = false;  // only then do other threads know of this step

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<ReadyNode> offered_;
  std::deque<std::unique_ptr<AsyncRun>> handed_over_;
  int num_helpers_ = 0;  // asked for
  int num_helping_ = 0;  // at work
  int num_helpers_seen_ = 0;
  bool is_waiting_ = false;
  bool is_finished_ = false;
  Status status_;
};

}  // namespace minitf
