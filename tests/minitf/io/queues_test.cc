// Queues: who is served when, what closing means, and that nothing is lost.

#include "minitf/io/queues.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

constexpr std::chrono::seconds kLong{20};  // a call that takes longer hangs

QueueSpec Spec(const std::string& kind, int64_t capacity) {
  return {.kind = kind,
          .name = "q",
          .capacity = capacity,
          .element = {{DType::kInt32}, {PartialShape(Shape{})}}};
}

template <typename Kind>
std::shared_ptr<Kind> Make(const std::string& kind, int64_t capacity) {
  return std::make_shared<Kind>(Spec(kind, capacity));
}

std::shared_ptr<Queue> Fifo(int64_t capacity) {
  return Make<FifoQueue>("FIFOQueue", capacity);
}

Tensor Int(int32_t value) { return Tensor::Scalar(value); }

// A call of a queue and, later, its result.
struct Call {
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

Call Enqueue(Queue& queue, int32_t value, CancellationManager* manager = nullptr) {
  Call call;
  queue.Enqueue({Int(value)}, manager, call.done());
  return call;
}

Call EnqueueMany(Queue& queue, const std::vector<int32_t>& values,
                 CancellationManager* manager = nullptr) {
  Call call;
  queue.EnqueueMany({Tensor::Of({std::ssize(values)}, values)}, manager, call.done());
  return call;
}

Call Dequeue(Queue& queue, CancellationManager* manager = nullptr) {
  Call call;
  queue.Dequeue(manager, call.done());
  return call;
}

Call DequeueMany(Queue& queue, int64_t count, bool allow_fewer = false,
                 CancellationManager* manager = nullptr) {
  Call call;
  queue.DequeueMany(count, allow_fewer, manager, call.done());
  return call;
}

Call Close(Queue& queue, bool cancel = false, CancellationManager* manager = nullptr) {
  Call call;
  queue.Close(cancel, manager, call.done());
  return call;
}

using List = std::vector<double>;

// ---- Order and capacity --------------------------------------------------------------

TEST(FifoQueue, GivesElementsInTheOrderTheyCame) {
  const auto queue = Fifo(5);
  EnqueueMany(*queue, {3, 1, 2});
  EXPECT_EQ(queue->size(), 3);
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({3}));
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({1, 2}));
  EXPECT_EQ(queue->size(), 0);
}

TEST(FifoQueue, AFullQueueLetsEnqueuersWaitInLine) {
  const auto queue = Fifo(2);
  EnqueueMany(*queue, {1, 2});
  const Call third = Enqueue(*queue, 3);
  const Call fourth = Enqueue(*queue, 4);
  EXPECT_FALSE(third.is_done());
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  EXPECT_TRUE(third.is_done());
  EXPECT_FALSE(fourth.is_done());
  EXPECT_EQ(queue->size(), 2);
  EXPECT_EQ(DequeueMany(*queue, 3).Numbers(), List({2, 3, 4}));
  EXPECT_TRUE(fourth.is_done());
}

TEST(FifoQueue, ABatchLargerThanTheQueueGoesInInParts) {
  const auto queue = Fifo(2);
  const Call all = EnqueueMany(*queue, {1, 2, 3, 4, 5});
  EXPECT_EQ(queue->size(), 2);
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  EXPECT_FALSE(all.is_done());
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({2, 3}));
  EXPECT_TRUE(all.is_done());
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({4, 5}));
}

TEST(FifoQueue, ABatchLargerThanTheQueueComesOutInOne) {
  const auto queue = Fifo(2);
  const Call five = DequeueMany(*queue, 5);
  const Call behind = Dequeue(*queue);
  for (int i = 1; i <= 6; ++i) EXPECT_TRUE(Enqueue(*queue, i).is_done());
  EXPECT_EQ(five.Numbers(), List({1, 2, 3, 4, 5}));
  EXPECT_EQ(behind.Numbers(), List({6}));
}

TEST(FifoQueue, WhoeverComesFirstIsServedFirst) {
  const auto queue = Fifo(9);
  const Call three = DequeueMany(*queue, 3);
  const Call one = Dequeue(*queue);
  Enqueue(*queue, 1);
  EXPECT_FALSE(one.is_done());  // the first element belongs to `three`
  EnqueueMany(*queue, {2, 3, 4});
  EXPECT_EQ(three.Numbers(), List({1, 2, 3}));
  EXPECT_EQ(one.Numbers(), List({4}));
}

