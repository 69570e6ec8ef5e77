// Executor::Step: sharing nodes among threads, and waiting for asynchronous kernels.

#include <algorithm>
#include <utility>

#include "minitf/runtime/executor/executor_step.h"

namespace minitf {

Executor::Step::AsyncRun::AsyncRun(Step* step, const ReadyNode& ready_node)
    : ready(ready_node),
      outputs(step->plan_.nodes[ready.node].num_outputs),
      ctx(step->InputsOf(ready), outputs,
          step->OutputTypesOf(step->plan_.nodes[ready.node]),
          *step->plan_.nodes[ready.node].device, step->context_,
          step->FrameAndIterOf(ready), ready.is_dead) {}

// Starts an asynchronous kernel. If it is done at once, its node is finished here;
// otherwise by whoever works on the step when it is done.
void Executor::Step::RunAsyncNode(const ReadyNode& ready, Clock::time_point start,
                                  Worker* worker) {
  auto owned = std::make_unique<AsyncRun>(this, ready);
  AsyncRun* const run = owned.release();
  run->start = start;
  num_async_.fetch_add(1, std::memory_order_relaxed);
  RunKernelAsync(plan_.nodes[ready.node].async_kernel, &run->ctx,
                 [step = shared_from_this(), run] {
                   const auto before = run->phase.exchange(AsyncRun::kDone);
                   if (before == AsyncRun::kReturned) step->HandOver(run);
                 });
  if (run->phase.exchange(AsyncRun::kReturned) != AsyncRun::kDone) return;
  owned.reset(run);
  FinishAsync(run, worker);
  num_async_.fetch_sub(1, std::memory_order_relaxed);
}

void Executor::Step::FinishAsync(AsyncRun* run, Worker* worker) {
  for (Tensor& input : InputsOf(run->ready)) input.Reset();
  if (observer_ != nullptr) {
    EndObserved(run->ready, run->start, worker->number, run->outputs);
  }
  NodeDone(run->ready, run->outputs, run->ctx.status(), worker);
}

// In the thread that is done with what an asynchronous kernel waited for, which may be in
// the midst of something else: the step's own threads go on with the node.
void Executor::Step::HandOver(AsyncRun* run) {
  int num_helpers = 0;
  {
    const std::lock_guard lock(mutex_);
    handed_over_.emplace_back(run);
    num_async_.fetch_sub(1, std::memory_order_relaxed);
    if (is_waiting_) {
      changed_.notify_one();
    } else {
      num_helpers = NumHelpersToCall();
    }
  }
  CallHelpers(num_helpers);
}

void Executor::Step::Measure(int32_t number, Worker* worker) {
  if (!plan_.nodes[number].is_expensive) return;
  const Clock::time_point now = Clock::now();
  costs_[number].store((now - worker->last_done) / std::chrono::nanoseconds(1),
                       std::memory_order_relaxed);
  worker->last_done = now;
}

// Of ready[begin] and those behind it, offers to helpers what is worth a thread. The
// worker keeps the one that it comes to first, unless it has such a one already.
void Executor::Step::OfferExpensive(size_t begin, Worker* worker) {
  std::vector<ReadyNode>& ready = worker->ready;
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

void Executor::Step::Offer(const std::vector<ReadyNode>& ready) {
  int num_helpers = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!has_offered_) has_offered_ = true;  // the caller's doing: no helper is there yet
    offered_.insert(offered_.end(), ready.begin(), ready.end());
    num_helpers = NumHelpersToCall();
    if (is_waiting_) changed_.notify_one();
  }
  CallHelpers(num_helpers);
}

// How many more helpers there is work for. Requires: mutex_ is held, and they are called.
int Executor::Step::NumHelpersToCall() {
  const auto num_waiting = static_cast<int>(offered_.size() + handed_over_.size());
  const int num = std::min(num_waiting, pool_->num_threads() - 1 - num_helpers_);
  if (!is_parallel_ || num <= 0) return 0;
  num_helpers_ += num;
  return num;
}

// Requires: mutex_ is not held: a pool whose queue is full runs the work here and now.
void Executor::Step::CallHelpers(int num_helpers) {
  for (int i = 0; i < num_helpers; ++i) {
    pool_->Schedule([step = shared_from_this()] { step->Help(); });
  }
}

