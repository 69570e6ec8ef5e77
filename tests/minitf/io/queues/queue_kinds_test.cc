// Queues: padding, random order, priorities, and input that makes no sense.

#include <numeric>

#include "gtest/gtest.h"
#include "minitf/io/queues/queues.h"
#include "tests/minitf/io/queues/queue_testing.h"

namespace minitf::testing {
namespace {

// ---- Other kinds ----------------------------------------------------------------------

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
    queue->Enqueue(TwoComponents(row, "row"), nullptr, PendingCall().done());
  }
  const PendingCall batch = DequeueMany(*queue, 3);
  EXPECT_EQ(batch.Get().second[0].shape(), Shape({3, 3}));
  EXPECT_EQ(batch.Numbers(), List({7, 0, 0, 1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(batch.Get().second[1].flat<std::string>()[2], "row");
}

TEST(PaddingFifoQueue, PadsEveryAxis) {
  QueueSpec spec = Spec("PaddingFIFOQueue", 9);
  spec.element.shapes = {{-1, 2, -1}};
  const auto queue = std::make_shared<PaddingFifoQueue>(spec);
  const auto put = [&](const Shape& shape, const std::vector<int32_t>& values) {
    queue->Enqueue({Tensor::Of(shape, values)}, nullptr, PendingCall().done());
  };
  put({1, 2, 2}, {1, 2, 3, 4});
  put({2, 2, 1}, {5, 6, 7, 8});
  const PendingCall batch = DequeueMany(*queue, 2);
  EXPECT_EQ(batch.Get().second[0].shape(), Shape({2, 2, 2, 2}));
  EXPECT_EQ(batch.Numbers(), List({1, 2, 3, 4, 0, 0, 0, 0, 5, 0, 6, 0, 7, 0, 8, 0}));
}

TEST(PaddingFifoQueue, OthersGetTheElementsOfABatchThatIsTooLarge) {
  QueueSpec spec = Spec("PaddingFIFOQueue", 9);
  spec.element = {{DType::kInt8}, {{-1, -1}}};
  const auto queue = std::make_shared<PaddingFifoQueue>(spec);
  const PendingCall batch = DequeueMany(*queue, 2), next = Dequeue(*queue);
  // Filled up, each would be a square.
  const int64_t side = int64_t{1} << 23;
  queue->Enqueue({Tensor(DType::kInt8, Shape({1, side}))}, nullptr, PendingCall().done());
  queue->Enqueue({Tensor(DType::kInt8, Shape({side, 1}))}, nullptr, PendingCall().done());
  EXPECT_EQ(batch.Get().first.code(), Code::kResourceExhausted);
  ASSERT_TRUE(next.is_done());
  EXPECT_EQ(next.Get().second[0].shape(), Shape({1, side}));
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
                   PendingCall().done());
  }
  Close(*queue);
  EXPECT_FALSE(DequeueMany(*queue, 5).Get().first.ok());  // puts all four back
  const PendingCall batch = DequeueMany(*queue, 4);
  EXPECT_EQ(batch.Numbers(), List({-2, 1, 1, 3}));
  EXPECT_EQ(batch.Get().second[1].flat<std::string>()[1], "a");
  EXPECT_EQ(batch.Get().second[1].flat<std::string>()[2], "b");
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
  const PendingCall next = Dequeue(*queue);
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

// ---- What makes no sense --------------------------------------------------------------

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
    return ErrorOf(
        [&] { queue->Enqueue(std::move(element), nullptr, PendingCall().done()); });
  };
  EXPECT_EQ(put({Int(1), Int(2)}),
            "Wrong number of components in tuple. Expected 1, got 2");
  EXPECT_EQ(put({Tensor::Scalar(1.0F)}),
            "Type mismatch in tuple component 0. Expected int32, got float32");
  EXPECT_EQ(put({Tensor::Of<int32_t>({2}, {1, 2})}),
            "Shape mismatch in tuple component 0. Expected [], got [2]");
  EXPECT_EQ(ErrorOf([&] { queue->EnqueueMany({Int(1)}, nullptr, PendingCall().done()); }),
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

}  // namespace
}  // namespace minitf::testing