TEST(FifoQueue, NoElementsAreNoWait) {
  const auto queue = Fifo(1);
  EXPECT_EQ(DequeueMany(*queue, 0).Get().second[0].shape(), Shape({0}));
  EXPECT_TRUE(EnqueueMany(*queue, {}).is_done());
  EXPECT_EQ(queue->size(), 0);
}

TEST(FifoQueue, NegativeCapacityIsAnyNumber) {
  const auto queue = Fifo(-1);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Enqueue(*queue, i).is_done());
  EXPECT_EQ(queue->size(), 1000);
}

TEST(FifoQueue, KeepsElementsThatItsCallerMayChange) {
  const auto queue = Fifo(3);
  std::vector<int32_t> lent = {1, 2};
  Call call;
  queue->EnqueueMany({Tensor::Borrowed(DType::kInt32, {2}, lent.data(), [] {})}, nullptr,
                     call.done());
  lent = {8, 9};
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({1, 2}));
}

// ---- Closing -------------------------------------------------------------------------

TEST(ClosedQueue, GivesWhatItHasAndThenOutOfRange) {
  const auto queue = Fifo(3);
  Enqueue(*queue, 1);
  EXPECT_TRUE(Close(*queue).is_done());
  EXPECT_TRUE(queue->is_closed());
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  const Call none = Dequeue(*queue);
  EXPECT_EQ(none.Get().first.code(), Code::kOutOfRange);
  EXPECT_EQ(none.Error(),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current "
            "size 0)");
}

TEST(ClosedQueue, RefusesEnqueuersAndASecondClose) {
  const auto queue = Fifo(3);
  Close(*queue);
  EXPECT_EQ(Enqueue(*queue, 1).Error(), "FIFOQueue 'q' is closed.");
  EXPECT_EQ(EnqueueMany(*queue, {1}).Error(), "FIFOQueue 'q' is closed.");
  EXPECT_EQ(Close(*queue).Error(), "Queue 'q' is already closed.");
  EXPECT_EQ(Close(*queue).Get().first.code(), Code::kCancelled);
  EXPECT_EQ(Close(*queue, true).Error(), "");
}

TEST(ClosedQueue, PutsBackWhatABatchHadTaken) {
  const auto queue = Fifo(3);
  EnqueueMany(*queue, {1, 2});
  const Call five = DequeueMany(*queue, 5);
  EXPECT_EQ(queue->size(), 0);
  Close(*queue);
  EXPECT_EQ(five.Error(),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 3, current "
            "size 0)");
  EXPECT_EQ(queue->size(), 2);
  EXPECT_EQ(DequeueMany(*queue, 5, true).Numbers(), List({1, 2}));
  EXPECT_EQ(DequeueMany(*queue, 5, true).Get().first.code(), Code::kOutOfRange);
}

TEST(ClosedQueue, ASmallerBatchIsAllowedOnlyAtTheEnd) {
  const auto queue = Fifo(9);
  EnqueueMany(*queue, {1, 2});
  const Call five = DequeueMany(*queue, 5, true);
  EXPECT_FALSE(five.is_done());
  Close(*queue);
  EXPECT_EQ(five.Numbers(), List({1, 2}));
}

TEST(ClosedQueue, WaitsForThoseInLine) {
  const auto queue = Fifo(1);
  Enqueue(*queue, 1);
  const Call before = Enqueue(*queue, 2);
  const Call close = Close(*queue);
  const Call after = Enqueue(*queue, 3);
  EXPECT_FALSE(close.is_done());
  EXPECT_FALSE(queue->is_closed());
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  EXPECT_EQ(before.Error(), "");
  EXPECT_EQ(close.Error(), "");
  EXPECT_EQ(after.Error(), "FIFOQueue 'q' is closed.");
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({2}));
  EXPECT_EQ(Dequeue(*queue).Get().first.code(), Code::kOutOfRange);
}

TEST(ClosedQueue, CancelsThoseInLineIfAsked) {
  const auto queue = Fifo(1);
  const Call two = EnqueueMany(*queue, {1, 2});
  const Call close = Close(*queue);
  EXPECT_EQ(Close(*queue, true).Error(), "");
  EXPECT_EQ(two.Error(), "Enqueue operation was cancelled");
  EXPECT_EQ(close.Error(), "Close operation was cancelled");
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  EXPECT_EQ(Dequeue(*queue).Get().first.code(), Code::kOutOfRange);
}

