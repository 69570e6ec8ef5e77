// ThreadPool on Eigen's non-blocking pool.

#include "minitf/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/base/stop.h"

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/ThreadPool>

namespace minitf {
namespace {

// Below this much work, in nanoseconds, a second thread costs more than it saves.
constexpr int64_t kWorthAThread = 20'000;

// After so much work, in nanoseconds, a thread asks whether to go on.
constexpr int64_t kAskEvery = 100'000'000;

// Waits until `count` calls of Done() have come, and keeps the first exception.
class Barrier {
 public:
  explicit Barrier(int count) : count_(count) {}

  void Done(const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (failure) Keep(failure);
    if (--count_ == 0) all_done_.notify_one();
  }

  // Meanwhile `question`, which may be null, is asked now and then, on behalf of the
  // workers: only the caller's thread may ask it.
  void Wait(const StopQuestion* question) {
    std::unique_lock lock(mutex_);
    const auto all_done = [this] { return count_ == 0; };
    while (question != nullptr && !has_failed()) {
      if (all_done_.wait_for(lock, std::chrono::nanoseconds(kAskEvery), all_done)) break;
      lock.unlock();
      std::exception_ptr failure;
      try {
        StopIfAsked();
      } catch (const Error&) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) Keep(failure);
    }
    all_done_.wait(lock, all_done);
    if (failure_) std::rethrow_exception(failure_);
  }

  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }

 private:
  void Keep(const std::exception_ptr& failure) {
    if (!failure_) failure_ = failure;
    has_failed_ = true;
  }

  std::mutex mutex_;
  std::condition_variable all_done_;
  int count_;
  std::exception_ptr failure_;
  std::atomic<bool> has_failed_ = false;
};

// A thread that has been started, and waits to be told what to run.
class WaitingThread {
 public:
  WaitingThread() : thread_([this] { Run(); }) {}

  ~WaitingThread() {
    Give([] {});
    thread_.join();
  }

  // The first call counts.
  void Give(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (work_) return;
    work_ = std::move(work);
    has_work_.notify_one();
  }

  void OnCancel() {}  // Eigen calls it when it drops the work of a pool

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    has_work_.wait(lock, [this] { return work_ != nullptr; });
    lock.unlock();
    work_();
  }

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::function<void()> work_;
  std::thread thread_;  // last: it uses the others
};

// What Eigen's pool runs on. Eigen makes one thread after the other, and when the system
// refuses one it waits for ever for those before it. So all are started first, and a pool
// is only made when it can be completed.
class StartedThreads {
 public:
  using EnvThread = WaitingThread;
  using Task = Eigen::StlThreadEnvironment::Task;

  explicit StartedThreads(int count) {
    try {
      for (int i = 0; i < count; ++i) {
        threads_->push_back(std::make_unique<WaitingThread>());
      }
    } catch (const std::exception&) {  // of the system, or no memory
      const size_t num_started = threads_->size();
      threads_->clear();
      throw Error(errors::ResourceExhausted("a pool needs ", count,
                                            " threads, and the system allows only ",
                                            num_started, " more"));
    }
  }

  EnvThread* CreateThread(std::function<void()> work) {
    EnvThread* const thread = threads_->back().release();
    threads_->pop_back();
    thread->Give(std::move(work));
    return thread;
  }
  Task CreateTask(std::function<void()> work) { return {std::move(work)}; }
  void ExecuteTask(const Task& task) { task.f(); }

 private:
  // Eigen copies this object before it makes threads.
  std::shared_ptr<std::vector<std::unique_ptr<WaitingThread>>> threads_ =
      std::make_shared<std::vector<std::unique_ptr<WaitingThread>>>();
};

using EigenPool = Eigen::ThreadPoolTempl<StartedThreads>;

// Throws ResourceExhausted.
EigenPool* NewPool(int num_threads) {
  return new EigenPool(num_threads, StartedThreads(num_threads));
}

// a * b, or the largest number if that is more. Requires: both are positive.
int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return std::numeric_limits<int64_t>::max();
}

