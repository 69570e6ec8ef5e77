// Queues: who is served when, and that nothing is lost.

#include "minitf/io/queues/queues.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

#include "gtest/gtest.h"
#include "tests/minitf/io/queues/queue_testing.h"

namespace minitf::testing {
namespace {

// ---- Order and capacity ---------------------------------------------------------------

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
  const PendingCall third = Enqueue(*queue, 3);
  const PendingCall fourth = Enqueue(*queue, 4);
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
  const PendingCall all = EnqueueMany(*queue, {1, 2, 3, 4, 5});
  EXPECT_EQ(queue->size(), 2);
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  EXPECT_FALSE(all.is_done());
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({2, 3}));
  EXPECT_TRUE(all.is_done());
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({4, 5}));
}

TEST(FifoQueue, ABatchLargerThanTheQueueComesOutInOne) {
  const auto queue = Fifo(2);
  const PendingCall five = DequeueMany(*queue, 5);
  const PendingCall behind = Dequeue(*queue);
  for (int i = 1; i <= 6; ++i) EXPECT_TRUE(Enqueue(*queue, i).is_done());
  EXPECT_EQ(five.Numbers(), List({1, 2, 3, 4, 5}));
  EXPECT_EQ(behind.Numbers(), List({6}));
}

TEST(FifoQueue, WhoeverComesFirstIsServedFirst) {
  const auto queue = Fifo(9);
  const PendingCall three = DequeueMany(*queue, 3);
  const PendingCall one = Dequeue(*queue);
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
  PendingCall call;
  queue->EnqueueMany({Tensor::Borrowed(DType::kInt32, {2}, lent.data(), [] {})}, nullptr,
                     call.done());
  lent = {8, 9};
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({1, 2}));
}

// ---- Closing --------------------------------------------------------------------------

TEST(ClosedQueue, GivesWhatItHasAndThenOutOfRange) {
  const auto queue = Fifo(3);
  Enqueue(*queue, 1);
  EXPECT_TRUE(Close(*queue).is_done());
  EXPECT_TRUE(queue->is_closed());
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  const PendingCall none = Dequeue(*queue);
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
  const PendingCall five = DequeueMany(*queue, 5);
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
  const PendingCall five = DequeueMany(*queue, 5, true);
  EXPECT_FALSE(five.is_done());
  Close(*queue);
  EXPECT_EQ(five.Numbers(), List({1, 2}));
}

TEST(ClosedQueue, WaitsForThoseInLine) {
  const auto queue = Fifo(1);
  Enqueue(*queue, 1);
  const PendingCall before = Enqueue(*queue, 2);
  const PendingCall close = Close(*queue);
  const PendingCall after = Enqueue(*queue, 3);
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
  const PendingCall two = EnqueueMany(*queue, {1, 2});
  const PendingCall close = Close(*queue);
  EXPECT_EQ(Close(*queue, true).Error(), "");
  EXPECT_EQ(two.Error(), "Enqueue operation was cancelled");
  EXPECT_EQ(close.Error(), "Close operation was cancelled");
  EXPECT_EQ(Dequeue(*queue).Numbers(), List({1}));
  EXPECT_EQ(Dequeue(*queue).Get().first.code(), Code::kOutOfRange);
}

// ---- Cancelling -----------------------------------------------------------------------

TEST(CancelledStep, EndsItsWait) {
  const auto queue = Fifo(1);
  CancellationManager manager;
  const PendingCall dequeue = Dequeue(*queue, &manager);
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
  const PendingCall five = DequeueMany(*queue, 5, false, &manager);
  const PendingCall one = Dequeue(*queue);
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
  const PendingCall three = DequeueMany(*queue, 3, false, &manager);
  const PendingCall two = DequeueMany(*queue, 2, false, &manager);
  manager.StartCancel();
  EXPECT_EQ(three.Error(), "Dequeue operation was cancelled");
  two.Get();
  EXPECT_EQ(two.Get().first.ok() ? 0 : 2, queue->size());
}

TEST(CancelledStep, KeepsTheRowsThatWereIn) {
  const auto queue = Fifo(2);
  CancellationManager manager;
  const PendingCall four = EnqueueMany(*queue, {1, 2, 3, 4}, &manager);
  manager.StartCancel();
  EXPECT_EQ(four.Error(), "Enqueue operation was cancelled");
  EXPECT_EQ(DequeueMany(*queue, 2).Numbers(), List({1, 2}));
  EXPECT_EQ(queue->size(), 0);
}

TEST(CancelledStep, MayOutliveTheQueue) {
  CancellationManager manager;
  auto queue = Fifo(1);
  const PendingCall dequeue = Dequeue(*queue, &manager);
  queue.reset();
  manager.StartCancel();
  EXPECT_FALSE(dequeue.is_done());  // nobody is left to tell
}

// ---- Many threads ---------------------------------------------------------------------

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
        const PendingCall call =
            c == 0 ? Dequeue(*queue) : DequeueMany(*queue, 2 + c, true);
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
        const PendingCall call = t == 0   ? EnqueueMany(*queue, {1, 2, 3, 4, 5}, &manager)
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
