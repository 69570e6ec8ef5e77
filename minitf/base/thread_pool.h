// ThreadPool: workers that run closures, for kernels (one op on many cores) and for the
// executor (many ops at once).
//
// The pool is Eigen's: every worker has a queue of its own and steals from others when it
// is empty. This header does not show Eigen, so that only the files that compute compile
// it; kernels get Eigen's pool through kernels/cpu/common/eigen_view.h.
//
// Compare    tensorflow/core/lib/core/threadpool.h
// Read next  minitf/base/stop.h

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace Eigen {
class ThreadPoolInterface;
}  // namespace Eigen

namespace minitf {

class ThreadPool {
 public:
  /// `num_threads` workers; 0 means one for each core that this process may use. Throws
  /// ResourceExhausted when the system does not let this process have so many.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Runs `work` on some worker, at some time; here, if a thousand wait. Never blocks.
  void Schedule(std::function<void()> work);

  /// Calls `work(begin, end)` for pieces that make up [0, total), in several threads when
  /// that pays, and returns when all are done. `cost_per_unit` is the work of one unit in
  /// nanoseconds; about 20,000 of them pay for waking a thread, 3,000 for one that is
  /// awake and has nothing to do.
  ///
  /// How [0, total) is cut depends on the number of threads alone, never on timing; a
  /// piece that takes long is cut further, and between the cuts the thread asks whether
  /// the work is given up (stop.h). Throws Cancelled then, or what `work` throws first.
  /// Must not be called while holding a lock that `work` takes.
  void ParallelFor(int64_t total, int64_t cost_per_unit,
                   const std::function<void(int64_t begin, int64_t end)>& work);

  /// As ParallelFor, but cuts into no more pieces than there are threads, however long
  /// one takes. For work that pays something at the start of a piece, and asks by itself.
  void ParallelPieces(int64_t total, int64_t cost_per_unit,
                      const std::function<void(int64_t begin, int64_t end)>& work);

  int num_threads() const { return num_threads_; }

 private:
  int num_threads_;
  std::unique_ptr<Eigen::ThreadPoolInterface> pool_;
};

/// threads->ParallelFor(total, cost_per_unit, work); or work(0, total) here and now, if
/// `threads` is null or there is so little work that not even asking for threads pays.
template <typename Work>
void ForPieces(ThreadPool* threads, int64_t total, int64_t cost_per_unit,
               const Work& work) {
  constexpr int64_t kSmall = 10'000;  // nanoseconds
  const bool is_small = total < kSmall && total * cost_per_unit < kSmall;
  if (threads == nullptr || is_small) return work(0, total);
  threads->ParallelFor(total, cost_per_unit, work);
}

/// How many cores this process may use: its affinity mask, not the whole machine.
int NumUsableCores();

/// The pool on which kernels compute unless a session asks for threads of its own: one
/// worker for each core, made at the first call and never destroyed.
ThreadPool& ProcessThreads();

}  // namespace minitf
