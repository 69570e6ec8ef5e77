// Executor: one step from its feeds to its fetches.

#include "minitf/runtime/executor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <utility>

#include "minitf/base/logging.h"

namespace minitf {
namespace {

using Clock = std::chrono::steady_clock;

// Below this many nanoseconds, waking another thread costs more than the node.
constexpr int64_t kWorthAThread = 10'000;
// The first steps are measured, and from then on one of so many.
constexpr int64_t kMeasuredSteps = 4;
constexpr int64_t kMeasureEvery = 64;

}  // namespace

// The tensors, counters and threads of one step. Kept by the executor and used again.
class Executor::Step : public std::enable_shared_from_this<Step> {
 public:
  Step(const ExecutorPlan& plan, ThreadPool* pool, Costs* costs)
      : plan_(plan),
        pool_(pool),
        costs_(*costs),
        is_parallel_(pool->num_threads() > 1 && plan.num_nodes() > 1),
        slots_(plan.num_slots) {}

  Status Run(std::span<const Tensor> feeds, bool is_measured,
             std::vector<Tensor>* fetches);

 private:
  // What a thread that works on a step has of its own.
  struct Worker {
    std::vector<int32_t> ready;  // the next one to run is the last
    std::vector<int32_t> offered;
    std::vector<Tensor> outputs;  // of the node that runs
    bool has_expensive = false;   // one of `ready` is worth a thread
    Clock::time_point last_done;
  };

  void Work(Worker* worker);
  void RunNode(int number, Worker* worker);
  void NodeDone(int number, const Status& status, Worker* worker);
  Status CheckOutputs(int number, const Worker& worker) const;
  void PassOn(const PlannedNode& node, Worker* worker);
  bool IsLastToArrive(int32_t node);

  bool IsExpensive(int number) const {
    return costs_[number].load(std::memory_order_relaxed) >= kWorthAThread;
  }
  void Measure(int number, Worker* worker);
  void OfferExpensive(size_t begin, Worker* worker);
  void Offer(const std::vector<int32_t>& numbers);
  bool TakeOffered(Worker* worker);
  void Help();
  void WaitForHelpers();

  void Fail(const Status& status);
  Status Finish(std::vector<Tensor>* fetches);

  const ExecutorPlan& plan_;
  ThreadPool* const pool_;
  Costs& costs_;
  const bool is_parallel_;
  bool is_measured_ = false;
  std::vector<Tensor> slots_;
  std::vector<int> pending_;
  Worker caller_;
  std::atomic<bool> has_failed_ = false;
  bool has_offered_ = false;  // only then do other threads know of this step

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<int32_t> offered_;
  int num_helpers_ = 0;  // asked for
  int num_helping_ = 0;  // at work
  bool is_waiting_ = false;
  bool is_finished_ = false;
  Status status_;
};

Status Executor::Step::Run(std::span<const Tensor> feeds, bool is_measured,
                           std::vector<Tensor>* fetches) {
  if (is_finished_) {
    const std::lock_guard lock(mutex_);
    is_finished_ = false;
  }
  is_measured_ = is_measured && is_parallel_;
  pending_ = plan_.pending;
  caller_.ready = plan_.roots;
  int edge = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    for (; edge < plan_.feed_ends[i]; ++edge) {
      slots_[plan_.feed_edges[edge].slot] = feeds[i];
    }
  }

  if (is_measured_) caller_.last_done = Clock::now();
  if (is_parallel_) OfferExpensive(0, &caller_);
  Work(&caller_);
  if (has_offered_) WaitForHelpers();
  return Finish(fetches);
}

// Runs what is ready, and what that makes ready, until the worker's list is empty.
void Executor::Step::Work(Worker* worker) {
  try {
    worker->outputs.resize(plan_.max_outputs);
    while (!worker->ready.empty() && !has_failed_.load(std::memory_order_relaxed)) {
      const int number = worker->ready.back();
      worker->ready.pop_back();
      if (worker->has_expensive && IsExpensive(number)) worker->has_expensive = false;
      RunNode(number, worker);
    }
  } catch (const std::exception& exception) {
    Fail({Code::kUnknown, exception.what()});
  } catch (...) {
    Fail({Code::kUnknown, "something that is not an exception was thrown"});
  }
  worker->ready.clear();
  worker->has_expensive = false;
}