// Works on one node that is offered or handed over. False if there is none, or the step
// has failed. Requires: *lock holds mutex_; it is free while the node runs.
bool Executor::Step::WorkOnOffered(Worker* worker, std::unique_lock<std::mutex>* lock) {
  std::unique_ptr<AsyncRun> run;
  if (!handed_over_.empty()) {
    run = std::move(handed_over_.front());
    handed_over_.pop_front();
  } else if (!offered_.empty() && !has_failed_) {
    worker->ready.push_back(offered_.front());
    offered_.pop_front();
  } else {
    return false;
  }
  lock->unlock();
  if (is_measured_) worker->last_done = Clock::now();
  if (run != nullptr) FinishAsync(run.get(), worker);
  Work(worker);
  run.reset();
  lock->lock();
  return true;
}

// In a thread of the pool: works while there is an offer. May come when the step is over
// and its executor gone; then only this object, which it owns in part, is there.
void Executor::Step::Help() {
  std::unique_lock lock(mutex_);
  if (is_finished_) return;
  Worker worker;
  worker.outputs.resize(plan_.max_outputs);
  worker.number = ++num_helpers_seen_;
  ++num_helping_;
  while (WorkOnOffered(&worker, &lock)) {
  }
  --num_helping_;
  --num_helpers_;
  if (is_waiting_) changed_.notify_one();
}

// In the caller: takes part until nothing is offered, nobody is at work, and no kernel
// waits. A helper that has not come by then is not waited for; its pool may be busy with
// other steps.
void Executor::Step::WaitForOthers() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (WorkOnOffered(&caller_, &lock)) continue;
    if (num_helping_ == 0 && num_async_.load(std::memory_order_relaxed) == 0) break;
    Sleep(&lock);
  }
  is_finished_ = true;
}

// Until something changes. Requires: *lock holds mutex_.
void Executor::Step::Sleep(std::unique_lock<std::mutex>* lock) {
  is_waiting_ = true;
  if (has_limits_ && !has_failed_) {
    const auto soon = Clock::now() + std::chrono::milliseconds(50);
    changed_.wait_until(*lock, std::min(soon, options_->deadline));
    is_waiting_ = false;
    lock->unlock();
    CheckLimits();
    lock->lock();
  } else {
    changed_.wait(*lock);
    is_waiting_ = false;
  }
}

void Executor::Step::CheckLimits() {
  if (has_deadline_ && Clock::now() >= options_->deadline) {
    Fail(errors::DeadlineExceeded("the step took longer than its timeout allows"));
  } else if (options_->should_stop && options_->should_stop()) {
    Fail(errors::Cancelled("the step was interrupted"));
  } else if (options_->cancellation != nullptr &&
             options_->cancellation->is_cancelled()) {
    Fail(errors::Cancelled("the step was cancelled"));
  }
}

// What a kernel asks that computes for long.
bool Executor::Step::MustStop() {
  if (!has_failed_) CheckLimits();
  return has_failed_;
}

// The first status counts. What waits is given up.
void Executor::Step::Fail(const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (has_failed_) return;
    status_ = status;
    has_failed_ = true;
  }
  if (cancellation_) cancellation_->StartCancel();
  if (context_.rendezvous != nullptr) context_.rendezvous->StartAbort(status);
}

Executor::Step::Clock::time_point Executor::Step::StartObserved(
    const ReadyNode& ready) const {
  observer_->NodeStarts(*plan_.graph_nodes[ready.node], InputsOf(ready));
  return Clock::now();
}

void Executor::Step::EndObserved(const ReadyNode& ready, Clock::time_point start,
                                 int thread, std::span<const Tensor> outputs) const {
  const auto since_start = [this](Clock::time_point time) -> int64_t {
    return (time - start_) / std::chrono::nanoseconds(1);
  };
  observer_->NodeEnds({*plan_.graph_nodes[ready.node],
                       plan_.device_names[plan_.graph_of[ready.node]],
                       FrameAndIterOf(ready), since_start(start),
                       since_start(Clock::now()), thread, outputs});
}

}  // namespace minitf
