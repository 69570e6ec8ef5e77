// Executor: one step from its feeds to its fetches.
//
// Exercise   exercises/03_session

#include "minitf/runtime/executor/executor.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "minitf/base/caught.h"
#include "minitf/base/logging.h"
#include "minitf/base/stop.h"
#include "minitf/framework/cancellation.h"
#include "minitf/framework/stream.h"
#include "minitf/runtime/executor/async_run.h"
#include "minitf/runtime/executor/propagator.h"
#include "minitf/runtime/executor/step_observer.h"
#include "minitf/runtime/executor/step_threads.h"

namespace minitf {
namespace {

inline void ResetAll(std::span<Tensor> tensors) {
  for (Tensor& tensor : tensors) tensor.Reset();
}

}  // namespace

// The state of one step. Kept by its executor and used again.
class Executor::Step {
 public:
  /// `memory` is null where memory is not planned.
  Step(const ExecutorPlan& plan, const StepMemory* memory, ThreadPool* pool,
       NodeCosts* costs);

  Status Run(std::span<const Tensor> feeds, const StepOptions& options,
             std::vector<Tensor>* fetches);

 private:
  using Clock = StepOptions::Clock;

  // What a thread that works on a step has of its own.
  struct Worker {
    Worker(int number, const ExecutorPlan& plan)
        : number(number), outputs(plan.max_outputs) {}

    const int number;              // 0: the caller
    std::vector<ReadyNode> ready;  // the next one to run is the last
    std::vector<ReadyNode> offered;
    std::vector<Tensor> outputs;  // of the node that runs
    bool has_expensive = false;   // one of `ready` is worth a thread
    int num_since_check = 0;      // nodes
    Clock::time_point last_done;  // where nodes are measured
  };

  std::shared_ptr<StepThreads> NewThreads();
  void Begin(std::span<const Tensor> feeds, const StepOptions& options);
  Status Finish(std::vector<Tensor>* fetches);

  ReadyNode TakeNext(Worker* worker);
  void Work(Worker* worker);
  void RunNode(const ReadyNode& ready, Worker* worker);
  void RunAsyncNode(const ReadyNode& ready, Clock::time_point start, Worker* worker);
  void FinishAsyncNode(AsyncRun* run, Worker* worker);
  void NodeDone(const ReadyNode& ready, std::span<Tensor> outputs, const Status& status,
                Worker* worker);
  Status CheckOutputs(int32_t number, std::span<const Tensor> outputs) const;
  void PassOn(const ReadyNode& done, std::span<Tensor> outputs, Worker* worker);

  void OfferExpensive(size_t begin, Worker* worker);
  void WorkOnShared(SharedNode* shared, Worker* worker);
  void Help(int number);
  void WaitForOthers();

  void CheckLimits();
  bool MustStop();
  void Fail(const Status& status);

  const ExecutorPlan& plan_;
  ThreadPool* const pool_;
  const bool is_parallel_;
  Propagator propagator_;
  std::optional<StepArena> arena_;  // where memory is planned
  NodeCosts& costs_;
  ObservedStep observed_;
  StepLimits limits_;
  std::shared_ptr<StepThreads> threads_;
  Worker caller_;
  const StopQuestion must_stop_ = [this] { return MustStop(); };  // for long kernels