void Executor::Step::RunNode(int number, Worker* worker) {
  const PlannedNode& node = plan_.nodes[number];
  VLOG(2) << "Run " << plan_.graph_nodes[number]->Describe();

  const size_t num_outputs = node.num_outputs;
  const std::span inputs(slots_.data() + node.first_slot, node.num_inputs);
  OpKernelContext ctx(inputs, {worker->outputs.data(), num_outputs},
                      {plan_.output_types.data() + node.first_output, num_outputs},
                      plan_.device);
  RunKernel(node.kernel, &ctx);
  for (Tensor& input : inputs) input.Reset();
  if (is_measured_) Measure(number, worker);
  NodeDone(number, ctx.status(), worker);
}

// What follows when node `number` has run. Its outputs are in the worker's.
void Executor::Step::NodeDone(int number, const Status& status, Worker* worker) {
  const PlannedNode& node = plan_.nodes[number];
  const Status result = status.ok() ? CheckOutputs(number, *worker) : status;
  if (!result.ok()) {
    for (Tensor& output : worker->outputs) output.Reset();
    return Fail(AtNode(result, *plan_.graph_nodes[number]));
  }
  const size_t begin = worker->ready.size();
  PassOn(node, worker);
  // The first one that became ready runs first.
  std::reverse(worker->ready.begin() + begin, worker->ready.end());
  if (is_parallel_) OfferExpensive(begin, worker);
}

Status Executor::Step::CheckOutputs(int number, const Worker& worker) const {
  const PlannedNode& node = plan_.nodes[number];
  for (int i = 0; i < node.num_outputs; ++i) {
    const DType expected = plan_.output_types[node.first_output + i];
    const Tensor& output = worker.outputs[i];
    if (output.dtype() == expected) [[likely]]
      continue;
    if (!output.has_value()) return errors::Internal("output ", i, " has no value");
    return errors::Internal("output ", i, " is ", output.dtype(), ", must be ", expected);
  }
  return {};
}

// Puts each output into the slots of its consumers, and adds the consumers that have now
// got everything to the worker's list.
void Executor::Step::PassOn(const PlannedNode& node, Worker* worker) {
  int edge = node.first_edge;
  for (int i = 0; i < node.num_outputs; ++i) {
    Tensor& output = worker->outputs[i];
    const int end = plan_.edge_ends[node.first_output + i];
    for (; edge < end; ++edge) {
      const auto [slot, consumer] = plan_.edges[edge];
      if (edge + 1 < end) {
        slots_[slot] = output;
      } else {  // The last one owns the tensor alone, and may write over it.
        slots_[slot] = std::exchange(output, Tensor());
      }
      if (consumer >= 0 && IsLastToArrive(consumer)) worker->ready.push_back(consumer);
    }
    output.Reset();
  }
  for (; edge < node.end_edge; ++edge) {
    const int32_t consumer = plan_.edges[edge].node;
    if (IsLastToArrive(consumer)) worker->ready.push_back(consumer);
  }
}

// Takes an edge off the count of `node`. Whoever arrives last sees what the others did.
bool Executor::Step::IsLastToArrive(int32_t node) {
  if (plan_.pending[node] == 1) return true;
  if (!is_parallel_) return --pending_[node] == 0;
  return std::atomic_ref(pending_[node]).fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void Executor::Step::Measure(int number, Worker* worker) {
  if (!plan_.nodes[number].is_expensive) return;
  const Clock::time_point now = Clock::now();
  costs_[number].store((now - worker->last_done) / std::chrono::nanoseconds(1),
                       std::memory_order_relaxed);
  worker->last_done = now;
}

// Of ready[begin] and those behind it, offers to helpers what is worth a thread. The
// worker keeps the one that it comes to first, unless it has such a one already.
void Executor::Step::OfferExpensive(size_t begin, Worker* worker) {
  std::vector<int32_t>& ready = worker->ready;
  worker->offered.clear();
  size_t kept = ready.size();
  for (size_t i = ready.size(); i-- > begin;) {
    if (IsExpensive(ready[i]) && std::exchange(worker->has_expensive, true)) {
      worker->offered.push_back(ready[i]);
    } else {
      ready[--kept] = ready[i];
    }
  }
  if (worker->offered.empty()) return;
  ready.erase(ready.begin() + begin, ready.begin() + kept);
  Offer(worker->offered);
}

void Executor::Step::Offer(const std::vector<int32_t>& numbers) {
  int num_new = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!has_offered_) has_offered_ = true;  // the caller's doing: no helper is there yet
    offered_.insert(offered_.end(), numbers.begin(), numbers.end());
    num_new = std::min(static_cast<int>(offered_.size()),
                       pool_->num_threads() - 1 - num_helpers_);
    num_helpers_ += num_new;
    if (is_waiting_) changed_.notify_one();
  }
  // Not under the lock: a pool whose queue is full runs the work here and now.
  for (int i = 0; i < num_new; ++i) {
    pool_->Schedule([step = shared_from_this()] { step->Help(); });
  }
}