// ---- Cancelling ----------------------------------------------------------------------

TEST(CancelledStep, EndsItsWait) {
  const auto queue = Fifo(1);
  CancellationManager manager;
  const Call dequeue = Dequeue(*queue, &manager);
  manager.StartCancel();
  EXPECT_EQ(dequeue.Error(), "Dequeue operation was cancelled");
  EXPECT_EQ(dequeue.Get().first.code(), Code::kCancelled);
  EXPECT_EQ(Enqueue(*queue, 1, &manager).Error(), "Enqueue operation was cancelled");
  EXPECT_EQ(queue->size(), 0);
}

TEST(CancelledStep, LetsTheNextInLineGoOn) {
  const auto queue = Fifo(2);
  CancellationManager manager;
  EnqueueMany(*queue, {1, 2});
  const Call five = DequeueMany(*queue, 5, false, &manager);
  const Call one = Dequeue(*queue);
  EXPECT_FALSE(one.is_done());
  manager.StartCancel();
  EXPECT_EQ(five.Error(), "Dequeue operation was cancelled");
  EXPECT_EQ(one.Numbers(), List({1}));
  EXPECT_EQ(queue->size(), 1);
}

TEST(CancelledStep, OfTwoCallsOfOneStepBothEnd) {
  // Giving up the first serves the second, of the same manager, while it is calling back.
  const auto queue = Fifo(4);
  CancellationManager manager;
  EnqueueMany(*queue, {1, 2});
  const Call three = DequeueMany(*queue, 3, false, &manager);
  const Call two = DequeueMany(*queue, 2, false, &manager);
  manager.StartCancel();
  EXPECT_EQ(three.Error(), "Dequeue operation was cancelled");
  two.Get();
  EXPECT_EQ(two.Get().first.ok() ? 0 : 2, queue->size());
}

TEST(CancelledStep, KeepsTheRowsThatWereIn) {
  const auto queue = Fifo(2);
  CancellationManager manager;
  const Call four = EnqueueMany(*queue, {1, 2, 3, 4}, &manager);
  manager.StartCancel();
  EXPECT_EQ(four.Error(), "Enqueue operation was cancelled");
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({1, 2}));
  EXPECT_EQ(queue->size(), 0);
}

TEST(CancelledStep, MayOutliveTheQueue) {
  CancellationManager manager;
  auto queue = Fifo(1);
  const Call dequeue = Dequeue(*queue, &manager);
  queue.reset();
  manager.StartCancel();
  EXPECT_FALSE(dequeue.is_done());  // nobody is left to tell
}

// ---- Other kinds ---------------------------------------------------------------------

Element TwoComponents(const std::vector<int32_t>& row, const std::string& text) {
  return {Tensor::Of({std::ssize(row)}, row), Tensor::Scalar(text)};
}

