// NodeCosts: measuring.

#include "minitf/runtime/executor/node_costs.h"

namespace minitf {
namespace {

// The first steps are measured, and from then on one of so many.
constexpr int64_t kMeasuredSteps = 4;
constexpr int64_t kMeasureEvery = 64;

}  // namespace

NodeCosts::NodeCosts(const ExecutorPlan& plan)
    : plan_(plan), nanoseconds_(plan.num_nodes()) {
  for (int i = 0; i < plan.num_nodes(); ++i) {
    nanoseconds_[i] = plan.nodes[i].is_expensive ? kExpensive : 0;
  }
}

bool NodeCosts::MeasuresNextStep() {
  const int64_t number = num_steps_.fetch_add(1, std::memory_order_relaxed);
  return number < kMeasuredSteps || number % kMeasureEvery == 0;
}

void NodeCosts::Measure(int32_t number, Clock::time_point* since) {
  if (!plan_.nodes[number].is_expensive) return;
  const Clock::time_point now = Clock::now();
  nanoseconds_[number].store((now - *since) / std::chrono::nanoseconds(1),
                             std::memory_order_relaxed);
  *since = now;
}

}  // namespace minitf
