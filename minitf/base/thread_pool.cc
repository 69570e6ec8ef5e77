// ThreadPool on Eigen's non-blocking pool.

#include "minitf/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <utility>

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/ThreadPool>

namespace minitf {
namespace {

// Below this much work, in nanoseconds, a second thread costs more than it saves.
constexpr int64_t kWorthAThread = 20'000;

// Waits until `count` calls of Done() have come, and keeps the first exception.
class Barrier {
 public:
  explicit Barrier(int count) : count_(count) {}

  void Done(const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (failure && !failure_) failure_ = failure;
    if (--count_ == 0) all_done_.notify_one();
  }

  void Wait() {
    std::unique_lock lock(mutex_);
    all_done_.wait(lock, [this] { return count_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_done_;
  int count_;
  std::exception_ptr failure_;
};

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
      : num_threads_(num_threads),
        num_forks_(NumForks()),
        pool_(new Eigen::ThreadPool(num_threads)) {}

  // There is nobody to join in a child that has not used the pool.
  ~Workers() override {
    if (num_forks_ == NumForks()) delete pool_.load();
  }

  void Schedule(std::function<void()> work) override {
    Current()->Schedule(std::move(work));
  }
  int NumThreads() const override { return num_threads_; }
  int CurrentThreadId() const override { return Current()->CurrentThreadId(); }

 private:
  Eigen::ThreadPool* Current() const {
    if (num_forks_.load(std::memory_order_acquire) == NumForks()) [[likely]]
      return pool_;
    const std::lock_guard lock(mutex_);
    if (num_forks_ != NumForks()) {
      pool_ = new Eigen::ThreadPool(num_threads_);  // the old one cannot be destroyed
      num_forks_.store(NumForks(), std::memory_order_release);
    }
    return pool_;
  }

  const int num_threads_;
  mutable std::mutex mutex_;
  mutable std::atomic<int> num_forks_;  // when pool_ was made
  mutable std::atomic<Eigen::ThreadPool*> pool_;
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
  if (total <= 0) return;
  const int64_t threads_worth =
      total * std::max<int64_t>(cost_per_unit, 1) / kWorthAThread;
  const int64_t pieces =
      std::min({int64_t{num_threads_}, total, std::max<int64_t>(threads_worth, 1)});
  // A worker that waited for other workers could wait for itself.
  if (pieces == 1 || pool_->CurrentThreadId() >= 0) return work(0, total);

  Barrier barrier(static_cast<int>(pieces));
  const auto run = [&](int64_t piece) {
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
  barrier.Wait();
}

}  // namespace minitf