TEST(PaddingFifoQueue, FillsUpABatchWithZeros) {
  const auto queue = std::make_shared<PaddingFifoQueue>(QueueSpec{
      .kind = "PaddingFIFOQueue",
      .name = "q",
      .capacity = 9,
      .element = {{DType::kInt32, DType::kString}, {{-1}, PartialShape(Shape{})}}});
  for (const auto& row : {std::vector<int32_t>{7}, {1, 2, 3}, {}}) {
    queue->Enqueue(TwoComponents(row, "row"), nullptr, Call().done());
  }
  const Call batch = DequeueMany(*queue, 3);
  EXPECT_EQ(batch.Get().second[0].shape(), Shape({3, 3}));
  EXPECT_EQ(batch.Numbers(), List({7, 0, 0, 1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(batch.Get().second[1].flat<std::string>()[2], "row");
}

TEST(PaddingFifoQueue, PadsEveryAxis) {
  QueueSpec spec = Spec("PaddingFIFOQueue", 9);
  spec.element.shapes = {{-1, 2, -1}};
  const auto queue = std::make_shared<PaddingFifoQueue>(spec);
  const auto put = [&](const Shape& shape, const std::vector<int32_t>& values) {
    queue->Enqueue({Tensor::Of(shape, values)}, nullptr, Call().done());
  };
  put({1, 2, 2}, {1, 2, 3, 4});
  put({2, 2, 1}, {5, 6, 7, 8});
  const Call batch = DequeueMany(*queue, 2);
  EXPECT_EQ(batch.Get().second[0].shape(), Shape({2, 2, 2, 2}));
  EXPECT_EQ(batch.Numbers(), List({1, 2, 3, 4, 0, 0, 0, 0, 5, 0, 6, 0, 7, 0, 8, 0}));
}

TEST(PriorityQueue, GivesTheSmallestFirstAndOfEqualOnesTheFirst) {
  const auto queue = std::make_shared<PriorityQueue>(
      QueueSpec{.kind = "PriorityQueue",
                .name = "q",
                .capacity = 9,
                .element = {{DType::kInt64, DType::kString},
                            {PartialShape(Shape{}), PartialShape(Shape{})}}});
  const std::vector<std::pair<int64_t, std::string>> all = {
      {3, "c"}, {1, "a"}, {-2, "z"}, {1, "b"}};
  for (const auto& [priority, text] : all) {
    queue->Enqueue({Tensor::Scalar(priority), Tensor::Scalar(text)}, nullptr,
                   Call().done());
  }
  Close(*queue);
  EXPECT_FALSE(DequeueMany(*queue, 5).Get().first.ok());  // puts all four back
  const Call batch = DequeueMany(*queue, 4);
  EXPECT_EQ(batch.Numbers(), List({-2, 1, 1, 3}));
  EXPECT_EQ(batch.Get().second[1].flat<std::string>()[1], "a");
  EXPECT_EQ(batch.Get().second[1].flat<std::string>()[2], "b");
}

std::shared_ptr<Queue> Shuffling(int64_t capacity, int64_t kept, int64_t seed) {
  QueueSpec spec = Spec("RandomShuffleQueue", capacity);
  spec.min_after_dequeue = kept;
  spec.seed = seed;
  spec.seed2 = 7;
  return std::make_shared<RandomShuffleQueue>(spec);
}

TEST(RandomShuffleQueue, WithASeedGivesTheOrderOfTensorFlow) {
  // tf.RandomShuffleQueue(100, 0, tf.int32, [[]], seed=7), filled with 0 to 19.
  const auto queue = Shuffling(100, 0, 87654321);
  std::vector<int32_t> numbers(20);
  std::iota(numbers.begin(), numbers.end(), 0);
  EnqueueMany(*queue, numbers);
  EXPECT_EQ(DequeueMany(*queue, 20).Numbers(),
            List({7, 4, 19, 15, 0, 8, 10, 11, 14, 6, 16, 1, 12, 3, 17, 5, 2, 18, 13, 9}));
}

TEST(RandomShuffleQueue, KeepsSomeUntilItIsClosed) {
  const auto queue = Shuffling(10, 3, 1);
  EnqueueMany(*queue, {0, 1, 2, 3});
  EXPECT_TRUE(Dequeue(*queue).is_done());
  const Call next = Dequeue(*queue);
  EXPECT_FALSE(next.is_done());
  Close(*queue);
  EXPECT_TRUE(next.is_done());
  EXPECT_EQ(DequeueMany(*queue, 2).Get().first.ok(), true);
  EXPECT_EQ(Dequeue(*queue).Get().first.code(), Code::kOutOfRange);
}

TEST(RandomShuffleQueue, EveryElementComesNextWithTheSameChance) {
  // Of 5 elements each comes first in a fifth of 5,000 cases: 1000, give or take five
  // standard deviations of 28.
  std::vector<int> first(5, 0);
  for (int seed = 1; seed <= 5000; ++seed) {
    const auto queue = Shuffling(5, 0, seed);
    EnqueueMany(*queue, {0, 1, 2, 3, 4});
    ++first[static_cast<int>(Dequeue(*queue).Numbers()[0])];
  }
  for (const int count : first) EXPECT_NEAR(count, 1000, 142);
}

// ---- What makes no sense -------------------------------------------------------------

template <typename Function>
std::string ErrorOf(Function function) {
  try {
    function();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Queue, RefusesElementsOfAnotherKind) {
  const auto queue = Fifo(3);
  const auto put = [&](Element element) {
    return ErrorOf([&] { queue->Enqueue(std::move(element), nullptr, Call().done()); });
  };
  EXPECT_EQ(put({Int(1), Int(2)}),
            "Wrong number of components in tuple. Expected 1, got 2");
  EXPECT_EQ(put({Tensor::Scalar(1.0F)}),
            "Type mismatch in tuple component 0. Expected int32, got float32");
  EXPECT_EQ(put({Tensor::Of<int32_t>({2}, {1, 2})}),
            "Shape mismatch in tuple component 0. Expected [], got [2]");
  EXPECT_EQ(ErrorOf([&] { queue->EnqueueMany({Int(1)}, nullptr, Call().done()); }),
            "Shape mismatch in tuple component 0. Expected [0], got []");
  EXPECT_EQ(ErrorOf([&] { DequeueMany(*queue, -1); }),
            "DequeueManyOp requested -1 < 0 elements");
  EXPECT_EQ(queue->size(), 0);
}

TEST(Queue, WithoutShapesHasNoBatches) {
  QueueSpec spec = Spec("FIFOQueue", 3);
  spec.element.shapes.clear();
  const auto queue = std::make_shared<FifoQueue>(spec);
  EXPECT_EQ(ErrorOf([&] { DequeueMany(*queue, 1); }),
            "FIFOQueue's DequeueMany and DequeueUpTo require the components to have "
            "specified shapes.");
}

TEST(Queue, RefusesSettingsThatMakeNoSense) {
  EXPECT_NE(ErrorOf([] { Fifo(0); }), "");
  EXPECT_EQ(ErrorOf([] { Shuffling(3, 3, 1); }),
            "min_after_dequeue 3 must be < capacity 3");
  EXPECT_EQ(ErrorOf([] { Shuffling(3, -1, 1); }), "min_after_dequeue -1 must be >= 0");
  EXPECT_NE(ErrorOf([] { Make<PriorityQueue>("PriorityQueue", 3); }), "");
}

// ---- Many threads --------------------------------------------------------------------

// 4 producers put 0 to 3999 into `queue`, singly and in batches; 3 consumers take them.
std::vector<int> PassedOn(const std::shared_ptr<Queue>& queue) {
  constexpr int kProducers = 4;
  constexpr int kEach = 1000;
  std::vector<std::thread> threads;
  std::atomic<int> producing = kProducers;
  for (int p = 0; p < kProducers; ++p) {
    threads.emplace_back([&, p] {
      for (int i = 0; i < kEach; i += 5) {
        const int32_t n = p * kEach + i;
        Enqueue(*queue, n).Get();
        EnqueueMany(*queue, {n + 1, n + 2, n + 3, n + 4}).Get();
      }
      if (--producing == 0) Close(*queue).Get();
    });
  }
  std::mutex mutex;
  std::vector<int> taken;
  for (int c = 0; c < 3; ++c) {
    threads.emplace_back([&, c] {
      while (true) {
        const Call call = c == 0 ? Dequeue(*queue) : DequeueMany(*queue, 2 + c, true);
        if (!call.Get().first.ok()) return;
        const std::lock_guard lock(mutex);
        for (const double number : call.Numbers()) {
          taken.push_back(static_cast<int>(number));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::ranges::sort(taken);
  return taken;
}

TEST(Queue, FourProducersAndThreeConsumersLoseAndRepeatNothing) {
  std::vector<int> all(4000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(PassedOn(Fifo(7)), all);
  EXPECT_EQ(PassedOn(Shuffling(20, 9, 3)), all);
}

TEST(Queue, ShutsDownFromEveryState) {
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto queue = Fifo(2);
    CancellationManager manager;
    std::vector<std::thread> threads;
    std::atomic<int> ended = 0;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const Call call = t == 0   ? EnqueueMany(*queue, {1, 2, 3, 4, 5}, &manager)
                          : t == 1 ? DequeueMany(*queue, 7, false, &manager)
                          : t == 2 ? Dequeue(*queue)
                                   : Close(*queue, repeat % 2 == 0, &manager);
        call.Get();
        ++ended;
      });
    }
    if (repeat % 3 == 0) manager.StartCancel();
    // Who closes may itself have been cancelled.
    if (repeat % 3 == 0) Close(*queue, true).Get();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(ended, 4);
  }
}

}  // namespace
}  // namespace minitf::testing
