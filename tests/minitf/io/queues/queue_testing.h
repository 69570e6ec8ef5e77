// Helpers for tests of queues: a call and, later, its result.

#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/io/queues/queues.h"
#include "tests/testing.h"

namespace minitf::testing {

inline constexpr std::chrono::seconds kLong{20};  // a call that takes longer hangs

inline QueueSpec Spec(const std::string& kind, int64_t capacity) {
  return {.kind = kind,
          .name = "q",
          .capacity = capacity,
          .element = {{DType::kInt32}, {PartialShape(Shape{})}}};
}

template <typename Kind>
std::shared_ptr<Kind> Make(const std::string& kind, int64_t capacity) {
  return std::make_shared<Kind>(Spec(kind, capacity));
}

inline std::shared_ptr<Queue> Fifo(int64_t capacity) {
  return Make<FifoQueue>("FIFOQueue", capacity);
}

inline Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// A call of a queue and, later, its result.
struct PendingCall {
  std::shared_ptr<std::promise<std::pair<Status, Element>>> promise =
      std::make_shared<std::promise<std::pair<Status, Element>>>();
  std::shared_future<std::pair<Status, Element>> future = promise->get_future();

  Queue::Done done() const {
    return [promise = promise](const Status& status, Element element) {
      promise->set_value({status, std::move(element)});
    };
  }
  bool is_done() const {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  const std::pair<Status, Element>& Get() const {
    if (future.wait_for(kLong) != std::future_status::ready) {
      throw std::runtime_error("the call does not end");
    }
    return future.get();
  }
  std::string Error() const { return Get().first.message(); }
  std::vector<double> Numbers() const {
    ThrowIfError(Get().first);
    return AsDoubles(Get().second[0]);
  }
};

inline PendingCall Enqueue(Queue& queue, int32_t value,
                           CancellationManager* manager = nullptr) {
  PendingCall call;
  queue.Enqueue({Int(value)}, manager, call.done());
  return call;
}

inline PendingCall EnqueueMany(Queue& queue, const std::vector<int32_t>& values,
                               CancellationManager* manager = nullptr) {
  PendingCall call;
  queue.EnqueueMany({Tensor::Of({std::ssize(values)}, values)}, manager, call.done());
  return call;
}

inline PendingCall Dequeue(Queue& queue, CancellationManager* manager = nullptr) {
  PendingCall call;
  queue.Dequeue(manager, call.done());
  return call;
}

inline PendingCall DequeueMany(Queue& queue, int64_t count, bool allow_fewer = false,
                               CancellationManager* manager = nullptr) {
  PendingCall call;
  queue.DequeueMany(count, allow_fewer, manager, call.done());
  return call;
}

inline PendingCall Close(Queue& queue, bool cancel = false,
                         CancellationManager* manager = nullptr) {
  PendingCall call;
  queue.Close(cancel, manager, call.done());
  return call;
}

using List = std::vector<double>;

// A queue of int32 scalars in random order.
inline std::shared_ptr<Queue> Shuffling(int64_t capacity, int64_t kept, int64_t seed) {
  QueueSpec spec = Spec("RandomShuffleQueue", capacity);
  spec.min_after_dequeue = kept;
  spec.seed = seed;
  spec.seed2 = 7;
  return std::make_shared<RandomShuffleQueue>(spec);
}

}  // namespace minitf::testing
