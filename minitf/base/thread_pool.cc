// ThreadPool on Eigen's non-blocking pool.

#include "minitf/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/base/stop.h"

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/ThreadPool>

namespace minitf {
namespace {

// Each thread gets at least this much work of a loop, in nanoseconds. With less work a
// thread costs more than it saves.
constexpr int64_t kWorkToWake = 20'000;  // for a thread that sleeps
constexpr int64_t kWorkToShare = 3'000;  // for a thread that spins

// After so much work, in nanoseconds, a thread asks whether to go on.
constexpr int64_t kAskEvery = 100'000'000;

// So long, in nanoseconds, a thread looks out before it sleeps.
constexpr int64_t kLooksOut = 30'000;  // a caller of ParallelFor, until others are done
constexpr int64_t kSits = 50'000;      // a worker, until there is work

// A point in time, some nanoseconds from now.
class Deadline {
 public:
  explicit Deadline(int64_t nanoseconds)
      : at_(Clock::now() + std::chrono::nanoseconds(nanoseconds)) {}

  // Asked in a loop. The processor is told so, and gives its other thread more room.
  bool has_passed() const {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return Clock::now() > at_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point at_;
};

// Waits until `count` calls of Done() have come, and keeps the first exception.
class Barrier {
 public:
  explicit Barrier(int count) : count_(count) {}

  void Done(const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (failure) Keep(failure);
    if (count_.fetch_sub(1) == 1) all_done_.notify_one();
  }

  // Meanwhile `question`, which may be null, is asked now and then, on behalf of the
  // workers: only the caller's thread may ask it.
  void Wait(const StopQuestion* question, bool looks_out) {
    const Deadline deadline(looks_out ? kLooksOut : 0);
    while (count_.load(std::memory_order_relaxed) > 0 && !deadline.has_passed()) {
    }
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
  std::atomic<int> count_;
  std::exception_ptr failure_;
  std::atomic<bool> has_failed_ = false;
};

// What ParallelPieces has to do. The last piece is the caller's; the others are taken by
// the caller and by threads that were asked to help, whoever has time. They may come when
// it has gone. It waits only for what has been begun, so it may be a worker itself.
class Pieces {
 public:
  using Work = std::function<void(int64_t begin, int64_t end)>;

  Pieces(int64_t total, int count, const Work& work)
      : total_(total), count_(count), work_(work), barrier_(count) {}

  // Takes pieces until none is left.
  void Help() {
    for (int64_t i = next_.fetch_add(1); i < count_ - 1; i = next_.fetch_add(1)) Run(i);
  }

  // Does so after the last one, and waits for those who have taken the others. Throws
  // what one of them has thrown.
  void Finish(bool looks_out) {
    Run(count_ - 1);
    Help();
    barrier_.Wait(outer_, looks_out);
  }

 private:
  void Run(int64_t i) {
    const StopScope scope(&question_);
    std::exception_ptr failure;
    try {
      if (!barrier_.has_failed()) work_(total_ * i / count_, total_ * (i + 1) / count_);
    } catch (...) {
      failure = std::current_exception();
    }
    barrier_.Done(failure);
  }

  const int64_t total_, count_;
  const Work& work_;  // there until all pieces are done, as is `outer_`
  std::atomic<int64_t> next_ = 0;
  Barrier barrier_;
  const StopQuestion* const outer_ = StopScope::Current();
  const StopQuestion question_ = [this] {
    return barrier_.has_failed() || (outer_ != nullptr && (*outer_)());
  };
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

// Eigen's pool, whose threads do not go to sleep at once: to wake one takes 20
// microseconds, and the kernels of a step follow each other sooner. A thread that has
// nothing to do sits down in its seat for a while. What is scheduled meanwhile is put
// there, past what waits in Eigen's queues. The caller of ParallelFor needs a core, too,
// so one core less than there are has a thread that sits.
class WakefulPool {
 public:
  // Throws ResourceExhausted.
  explicit WakefulPool(int num_threads)
      : seats_(num_threads),
        most_sitting_(std::min(num_threads, NumUsableCores()) - 1),
        pool_(num_threads, StartedThreads(num_threads)) {}

  // Has a thread that sits run `work` at once. Returns whether there is one.
  bool Give(const std::function<void()>& work) {
    for (Seat& seat : seats_) {
      Work* found = &waiting_;
      if (seat.work.load(std::memory_order_relaxed) != found) continue;
      auto given = std::make_unique<Work>(work);
      if (!seat.work.compare_exchange_strong(found, given.get())) continue;
      std::ignore = given.release();  // now it is that of Sit()
      return true;
    }
    return false;
  }

