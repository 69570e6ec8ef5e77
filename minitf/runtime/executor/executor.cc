// Executor: one step from its feeds to its fetches.

#include "minitf/runtime/executor/executor.h"

#include <algorithm>
#include <utility>

#include "minitf/base/caught.h"
#include "minitf/base/logging.h"
#include "minitf/runtime/executor/executor_step.h"

namespace minitf {
namespace {

// The first steps are measured, and from then on one of so many.
constexpr int64_t kMeasuredSteps = 4;
constexpr int64_t kMeasureEvery = 64;

int64_t NextStepId() {
  static std::atomic<int64_t> next_id = 1;
  return next_id.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Executor::Step::Step(const ExecutorPlan& plan, const StepMemory* memory, ThreadPool* pool,
                     Costs* costs)
    : plan_(plan),
      memory_(memory),
      arena_(nullptr, nullptr),
      pool_(pool),
      costs_(*costs),
      is_parallel_(pool->num_threads() > 1 && plan.num_nodes() > 1 && memory == nullptr),
      control_flow_(plan, &root_) {
  root_.slots.resize(plan.frames[0].num_slots);
  caller_.outputs.resize(plan.max_outputs);
}

Status Executor::Step::Run(std::span<const Tensor> feeds, const StepOptions& options,
                           bool is_measured, std::vector<Tensor>* fetches) {
  is_measured_ = is_measured && is_parallel_;
  Begin(feeds, options);
  CancellationManager* const outer = options.cancellation;
  const bool may_wait = outer != nullptr && (plan_.has_async || plan_.has_control_flow);
  CancellationManager::Token token = 0;
  if (may_wait) {
    token = outer->NewToken();
    const auto cancel = [this] { Fail(errors::Cancelled("the step was cancelled")); };
    if (!outer->RegisterCallback(token, cancel)) cancel();
  }

  if (is_measured_) caller_.last_done = Clock::now();
  if (is_parallel_) OfferExpensive(0, &caller_);
  Work(&caller_);
  if (has_offered_ || plan_.has_async) WaitForOthers();
  if (may_wait) outer->DeregisterCallback(token);
  return Finish(fetches);
}

// Sets counters, slots and roots as they are before a step.
void Executor::Step::Begin(std::span<const Tensor> feeds, const StepOptions& options) {
  if (is_finished_) {
    const std::lock_guard lock(mutex_);
    is_finished_ = false;
  }
  options_ = &options;
  observer_ = options.observer;
  has_deadline_ = options.deadline != Clock::time_point::max();
  has_limits_ = has_deadline_ || options.should_stop;
  if (observer_ != nullptr) start_ = Clock::now();
  if (plan_.has_async || plan_.has_control_flow) cancellation_.emplace();
  context_ = {NextStepId(), options.rendezvous, cancellation_ ? &*cancellation_ : nullptr,
              &resources_};

  feeds_ = feeds;
  root_.pending = plan_.frames[0].pending;
  caller_.ready.clear();
  for (const int32_t root : plan_.roots) caller_.ready.push_back({root, false, &root_});
  if (plan_.has_control_flow) {
    root_.num_dead.assign(root_.pending.size(), 0);
    for (const ReadyNode& ready : caller_.ready) control_flow_.Start(ready);
    return;
  }
  int edge = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    for (; edge < plan_.feed_ends[i]; ++edge) {
      root_.slots[plan_.feed_edges[edge].slot] = feeds[i];
    }
  }
}

// Runs nodes until there is nothing left for this thread. What they throw ends the step.
void Executor::Step::Work(Worker* worker) {
  const StopScope scope(&must_stop_);
  try {
    if (memory_ == nullptr) {
      RunReady(worker);
    } else {
      RunByPlan(worker);
    }
  } catch (...) {
    Fail(CaughtStatus());
  }
  worker->ready.clear();
  worker->has_expensive = false;
}

// Runs what is ready, and what that makes ready, until the worker's list is empty.
void Executor::Step::RunReady(Worker* worker) {
  while (!worker->ready.empty() && !has_failed_.load(std::memory_order_relaxed)) {
    const ReadyNode ready = worker->ready.back();
    worker->ready.pop_back();
    if (worker->has_expensive && IsExpensive(ready)) worker->has_expensive = false;
    RunNode(ready, worker);
    CheckNowAndThen(worker);
  }
}

// Runs all nodes in the order of the memory plan, in which each is ready in its turn.
void Executor::Step::RunByPlan(Worker* worker) {
  if (arena_ == nullptr) {
    planned_device_ = *plan_.nodes[memory_->order.front()].device;
    arena_ = NewArena(*memory_, planned_device_.allocator);
    planned_device_.allocator = arena_.get();
  }
  for (const int32_t number : memory_->order) {
    memory_->ExpectOutputsOf(number, arena_.get());
    RunNode({number, false, &root_}, worker);
    worker->ready.clear();
    CheckNowAndThen(worker);
    if (has_failed_.load(std::memory_order_relaxed)) return;
  }
}

// Asks whether the step has to end.
void Executor::Step::CheckNowAndThen(Worker* worker) {
  if (!has_deadline_ && ++worker->num_since_check < kCheckEvery) return;
  worker->num_since_check = 0;
  CheckLimits();
}

void Executor::Step::RunNode(const ReadyNode& ready, Worker* worker) {
  const PlannedNode& node = plan_.nodes[ready.node];
  const std::span outputs(worker->outputs.data(), static_cast<size_t>(node.num_outputs));
  if (plan_.has_control_flow) {
    if (node.role == OpRole::kArg) {
      outputs[0] = feeds_[node.other];
      return NodeDone(ready, outputs, {}, worker);
    }
    if (ready.is_dead && node.role != OpRole::kSend) return SkipNode(ready, worker);
  }
  VLOG(2) << "Run " << plan_.graph_nodes[ready.node]->Describe();
  const std::span<Tensor> inputs = InputsOf(ready);
  Clock::time_point start;
  if (observer_ != nullptr) start = StartObserved(ready);
  if (node.async_kernel != nullptr) return RunAsyncNode(ready, start, worker);

  OpKernelContext ctx(inputs, outputs, OutputTypesOf(node), DeviceOf(node), context_,
                      FrameAndIterOf(ready), ready.is_dead);
  RunKernel(node.kernel, &ctx);
  for (Tensor& input : inputs) input.Reset();
  if (is_measured_) Measure(ready.node, worker);
  if (observer_ != nullptr) EndObserved(ready, start, worker->number, outputs);
  NodeDone(ready, outputs, ctx.status(), worker);
}

// A dead node is not run; whoever needs it is dead, too.
void Executor::Step::SkipNode(const ReadyNode& ready, Worker* worker) {
  for (Tensor& input : InputsOf(ready)) input.Reset();
  const PlannedNode& node = plan_.nodes[ready.node];
  PassOn(ready, {worker->outputs.data(), static_cast<size_t>(node.num_outputs)}, worker);
}

// What follows when a node has run.
void Executor::Step::NodeDone(const ReadyNode& ready, std::span<Tensor> outputs,
                              const Status& status, Worker* worker) {
  const Status result = status.ok() ? CheckOutputs(ready.node, outputs) : status;
  if (!result.ok()) {
    for (Tensor& output : outputs) output.Reset();
    return Fail(AtNode(result, *plan_.graph_nodes[ready.node]));
  }
  PassOn(ready, outputs, worker);
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
  const size_t begin = worker->ready.size();
  if (plan_.has_control_flow) {
    control_flow_.PassOn(done, outputs, &worker->ready);
  } else {
    FillSlots(plan_.nodes[done.node], outputs, worker);
  }
  // The first one that became ready runs first.
  std::reverse(worker->ready.begin() + begin, worker->ready.end());
  if (is_parallel_) OfferExpensive(begin, worker);
}

// Puts each output into the slots of its consumers, and adds the consumers that have now
// got everything to the worker's list.
void Executor::Step::FillSlots(const PlannedNode& node, std::span<Tensor> outputs,
                               Worker* worker) {
  int edge = node.first_edge;
  for (int i = 0; i < node.num_outputs; ++i) {
    Tensor& output = outputs[i];
    const int end = plan_.edge_ends[node.first_output + i];
    for (; edge < end; ++edge) {
      const auto [slot, consumer] = plan_.edges[edge];
      if (edge + 1 < end) {
        root_.slots[slot] = output;
      } else {  // The last one owns the tensor alone, and may write over it.
        root_.slots[slot] = std::exchange(output, Tensor());
      }
      if (consumer >= 0 && IsLastToArrive(consumer)) {
        worker->ready.push_back({consumer, false, &root_});
      }
    }
    output.Reset();
  }
  for (; edge < node.end_edge; ++edge) {
    const int32_t consumer = plan_.edges[edge].node;
    if (IsLastToArrive(consumer)) worker->ready.push_back({consumer, false, &root_});
  }
}

// Takes an edge off the count of `node`. Whoever arrives last sees what the others did.
bool Executor::Step::IsLastToArrive(int32_t node) {
  const int32_t counter = plan_.nodes[node].counter;
  if (plan_.frames[0].pending[counter] == 1) return true;
  int32_t& pending = root_.pending[counter];
  if (!is_parallel_) return --pending == 0;
  return std::atomic_ref(pending).fetch_sub(1, std::memory_order_acq_rel) == 1;
}

FrameAndIter Executor::Step::FrameAndIterOf(const ReadyNode& ready) const {
  const Iteration& iteration = *ready.iteration;
  return {iteration.frame == nullptr ? 0 : iteration.frame->id, iteration.number};
}

// Hands over the fetches, and leaves the step as new.
Status Executor::Step::Finish(std::vector<Tensor>* fetches) {
  const std::lock_guard lock(mutex_);
  fetches->resize(plan_.num_fetches());
  for (int i = 0; i < plan_.num_fetches() && status_.ok(); ++i) {
    (*fetches)[i] = std::move(root_.slots[plan_.first_fetch_slot + i]);
    if ((*fetches)[i].has_value()) continue;
    status_ = errors::InvalidArgument("Retval[", i,
                                      "] does not have value: ", plan_.fetch_names[i],
                                      " is in a branch that was not taken");
  }
  if (!status_.ok()) {
    fetches->clear();
    for (Tensor& slot : root_.slots) slot.Reset();
    for (Tensor& output : caller_.outputs) output.Reset();
    control_flow_.Clear();
  }
  // What is still in the arena is kept by somebody; the next step gets another one.
  if (arena_ != nullptr && arena_->stats().bytes_in_use > 0) arena_.reset();
  root_.num_running = 0;
  if (resources_.size() > 0) resources_.ClearAll();
  feeds_ = {};
  options_ = nullptr;
  offered_.clear();
  has_failed_ = false;
  has_offered_ = false;
  num_helpers_ = 0;
  return std::exchange(status_, {});
}

Executor::Executor(const std::vector<PlacedGraph>& graphs, int num_feeds, int num_fetches,
                   ThreadPool* pool, KernelCache* kernel_cache)
    : plan_(graphs, num_feeds, num_fetches, kernel_cache),
      pool_(pool),
      costs_(plan_.num_nodes()) {
  for (int i = 0; i < plan_.num_nodes(); ++i) {
    costs_[i] = plan_.nodes[i].is_expensive ? Step::kWorthAThread : 0;
  }
}

Executor::~Executor() = default;

void Executor::UseMemoryPlan(StepMemory memory) {
  if (!memory.order.empty()) memory_ = std::move(memory);
}

std::shared_ptr<Executor::Step> Executor::TakeStep() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_steps_.empty()) {
      auto step = std::move(idle_steps_.back());
      idle_steps_.pop_back();
      return step;
    }
  }
  return std::make_shared<Step>(plan_, memory_ ? &*memory_ : nullptr, pool_, &costs_);
}

Status Executor::Run(std::span<const Tensor> feeds, const StepOptions& options,
                     std::vector<Tensor>* fetches) {
  Require(static_cast<int>(feeds.size()) == plan_.num_feeds(), "needs ",
          plan_.num_feeds(), " feeds, got ", feeds.size());
  const int64_t number = num_steps_.fetch_add(1, std::memory_order_relaxed);
  const bool is_measured = number < kMeasuredSteps || number % kMeasureEvery == 0;

  std::shared_ptr<Step> step = TakeStep();
  Status status = step->Run(feeds, options, is_measured, fetches);
  // Another owner is a helper that has not come yet, and must not see the next step.
  if (step.use_count() == 1) {
    const std::lock_guard lock(mutex_);
    idle_steps_.push_back(std::move(step));
  }
  return status;
}

}  // namespace minitf
