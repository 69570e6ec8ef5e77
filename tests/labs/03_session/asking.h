// Numbers that ask, when they are freed, whether their graph is locked then.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "minitf/graph/graph.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

class Asking {
  struct State;

 public:
  /// The numbers ask only while a Run is there. Requires: `graph` outlives that.
  explicit Asking(Graph* graph) : state_(std::make_shared<State>(graph)) {}

  class Run {
   public:
    explicit Run(Asking* asking) : state_(*asking->state_) { state_.is_running = true; }
    ~Run() { state_.is_running = false; }

   private:
    State& state_;
  };

  /// A scalar.
  Tensor Number(double value) const {
    auto* const memory = new double(value);
    return Tensor::Borrowed(DType::kFloat64, {}, memory, [memory, state = state_] {
      delete memory;
      // In another thread: one that has a lock may not ask for it.
      if (state->is_running) std::thread([&state] { state->Ask(); }).join();
    });
  }

  /// How many were freed with the graph locked.
  int num_locked() const { return state_->num_locked; }

 private:
  struct State {
    explicit State(Graph* graph) : mutex(graph->mutex()) {}

    void Ask() {
      const std::unique_lock lock(mutex, std::try_to_lock);
      if (!lock.owns_lock()) ++num_locked;
    }

    std::shared_mutex& mutex;
    std::atomic<bool> is_running = false;
    std::atomic<int> num_locked = 0;
  };

  const std::shared_ptr<State> state_;
};

}  // namespace minitf
