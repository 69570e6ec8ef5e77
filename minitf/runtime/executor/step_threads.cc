// StepThreads: sharing, calling helpers, waiting.

#include "minitf/runtime/executor/step_threads.h"

#include <algorithm>
#include <utility>

namespace minitf {

StepThreads::StepThreads(ThreadPool* pool, bool has_helpers,
                         std::function<void(int thread)> help)
    : pool_(pool),
      max_helpers_(has_helpers ? pool->num_threads() - 1 : 0),
      help_(std::move(help)) {}

void StepThreads::Begin() {
  // A step that has shared nothing leaves all as it was.
  if (!is_over_) return;
  const std::lock_guard lock(mutex_);
  is_over_ = false;
  has_offered_ = false;
  num_helpers_ = 0;
  num_helpers_seen_ = 0;
}

void StepThreads::Offer(std::span<const ReadyNode> ready) {
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

AsyncRun::Ptr StepThreads::StartKernel(AsyncRun::Ptr run) {
  num_kernels_.fetch_add(1, std::memory_order_relaxed);
  AsyncRun::Ptr finished = AsyncRun::Start(
      std::move(run), [threads = shared_from_this()](AsyncRun::Ptr handed_over) {
        threads->HandOver(std::move(handed_over));
      });
  if (finished != nullptr) num_kernels_.fetch_sub(1, std::memory_order_relaxed);
  return finished;
}

// In the thread that is done with what an asynchronous kernel waited for.
void StepThreads::HandOver(AsyncRun::Ptr run) {
  int num_helpers = 0;
  {
    const std::lock_guard lock(mutex_);
    finished_.push_back(std::move(run));
    num_kernels_.fetch_sub(1, std::memory_order_relaxed);
    if (is_waiting_) {
      changed_.notify_one();
    } else {
      num_helpers = NumHelpersToCall();
    }
  }
  CallHelpers(num_helpers);
}

// How many more helpers there is work for. Requires: mutex_ is held, and they are called.
int StepThreads::NumHelpersToCall() {
  const auto num_shared = static_cast<int>(offered_.size() + finished_.size());
  const int num = std::min(num_shared, max_helpers_ - num_helpers_);
  if (num <= 0) return 0;
  num_helpers_ += num;
  return num;
}

// Requires: mutex_ is not held: a pool whose queue is full runs the work here and now.
void StepThreads::CallHelpers(int num_helpers) {
  for (int i = 0; i < num_helpers; ++i) {
    pool_->Schedule([threads = shared_from_this()] { threads->Help(); });
  }
}

// In a thread of the pool, perhaps when the step is over.
void StepThreads::Help() {
  int number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    number = ++num_helpers_seen_;
    ++num_helping_;
  }
  help_(number);
}

// What is done goes first: others may wait for it. Requires: mutex_ is held.
bool StepThreads::Take(SharedNode* next) {
  if (!finished_.empty()) {
    next->finished = std::move(finished_.front());
    finished_.pop_front();
    return true;
  }
  if (offered_.empty()) return false;
  next->ready = offered_.front();
  offered_.pop_front();
  return true;
}

bool StepThreads::NextForHelper(SharedNode* next) {
  const std::lock_guard lock(mutex_);
  if (Take(next)) return true;
  --num_helping_;
  --num_helpers_;
  if (is_waiting_) changed_.notify_one();
  return false;
}

StepThreads::Next StepThreads::NextForCaller(SharedNode* next, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (Take(next)) return Next::kNode;
    if (num_helping_ == 0 && num_kernels_.load(std::memory_order_relaxed) == 0) {
      is_over_ = true;
      return Next::kStepIsOver;
    }
    is_waiting_ = true;
    auto status = std::cv_status::no_timeout;
    if (until == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      status = changed_.wait_until(lock, until);
    }
    is_waiting_ = false;
    if (status == std::cv_status::timeout) return Next::kTimeOut;
  }
}

}  // namespace minitf