  bool is_measured_ = false;
  StepContext context_;
  std::optional<CancellationManager> cancellation_;

  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;  // guards status_ until no other thread works on the step
  Status status_;
};

Executor::Step::Step(const ExecutorPlan& plan, const StepMemory* memory, ThreadPool* pool,
                     NodeCosts* costs)
    : plan_(plan),
      pool_(pool),
      is_parallel_(pool->num_threads() > 1 && plan.num_nodes() > 1 && memory == nullptr),
      propagator_(plan, is_parallel_),
      costs_(*costs),
      observed_(plan),
      threads_(NewThreads()),
      caller_(0, plan) {
  if (memory != nullptr) arena_.emplace(*memory, plan);
}

std::shared_ptr<StepThreads> Executor::Step::NewThreads() {
  return std::make_shared<StepThreads>(pool_, is_parallel_,
                                       [this](int number) { Help(number); });
}

Status Executor::Step::Run(std::span<const Tensor> feeds, const StepOptions& options,
                           std::vector<Tensor>* fetches) {
  Begin(feeds, options);
  CancellationManager* const outer = options.cancellation;
  const bool may_wait = outer != nullptr && cancellation_.has_value();
  CancellationManager::Token token = 0;
  // LAB(03.10) begin: if may_wait, have `outer` fail this step, now or later
  if (may_wait) {
    token = outer->NewToken();
    const auto cancel = [this] { Fail(errors::Cancelled("the step was cancelled")); };
    if (!outer->RegisterCallback(token, cancel)) cancel();
  }
  // LAB(03.10) end

  if (is_parallel_) OfferExpensive(0, &caller_);
  Work(&caller_);
  if (plan_.has_async || threads_->has_offered()) WaitForOthers();
  // LAB(03.10) begin: the step is over, and `outer` may live on
  if (may_wait) outer->DeregisterCallback(token);
  // LAB(03.10) end
  return Finish(fetches);
}

void Executor::Step::Begin(std::span<const Tensor> feeds, const StepOptions& options) {
  // Another owner is a helper that has not come yet, and must not see this step.
  if (threads_.use_count() > 1) {
    threads_ = NewThreads();
  } else {
    threads_->Begin();
  }
  limits_ = StepLimits(options);
  observed_.Begin(options.observer);
  is_measured_ = costs_.MeasuresNextStep() && is_parallel_;
  if (is_measured_) caller_.last_done = Clock::now();
  if (plan_.has_async || plan_.has_control_flow) cancellation_.emplace();
  context_ = {options.rendezvous, cancellation_ ? &*cancellation_ : nullptr};
  caller_.ready.clear();
  propagator_.Begin(feeds, &caller_.ready);
  if (arena_) arena_->BeginInOrder(&propagator_, &caller_.ready);
}

// Takes the node that is to run next off the worker's list.
ReadyNode Executor::Step::TakeNext(Worker* worker) {
  const ReadyNode next = worker->ready.back();
  worker->ready.pop_back();
  if (worker->has_expensive && costs_.IsExpensive(next.node)) {
    worker->has_expensive = false;
  }
  return next;
}

// Runs nodes until there is nothing left for this thread. What they throw ends the step.
void Executor::Step::Work(Worker* worker) {
  const StopScope scope(&must_stop_);
  std::vector<ReadyNode>& ready = worker->ready;
  try {
    // LAB(03.8) begin: run node after node, as long as the step may go on
    while (!ready.empty() && !has_failed_.load(std::memory_order_relaxed)) {
      RunNode(TakeNext(worker), worker);
      if (limits_.IsTimeToCheck(&worker->num_since_check)) CheckLimits();
    }
    // LAB(03.8) end
  } catch (...) {
    Fail(CaughtStatus());
    ResetAll(worker->outputs);
  }
  ready.clear();
  worker->has_expensive = false;
}

void Executor::Step::RunNode(const ReadyNode& ready, Worker* worker) {
  const PlannedNode& node = plan_.nodes[ready.node];
  const std::span outputs(worker->outputs.data(), static_cast<size_t>(node.num_outputs));
  const std::span<Tensor> inputs = propagator_.InputsOf(ready);
  if (ready.is_dead && node.role != OpRole::kSend) {
    // It is not run. The nodes that take its outputs are dead, too; a Send sends that the
    // tensor is dead, so that the nodes on the other device learn it.
    ResetAll(inputs);
    return PassOn(ready, outputs, worker);
  }
  VLOG(2) << "Run " << plan_.graph_nodes[ready.node]->Describe();
  Clock::time_point start;
  if (observed_.has_observer()) start = observed_.NodeStarts(ready.node, inputs);
  if (node.async_kernel != nullptr) return RunAsyncNode(ready, start, worker);

  if (arena_) arena_->ExpectOutputsOf(ready.node);
  const FrameAndIter frame_iter = Propagator::FrameAndIterOf(ready);
  OpKernelContext ctx(inputs, outputs, plan_.OutputTypesOf(node),
                      arena_ ? arena_->device() : *node.device, context_, frame_iter,
                      ready.is_dead);
  RunKernel(node.kernel, &ctx);
  ResetAll(inputs);
  if (is_measured_) costs_.Measure(ready.node, &worker->last_done);
  if (observed_.has_observer()) {
    observed_.NodeEnds(ready.node, frame_iter, start, worker->number, outputs);
  }
  NodeDone(ready, outputs, ctx.status(), worker);
}

// Starts an asynchronous kernel. If it is done at once, its node is finished here;
// otherwise by a thread that works on the step when it is done.
void Executor::Step::RunAsyncNode(const ReadyNode& ready, Clock::time_point start,
                                  Worker* worker) {
  const AsyncRun::Ptr finished = threads_->StartKernel(std::make_unique<AsyncRun>(
      plan_, ready, propagator_.InputsOf(ready), context_, start));
  if (finished != nullptr) FinishAsyncNode(finished.get(), worker);
}

void Executor::Step::FinishAsyncNode(AsyncRun* run, Worker* worker) {
  const ReadyNode& ready = run->ready();
  ResetAll(propagator_.InputsOf(ready));
  if (observed_.has_observer()) {
    observed_.NodeEnds(ready.node, Propagator::FrameAndIterOf(ready), run->start(),
                       worker->number, run->outputs());
  }
  NodeDone(ready, run->outputs(), run->status(), worker);
}

// What follows when a node has run.
void Executor::Step::NodeDone(const ReadyNode& ready, std::span<Tensor> outputs,
                              const Status& status, Worker* worker) {
  // LAB(03.8) begin: pass `outputs` on, or let the step fail at this node
  const Status result = status.ok() ? CheckOutputs(ready.node, outputs) : status;
  if (!result.ok()) {
    ResetAll(outputs);
    return Fail(AtNode(result, *plan_.graph_nodes[ready.node]));
  }
  PassOn(ready, outputs, worker);
  // LAB(03.8) end
}

Status Executor::Step::CheckOutputs(int32_t number,
                                    std::span<const Tensor> outputs) const {
  const PlannedNode& node = plan_.nodes[number];
  for (size_t i = 0; i < outputs.size(); ++i) {
    const DType expected = plan_.output_types[node.first_output + i];
    const Tensor& output = outputs[i];
    if (output.dtype() == expected) [[likely]]
      continue;
    if (output.has_value()) {
      return errors::Internal("output ", i, " is ", output.dtype(), ", must be ",
                              expected);
    }
    // What these leave out is dead.
    if (node.role == OpRole::kSwitch || node.role == OpRole::kReceive) continue;
    return errors::Internal("output ", i, " has no value");
  }
  return {};
}

// Hands the outputs on, and shares what became ready with other threads.
void Executor::Step::PassOn(const ReadyNode& done, std::span<Tensor> outputs,
                            Worker* worker) {
  std::vector<ReadyNode>& ready = worker->ready;
  const size_t begin = ready.size();
  propagator_.PassOn(done, outputs, &ready);
  if (arena_) return ready.resize(begin);  // All are in the list already, in order.
  // The first one that became ready runs first.
  std::reverse(ready.begin() + begin, ready.end());
  if (is_parallel_) OfferExpensive(begin, worker);
}

// Of ready[begin] and those behind it, offers to helpers what is worth a thread. The
// worker keeps the one that it comes to first, unless it has such a one already: then
// has_expensive says so.
void Executor::Step::OfferExpensive(size_t begin, Worker* worker) {
  std::vector<ReadyNode>& ready = worker->ready;
  worker->offered.clear();
  // LAB(03.11) begin: move nodes from `ready` to worker->offered, and offer these
  size_t kept = ready.size();
  for (size_t i = ready.size(); i-- > begin;) {
    if (costs_.IsExpensive(ready[i].node) && std::exchange(worker->has_expensive, true)) {
      worker->offered.push_back(ready[i]);
    } else {
      ready[--kept] = ready[i];
    }
  }
  if (worker->offered.empty()) return;
  ready.erase(ready.begin() + begin, ready.begin() + kept);
  threads_->Offer(worker->offered);
  // LAB(03.11) end
}

void Executor::Step::WorkOnShared(SharedNode* shared, Worker* worker) {
  if (is_measured_) worker->last_done = Clock::now();
  if (shared->finished != nullptr) {
    FinishAsyncNode(shared->finished.get(), worker);
    shared->finished.reset();
  } else {
    worker->ready.push_back(shared->ready);
  }
  Work(worker);
}

// In a thread of the pool.
void Executor::Step::Help(int number) {
  Worker worker(number, plan_);
  SharedNode shared;
  while (threads_->NextForHelper(&shared)) WorkOnShared(&shared, &worker);
}

// In the caller: takes part until nothing is left and no other thread is at work.
void Executor::Step::WaitForOthers() {
  SharedNode shared;
  // LAB(03.11) begin: do what NextForCaller says, until the step is over
  while (true) {
    const auto until = has_failed_ ? Clock::time_point::max() : limits_.NextCheck();
    switch (threads_->NextForCaller(&shared, until)) {
      case StepThreads::Next::kNode: WorkOnShared(&shared, &caller_); break;
      case StepThreads::Next::kTimeOut: CheckLimits(); break;
      case StepThreads::Next::kStepIsOver: return;
    }
  }
  // LAB(03.11) end
}

// What should_stop throws ends the step like a kernel's error: others may be at work.
void Executor::Step::CheckLimits() {
  Status status;
  try {
    status = limits_.Check();
  } catch (...) {
    status = CaughtStatus();
  }
  if (!status.ok()) Fail(status);
}

// Whether a kernel that computes for long should end: the question of StopIfAsked.
bool Executor::Step::MustStop() {
  if (!has_failed_) CheckLimits();
  return has_failed_;
}

// The first status counts. What waits is given up.
void Executor::Step::Fail(const Status& status) {
  // LAB(03.9) begin: note the status, and end what waits in kernels and for transfers
  {
    const std::lock_guard lock(mutex_);
    if (has_failed_) return;
    status_ = status;
    has_failed_ = true;
  }
  if (cancellation_) cancellation_->StartCancel();
  if (context_.rendezvous != nullptr) context_.rendezvous->StartAbort(status);
  // LAB(03.9) end
}

// Hands over the fetches, and leaves the step as new.
Status Executor::Step::Finish(std::vector<Tensor>* fetches) {
  // LAB(03.9) begin: take the fetches; if the step has failed, leave no tensor behind
  if (!has_failed_) status_ = propagator_.TakeFetches(fetches);
  if (!status_.ok()) {
    fetches->clear();
    propagator_.Clear();
    ResetAll(caller_.outputs);
  }
  // LAB(03.9) end
  if (arena_) arena_->End();
  has_failed_ = false;
  return std::exchange(status_, {});
}

Executor::Executor(const std::vector<PlacedGraph>& graphs, int num_feeds, int num_fetches,
                   ThreadPool* pool, KernelCache* kernel_cache)
    : plan_(graphs, num_feeds, num_fetches, kernel_cache), pool_(pool), costs_(plan_) {}

Executor::~Executor() = default;

void Executor::UseMemoryPlan(StepMemory memory) {
  if (!memory.order.empty()) memory_ = std::move(memory);
}

std::unique_ptr<Executor::Step> Executor::TakeStep() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_steps_.empty()) {
      auto step = std::move(idle_steps_.back());
      idle_steps_.pop_back();
      return step;
    }
  }
  return std::make_unique<Step>(plan_, memory_ ? &*memory_ : nullptr, pool_, &costs_);
}

Status Executor::Run(std::span<const Tensor> feeds, const StepOptions& options,
                     std::vector<Tensor>* fetches) {
  Require(static_cast<int>(feeds.size()) == plan_.num_feeds(), "needs ",
          plan_.num_feeds(), " feeds, got ", feeds.size());
  std::unique_ptr<Step> step = TakeStep();
  Status status = step->Run(feeds, options, fetches);
  // What kernels have handed to their devices is done, or has failed, when a step ends.
  for (Stream* stream : plan_.streams) {
    const Status of_stream = stream->Synchronize();
    if (status.ok() && !of_stream.ok()) {
      status = of_stream;
      fetches->clear();
    }
  }
  const std::lock_guard lock(mutex_);
  idle_steps_.push_back(std::move(step));
  return status;
}

}  // namespace minitf