// How often this process has come out of a fork.
std::atomic<int> num_forks{0};

int NumForks() {
  static const int failure =
      pthread_atfork(nullptr, nullptr, [] { num_forks.fetch_add(1); });
  return failure == 0 ? num_forks.load(std::memory_order_relaxed) : 0;
}

// An Eigen pool that outlives a fork. Threads do not follow a process into its child, so
// there the pool would wait for workers that never come; the child gets a new one.
class Workers final : public Eigen::ThreadPoolInterface {
 public:
  explicit Workers(int num_threads)
      : num_threads_(num_threads), num_forks_(NumForks()), pool_(NewPool(num_threads)) {}

  // In a child process that has not used the pool there is no thread to join.
  ~Workers() override {
    if (num_forks_ == NumForks()) delete pool_.load();
  }

  void Schedule(std::function<void()> work) override {
    Current()->Schedule(std::move(work));
  }
  int NumThreads() const override { return num_threads_; }
  int CurrentThreadId() const override { return Current()->CurrentThreadId(); }

 private:
  EigenPool* Current() const {
    if (num_forks_.load(std::memory_order_acquire) == NumForks()) [[likely]]
      return pool_;
    const std::lock_guard lock(mutex_);
    if (num_forks_ != NumForks()) {
      pool_ = NewPool(num_threads_);  // the old one cannot be destroyed
      num_forks_.store(NumForks(), std::memory_order_release);
    }
    return pool_;
  }

  const int num_threads_;
  mutable std::mutex mutex_;
  mutable std::atomic<int> num_forks_;  // when pool_ was made
  mutable std::atomic<EigenPool*> pool_;
};

}  // namespace

int NumUsableCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

// Never destroyed: its workers may still be busy when static objects go.
ThreadPool& ProcessThreads() {
  static auto* threads = new ThreadPool(0);
  return *threads;
}

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(num_threads > 0 ? num_threads : NumUsableCores()),
      pool_(std::make_unique<Workers>(num_threads_)) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::Schedule(std::function<void()> work) {
  pool_->Schedule(std::move(work));
}

void ThreadPool::ParallelFor(int64_t total, int64_t cost_per_unit,
                             const std::function<void(int64_t, int64_t)>& work) {
  int64_t slice = std::max<int64_t>(1, kAskEvery / std::max<int64_t>(cost_per_unit, 1));
  if (total <= slice) return ParallelPieces(total, cost_per_unit, work);
  // Elements keep their lanes in vector instructions, and results their bits.
  constexpr int64_t kLanes = 64;
  if (slice > kLanes) slice -= slice % kLanes;
  ParallelPieces(total, cost_per_unit, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += std::min(slice, end - first)) {
      StopIfAsked();
      work(first, std::min(first + slice, end));
    }
  });
}

void ThreadPool::ParallelPieces(int64_t total, int64_t cost_per_unit,
                                const std::function<void(int64_t, int64_t)>& work) {
  if (total <= 0) return;
  const int64_t threads_worth =
      SaturatingProduct(total, std::max<int64_t>(cost_per_unit, 1)) / kWorthAThread;
  const int64_t pieces =
      std::min({int64_t{num_threads_}, total, std::max<int64_t>(threads_worth, 1)});
  // A worker that waited for other workers could wait for itself.
  if (pieces == 1 || pool_->CurrentThreadId() >= 0) return work(0, total);

  Barrier barrier(static_cast<int>(pieces));
  const StopQuestion* const outer = StopScope::Current();
  const StopQuestion question = [&] {
    return barrier.has_failed() || (outer != nullptr && (*outer)());
  };
  const auto run = [&](int64_t piece) {
    const StopScope scope(&question);
    std::exception_ptr failure;
    try {
      work(total * piece / pieces, total * (piece + 1) / pieces);
    } catch (...) {
      failure = std::current_exception();
    }
    barrier.Done(failure);
  };
  for (int64_t piece = 1; piece < pieces; ++piece) {
    pool_->Schedule([&run, piece] { run(piece); });
  }
  run(0);
  barrier.Wait(outer);
}

}  // namespace minitf