// Requires: mutex_ is held.
bool Executor::Step::TakeOffered(Worker* worker) {
  if (offered_.empty() || has_failed_) return false;
  worker->ready.push_back(offered_.front());
  offered_.pop_front();
  return true;
}

// In a thread of the pool: works while there is an offer. May come when the step is over
// and its executor gone; then only this object, which it owns in part, is there.
void Executor::Step::Help() {
  std::unique_lock lock(mutex_);
  if (is_finished_) return;
  Worker worker;
  ++num_helping_;
  while (TakeOffered(&worker)) {
    lock.unlock();
    if (is_measured_) worker.last_done = Clock::now();
    Work(&worker);
    lock.lock();
  }
  --num_helping_;
  --num_helpers_;
  if (is_waiting_) changed_.notify_one();
}

// In the caller: takes part until nothing is offered and nobody is at work. A helper that
// has not come by then is not waited for; its pool may be busy with other steps.
void Executor::Step::WaitForHelpers() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (TakeOffered(&caller_)) {
      lock.unlock();
      if (is_measured_) caller_.last_done = Clock::now();
      Work(&caller_);
      lock.lock();
    } else if (num_helping_ > 0) {
      is_waiting_ = true;
      changed_.wait(lock);
      is_waiting_ = false;
    } else {
      break;
    }
  }
  is_finished_ = true;
}

void Executor::Step::Fail(const Status& status) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = status;
  has_failed_ = true;
}

// Hands over the fetches, and leaves the step as new.
Status Executor::Step::Finish(std::vector<Tensor>* fetches) {
  const std::lock_guard lock(mutex_);
  fetches->resize(plan_.num_fetches());
  for (int i = 0; i < plan_.num_fetches() && status_.ok(); ++i) {
    (*fetches)[i] = std::move(slots_[plan_.first_fetch_slot + i]);
    if ((*fetches)[i].has_value()) continue;
    status_ =
        errors::Internal("the step ended without a value for ", plan_.fetch_names[i]);
  }
  if (!status_.ok()) {
    fetches->clear();
    for (Tensor& slot : slots_) slot.Reset();
    for (Tensor& output : caller_.outputs) output.Reset();
  }
  offered_.clear();
  has_failed_ = false;
  has_offered_ = false;
  num_helpers_ = 0;
  return std::exchange(status_, {});
}

Executor::Executor(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                   const std::vector<Node*>& targets, const DeviceContext& device,
                   ThreadPool* pool, KernelCache* kernel_cache)
    : plan_(feeds, fetches, targets, device, kernel_cache),
      pool_(pool),
      costs_(plan_.num_nodes()) {
  for (int i = 0; i < plan_.num_nodes(); ++i) {
    costs_[i] = plan_.nodes[i].is_expensive ? kWorthAThread : 0;
  }
}

Executor::~Executor() = default;

std::shared_ptr<Executor::Step> Executor::TakeStep() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_steps_.empty()) {
      auto step = std::move(idle_steps_.back());
      idle_steps_.pop_back();
      return step;
    }
  }
  return std::make_shared<Step>(plan_, pool_, &costs_);
}

Status Executor::Run(std::span<const Tensor> feeds, std::vector<Tensor>* fetches) {
  Require(feeds.size() == plan_.feed_ends.size(), "needs ", plan_.feed_ends.size(),
          " feeds, got ", feeds.size());
  const int64_t number = num_steps_.fetch_add(1, std::memory_order_relaxed);
  const bool is_measured = number < kMeasuredSteps || number % kMeasureEvery == 0;

  std::shared_ptr<Step> step = TakeStep();
  Status status = step->Run(feeds, is_measured, fetches);
  // Another owner is a helper that has not come yet, and must not see the next step.
  if (step.use_count() == 1) {
    const std::lock_guard lock(mutex_);
    idle_steps_.push_back(std::move(step));
  }
  return status;
}

}  // namespace minitf
