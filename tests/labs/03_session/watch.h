// What goes on beside a step that a driver runs: who watches it, who cancels it, and who
// keeps the threads that would help.

#pragma once

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "minitf/base/thread_pool.h"
#include "minitf/framework/cancellation.h"
#include "minitf/runtime/executor/step_observer.h"
#include "tests/labs/03_session/step_ops.h"
#include "tests/labs/graph_script.h"

namespace minitf {

namespace py = pybind11;

inline std::set<std::string> AsSet(const Names& names) {
  return {names.begin(), names.end()};
}

// Processor time of this thread.
inline double CpuMs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Sees which nodes run, and does at some of them what a case asks for.
class Watch final : public StepObserver {
 public:
  Watch(const py::dict& options, CancellationManager* cancellation)
      : meet_(AsSet(MemberOf<Names>(options, "meet"))),
        until_rings_(AsSet(MemberOf<Names>(options, "until_rings"))),
        cancel_at_(MemberOf<std::string>(options, "cancel_at")),
        sleep_ms_(MemberOf<std::map<std::string, int>>(options, "sleep_ms")),
        cancellation_(cancellation) {}

  void NodeStarts(const Node& node, std::span<const Tensor>) override {
    {
      std::unique_lock lock(mutex_);
      started_.push_back(node.name());
      if (meet_.contains(node.name())) {
        met_.insert(node.name());
        all_there_.notify_all();
        // Those that never run at once are waited for so long, once.
        const auto limit = std::chrono::milliseconds(has_missed_ ? 0 : 1500);
        has_missed_ |=
            !all_there_.wait_for(lock, limit, [this] { return met_ == meet_; });
      }
    }
    if (until_rings_.contains(node.name())) WaitForBell();
    if (const auto sleep = sleep_ms_.find(node.name()); sleep != sleep_ms_.end()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(sleep->second));
    }
    if (node.name() == cancel_at_) cancellation_->StartCancel();
  }

  void NodeEnds(const NodeRun& run) override {
    const std::lock_guard lock(mutex_);
    ended_.push_back(run.node.name());
    threads_.push_back(run.thread);
  }

  void AddTo(py::dict* result) const {
    (*result)["started"] = started_;
    (*result)["ended"] = ended_;
    (*result)["threads"] = threads_;
    (*result)["met"] = !has_missed_ && met_ == meet_;
  }

 private:
  static void WaitForBell() {
    for (int ms = 0; ms < 1500 && num_rings == 0; ++ms) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const std::set<std::string> meet_;
  const std::set<std::string> until_rings_;  // nodes that wait for a bell
  const std::string cancel_at_;
  const std::map<std::string, int> sleep_ms_;
  CancellationManager* const cancellation_;
  std::mutex mutex_;
  std::condition_variable all_there_;
  std::vector<std::string> started_;
  std::vector<std::string> ended_;
  std::vector<int> threads_;  // in which those that ended ran
  std::set<std::string> met_;
  bool has_missed_ = false;
};

// Whether this thread cancels steps, and runs none.
inline thread_local bool is_canceller = false;

// Cancels when its time has come, unless it goes before.
class CancelLater {
 public:
  CancelLater(CancellationManager* cancellation, int ms)
      : thread_([this, cancellation, ms] {
          is_canceller = true;
          std::unique_lock lock(mutex_);
          const auto limit = std::chrono::milliseconds(ms);
          if (!over_.wait_for(lock, limit, [this] { return is_over_; })) {
            lock.unlock();
            cancellation->StartCancel();
          }
        }) {}
  ~CancelLater() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

// Keeps all threads of a pool at work until it goes, so that no helper comes.
class Occupied {
 public:
  explicit Occupied(ThreadPool* pool) {
    for (int i = 0; i < pool->num_threads(); ++i) {
      pool->Schedule([state = state_] {
        std::unique_lock lock(state->mutex);
        ++state->num_there;
        state->changed.notify_all();
        state->changed.wait(lock, [&] { return state->is_over; });
      });
    }
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->num_there == pool->num_threads(); });
  }
  ~Occupied() {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
    state_->changed.notify_all();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int num_there = 0;
    bool is_over = false;
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace minitf
