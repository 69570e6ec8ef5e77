// ParallelFor covers everything once, and hands on what its work throws.

#include "minitf/base/thread_pool.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "gtest/gtest.h"

namespace minitf {
namespace {

TEST(ParallelFor, VisitsEveryUnitOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const int64_t total : {1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(total);
      pool.ParallelFor(total, 1'000'000, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ParallelFor, StaysInTheCallerWhenThereIsLittleToDo) {
  ThreadPool pool(4);
  int calls = 0;
  pool.ParallelFor(100, 1, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
  });
  EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, DoesNothingForNothing) {
  ThreadPool pool(2);
  pool.ParallelFor(0, 1'000'000, [](int64_t, int64_t) { FAIL() << "there is no unit"; });
}

TEST(ParallelFor, ThrowsWhatTheWorkThrows) {
  ThreadPool pool(2);
  const auto fail = [](int64_t, int64_t) { throw std::runtime_error("no"); };
  EXPECT_THROW(pool.ParallelFor(10, 1'000'000, fail), std::runtime_error);
}

TEST(ParallelFor, MayBeNested) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  pool.ParallelFor(8, 1'000'000, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      pool.ParallelFor(4, 1'000'000, [&](int64_t b, int64_t e) { sum += e - b; });
    }
  });
  EXPECT_EQ(sum, 32);
}

// Threads go to sleep when nothing has come for some 60 microseconds: the pauses are such
// that work finds them busy, waiting in their seats, about to leave, and asleep.
TEST(Schedule, RunsAllWorkOnceWhateverThreadsAreAbout) {
  for (const int num_threads : {1, 2, 5}) {
    std::atomic<int> runs = 0;
    {
      ThreadPool pool(num_threads);
      std::vector<std::thread> callers;
      for (int caller = 0; caller < 3; ++caller) {
        callers.emplace_back([&pool, &runs, caller] {
          for (int i = 0; i < 1000; ++i) {
            pool.Schedule([&pool, &runs, i] {
              ++runs;
              if (i % 3 == 0) pool.Schedule([&runs] { ++runs; });
            });
            if (i % 10 == 0) {
              std::this_thread::sleep_for(std::chrono::microseconds(i % 150 + caller));
            }
          }
        });
      }
      for (std::thread& caller : callers) caller.join();
    }  // the pool ends when all is done
    EXPECT_EQ(runs, 3 * (1000 + 334)) << num_threads;
  }
}

TEST(ParallelFor, WorksFromSeveralThreadsAtATime) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        pool.ParallelFor(100, 1'000'000, [&](int64_t begin, int64_t end) {
          for (int64_t n = begin; n < end; ++n) sum += n;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 500 * 4950);
}

// Eigen's queues hold 1024 pieces of work each; what does not fit runs in the caller.
TEST(Schedule, RunsInTheCallerWhenQueuesAreFull) {
  std::atomic<int> runs = 0;
  {
    ThreadPool pool(2);
    std::atomic<bool> is_open = false;
    std::atomic<int> num_blocked = 0;
    for (int i = 0; i < 2; ++i) {
      pool.Schedule([&] {
        ++num_blocked;
        while (!is_open) std::this_thread::yield();
      });
    }
    while (num_blocked < 2) std::this_thread::yield();
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 2; ++caller) {
      callers.emplace_back([&] {
        for (int i = 0; i < 3000; ++i) pool.Schedule([&runs] { ++runs; });
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_GE(runs, 6000 - 2 * 1024);
    is_open = true;
  }
  EXPECT_EQ(runs, 6000);
}

// In a worker, with others that sit, or that are all busy.
TEST(ParallelFor, InAWorkerVisitsAllOnceAndThrows) {
  for (const int num_threads : {1, 2, 3, 8}) {
    ThreadPool pool(num_threads);
    std::atomic<int> visits = 0;
    std::atomic<int> failures = 0;
    std::atomic<int> finished = 0;
    constexpr int kTasks = 200;
    for (int task = 0; task < kTasks; ++task) {
      pool.Schedule([&, task] {
        pool.ParallelFor(16, 1'000'000, [&](int64_t begin, int64_t end) {
          visits += static_cast<int>(end - begin);
        });
        try {
          pool.ParallelFor(16, 1'000'000, [&](int64_t, int64_t) {
            if (task % 2 == 0) throw std::runtime_error("broken");
          });
        } catch (const std::runtime_error&) {
          ++failures;
        }
        ++finished;
      });
      if (task % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    while (finished < kTasks) std::this_thread::yield();
    EXPECT_EQ(visits, kTasks * 16) << num_threads;
    EXPECT_EQ(failures, kTasks / 2) << num_threads;
  }
}

// The caller does all pieces itself, and those who were asked to help come when it has
// gone: to nothing, however many loops there were.
TEST(ParallelFor, WaitsForNobodyWhileAllWorkersAreBusy) {
  std::atomic<int> visits = 0;
  std::atomic<int> num_blocked = 0;
  std::atomic<bool> is_open = false;
  {
    ThreadPool pool(2);
    for (int i = 0; i < 2; ++i) {
      pool.Schedule([&] {
        ++num_blocked;
        while (!is_open) std::this_thread::yield();
      });
    }
    while (num_blocked < 2) std::this_thread::yield();
    for (int loop = 0; loop < 3000; ++loop) {
      pool.ParallelFor(16, 1'000'000, [&](int64_t begin, int64_t end) {
        visits += static_cast<int>(end - begin);
      });
    }
    EXPECT_EQ(visits, 3000 * 16);
    // The queues have room left: this is not run here and now.
    std::atomic<bool> is_done = false;
    const auto caller = std::this_thread::get_id();
    pool.Schedule([&] { is_done = std::this_thread::get_id() != caller; });
    EXPECT_FALSE(is_done);
    is_open = true;
    while (!is_done) std::this_thread::yield();
  }
  EXPECT_EQ(visits, 3000 * 16);
}

// Not under the thread sanitizer, which takes threads that a child starts after a fork
// for those of its parent, and gives up.
#ifndef MINITF_TSAN

// Threads do not follow into a child; the pool must not wait for them.
TEST(ParallelFor, WorksAfterAFork) {
  ThreadPool pool(3);
  std::atomic<int> sum{0};
  const auto count = [&sum](int64_t begin, int64_t end) {
    sum += static_cast<int>(end - begin);
  };
  pool.ParallelFor(9, 1'000'000, count);
  EXPECT_EQ(sum, 9);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30);
    {
      ThreadPool unused(2);
      pool.ParallelFor(9, 1'000'000, count);
    }
    _exit(sum == 18 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

#endif

}  // namespace
}  // namespace minitf
