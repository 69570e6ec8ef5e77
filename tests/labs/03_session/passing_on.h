// Nodes that are passed on by several threads at once: side by side, which is chance, or
// one of them in the middle of another.

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "minitf/runtime/executor/propagator.h"
#include "minitf/tensor/tensor.h"
#include "tests/labs/03_session/turns.h"

namespace minitf {

// A step whose roots are passed on, and what becomes ready.
class PassingOn {
 public:
  explicit PassingOn(const ExecutorPlan& plan)
      : plan_(plan), propagator_(plan, /*is_shared=*/true) {}

  void Begin() {
    propagator_.Clear();
    roots_.clear();
    propagator_.Begin({}, &roots_);
    num_ready_ = num_missing_ = 0;
  }

  size_t num_roots() const { return roots_.size(); }

  // All that PassOn is given for a root.
  struct Given {
    ReadyNode node;
    std::vector<Tensor> outputs;
    Propagator::Ready ready;
  };

  Given GivenFor(size_t root) const {
    Given given = {.node = roots_[root], .outputs = {}, .ready = {}};
    given.outputs.resize(plan_.nodes[given.node.node].num_outputs);
    for (Tensor& output : given.outputs) output = Tensor::Scalar(1.0);
    given.ready.reserve(8);
    return given;
  }

  void PassOn(Given* given) {
    propagator_.PassOn(given->node, given->outputs, &given->ready);
  }

  void Note(const Given& given) {
    for (const ReadyNode& node : given.ready) {
      num_missing_ += static_cast<int>(
          std::ranges::count_if(propagator_.InputsOf(node),
                                [](const Tensor& input) { return !input.OwnsBuffer(); }));
    }
    num_ready_ += static_cast<int>(given.ready.size());
  }

  // How often something became ready, and how many inputs of that were missing then, or
  // had another owner.
  std::pair<int, int> counts() const { return {num_ready_, num_missing_}; }

 private:
  const ExecutorPlan& plan_;
  Propagator propagator_;
  Propagator::Ready roots_;
  std::atomic<int> num_ready_ = 0;
  std::atomic<int> num_missing_ = 0;
};

// Waits until the other threads have come to round `round` too, but not for long: a busy
// machine may have stopped them.
inline void KeepStep(int round, const std::vector<std::atomic<int>>& rounds) {
  const auto is_there = [&](const std::atomic<int>& other) { return other >= round; };
  // In the first round the others may have to be started.
  const int limit = round == 1 ? 1'000'000 : 3000;
  for (int i = 0; i < limit && !std::ranges::all_of(rounds, is_there); ++i) {
  }
}

// All roots are passed on at once, by so many threads, which go side by side. Returns the
// counts of each of `times` steps.
inline std::vector<std::pair<int, int>> PassOnAtOnce(const ExecutorPlan& plan,
                                                     int num_threads, int times) {
  PassingOn step(plan);
  std::vector<std::pair<int, int>> counts;
  for (int i = 0; i < times; ++i) {
    step.Begin();
    std::vector<std::atomic<int>> rounds(num_threads);
    const auto pass_on = [&](int self) {
      for (size_t root = self; root < step.num_roots(); root += num_threads) {
        PassingOn::Given given = step.GivenFor(root);
        KeepStep(++rounds[self], rounds);
        step.PassOn(&given);
        step.Note(given);
      }
      rounds[self] = std::numeric_limits<int>::max();
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < num_threads; ++t) threads.emplace_back(pass_on, t);
    for (std::thread& thread : threads) thread.join();
    counts.push_back(step.counts());
  }
  return counts;
}

// Of two roots, number `first` is passed on, and in the middle of this the other one:
// after no instruction, after one, and so on, for a while. Returns the counts of each.
inline std::vector<std::pair<int, int>> PassOnInTurns(const ExecutorPlan& plan,
                                                      int first) {
  PassingOn step(plan);
  step.Begin();
  PassingOn::Given one;
  PassingOn::Given two;
  OtherThread other([&] {
    step.PassOn(&two);
    step.Note(two);
  });
  std::vector<std::pair<int, int>> counts;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  bool is_longer = true;
  for (int i = 0; is_longer && std::chrono::steady_clock::now() < end; ++i) {
    step.Begin();
    one = step.GivenFor(first);
    two = step.GivenFor(1 - first);
    is_longer = InterruptedBehind(i, &other, [&] { step.PassOn(&one); });
    step.Note(one);
    counts.push_back(step.counts());
  }
  return counts;
}

}  // namespace minitf