  void Schedule(std::function<void()> work) {
    if (Give(work)) return;
    num_queued_.fetch_add(1);
    // If its queues are full, Eigen runs the work here and now. Whoever schedules is no
    // thread that has nothing to do.
    thread_local bool is_scheduling = false;
    const bool was_scheduling = std::exchange(is_scheduling, true);
    pool_.Schedule([this, work = std::move(work)]() mutable {
      num_queued_.fetch_sub(1);
      std::exchange(work, nullptr)();
      if (!is_scheduling) Sit();
    });
    is_scheduling = was_scheduling;
  }

  int CurrentThreadId() const { return pool_.CurrentThreadId(); }

  // Whether more waits in Eigen's queues than there are threads.
  bool is_behind() const { return num_queued_ > std::ssize(seats_); }

 private:
  using Work = std::function<void()>;

  // Null while nobody sits there; `waiting_`; or what its thread is to run.
  struct alignas(64) Seat {
    std::atomic<Work*> work = nullptr;
  };

  // Runs what is put into the seat of this thread, until nothing has come for a while, or
  // Eigen's queues have something.
  void Sit() {
    Seat& seat = seats_[pool_.CurrentThreadId()];
    const bool may_sit = num_sitting_.fetch_add(1) < most_sitting_;
    while (may_sit) {
      seat.work.store(&waiting_);
      const Deadline deadline(kSits);
      while (seat.work.load(std::memory_order_relaxed) == &waiting_ &&
             num_queued_.load(std::memory_order_relaxed) == 0 && !deadline.has_passed()) {
      }
      Work* const found = seat.work.exchange(nullptr);
      if (found == &waiting_) break;
      const std::unique_ptr<Work> given(found);
      (*given)();
    }
    num_sitting_.fetch_sub(1);
  }

  Work waiting_;  // only its address counts
  std::vector<Seat> seats_;
  const int most_sitting_;
  std::atomic<int> num_sitting_ = 0;  // or running what was put into their seats
  std::atomic<int> num_queued_ = 0;
  Eigen::ThreadPoolTempl<StartedThreads> pool_;  // last: its threads use the others
};

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

// A pool that outlives a fork. Threads do not follow a process into its child, so there
// the pool would wait for workers that never come; the child gets a new one.
class Workers final : public Eigen::ThreadPoolInterface {
 public:
  explicit Workers(int num_threads)
      : num_threads_(num_threads),
        num_forks_(NumForks()),
        pool_(new WakefulPool(num_threads)) {}

  // In a child process that has not used the pool there is no thread to join.
  ~Workers() override {
    if (num_forks_ == NumForks()) delete pool_.load();
  }

  void Schedule(std::function<void()> work) override {
    Current()->Schedule(std::move(work));
  }
  bool Give(const std::function<void()>& work) { return Current()->Give(work); }
  bool is_behind() const { return Current()->is_behind(); }

  // Whether there is a core for each thread, so that one may be kept busy with waiting.
  bool has_cores() const { return has_cores_; }
  int NumThreads() const override { return num_threads_; }
  int CurrentThreadId() const override { return Current()->CurrentThreadId(); }

 private:
  WakefulPool* Current() const {
    if (num_forks_.load(std::memory_order_acquire) == NumForks()) [[likely]]
      return pool_;
    const std::lock_guard lock(mutex_);
    if (num_forks_ != NumForks()) {
      pool_ = new WakefulPool(num_threads_);  // the old one cannot be destroyed
      num_forks_.store(NumForks(), std::memory_order_release);
    }
    return pool_;
  }

  const int num_threads_;
  const bool has_cores_ = num_threads_ <= NumUsableCores();
  mutable std::mutex mutex_;
  mutable std::atomic<int> num_forks_;  // when pool_ was made
  mutable std::atomic<WakefulPool*> pool_;
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
  const int64_t cost = SaturatingProduct(total, std::max<int64_t>(cost_per_unit, 1));
  const int64_t count =
      std::min({int64_t{num_threads_}, total, std::max<int64_t>(cost / kWorkToShare, 1)});
  if (count == 1) return work(0, total);

  const auto pieces = std::make_shared<Pieces>(total, static_cast<int>(count), work);
  auto& workers = static_cast<Workers&>(*pool_);
  // How many threads may be woken. If much waits already, help would come too late.
  int64_t num_wakes = workers.is_behind() ? 0 : cost / kWorkToWake - 1;
  try {
    const std::function<void()> help = [pieces] { pieces->Help(); };
    for (int64_t i = 0; i < count - 1; ++i) {
      if (workers.Give(help)) continue;
      if (--num_wakes < 0) break;
      workers.Schedule(help);
    }
  } catch (const std::bad_alloc&) {  // then there is less help
  }
  pieces->Finish(workers.has_cores());
}

}  // namespace minitf
