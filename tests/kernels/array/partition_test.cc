// Where, Unique, ListDiff, DynamicPartition, DynamicStitch.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(Where, ListsPlacesInOrder) {
  const Tensor x = Tensor::Of<bool>({2, 2}, {true, false, true, true});
  EXPECT_TRUE(
      AllClose(OutputOf("Where", {x}), Tensor::Of<int64_t>({3, 2}, {0, 0, 1, 0, 1, 1})));
  EXPECT_TRUE(AllClose(OutputOf("Where", {Numbers({3}, {0, -2, NAN})}),
                       Tensor::Of<int64_t>({2, 1}, {1, 2})));
  EXPECT_TRUE(Says(ErrorOf("Where", {Tensor::Scalar(true)}), "a scalar has no places"));
  EXPECT_EQ(OutputOf("Where", {Counting({0, 3})}).shape(), (Shape{0, 2}));
}

TEST(Unique, NumbersElementsAsTheyCome) {
  const auto result = RunOp("Unique", {Ints({1, 1, 2, 4, 4, 4, 7, 8, 8})});
  EXPECT_TRUE(AllClose(result[0], Ints({1, 2, 4, 7, 8})));
  EXPECT_TRUE(AllClose(result[1], Ints({0, 0, 1, 2, 2, 2, 3, 4, 4})));
  const auto text = RunOp("Unique", {Tensor::Of<std::string>({3}, {"b", "a", "b"})},
                          {{"out_idx", DType::kInt64}});
  EXPECT_EQ(Strings(text[0]), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(AllClose(text[1], Tensor::Of<int64_t>({3}, {0, 1, 0})));
  EXPECT_EQ(RunOp("Unique", {Numbers({2}, {0.0, -0.0})})[0].num_elements(), 1);
  EXPECT_NE(ErrorOf("Unique", {Counting({2, 2})}), "");
}

TEST(ListDiff, KeepsWhatTheOtherListLacks) {
  const auto result = RunOp("ListDiff", {Ints({1, 2, 3, 4, 5, 6}), Ints({1, 3, 5})});
  EXPECT_TRUE(AllClose(result[0], Ints({2, 4, 6})));
  EXPECT_TRUE(AllClose(result[1], Ints({1, 3, 5})));
}

TEST(DynamicPartition, SortsRowsIntoGroups) {
  const Attrs attrs = {{"num_partitions", int64_t{3}}};
  const auto parts =
      RunOp("DynamicPartition", {Counting({3, 2}), Ints({2, 0, 2})}, attrs);
  EXPECT_TRUE(AllClose(parts[0], Numbers({1, 2}, {2, 3})));
  EXPECT_EQ(parts[1].shape(), (Shape{0, 2}));
  EXPECT_TRUE(AllClose(parts[2], Numbers({2, 2}, {0, 1, 4, 5})));
  EXPECT_TRUE(Says(ErrorOf("DynamicPartition", {Counting({2}), Ints({0, 3})}, attrs),
                   "partitions[1] = 3 is not in [0, 3)"));
  EXPECT_TRUE(Says(ErrorOf("DynamicPartition", {Counting({2}), Ints({0})}, attrs),
                   "data.shape = [2] does not start with [1]"));
}

TEST(DynamicStitch, PutsGroupsTogetherAgain) {
  const Tensor merged = RunOp(
      "DynamicStitch",
      {Ints({3, 1}), Ints({0}), Numbers({2, 1}, {30, 10}), Numbers({1, 1}, {5})})[0];
  EXPECT_TRUE(AllClose(merged, Numbers({4, 1}, {5, 10, 0, 30})));
  // The last one counts.
  EXPECT_TRUE(AllClose(RunOp("DynamicStitch", {Ints({0}), Ints({0}), Numbers({1}, {1}),
                                               Numbers({1}, {2})})[0],
                       Numbers({1}, {2})));
  EXPECT_NE(ErrorOf("DynamicStitch", {Ints({-1}), Numbers({1}, {1})}), "");
  EXPECT_EQ(RunOp("DynamicStitch", {Ints({}), Counting({0, 2})})[0].shape(),
            (Shape{0, 2}));
}

TEST(DynamicStitch, AndPartitionHaveGradients) {
  const Tensor x = RandomTensor({3, 2});
  EXPECT_TRUE(GradientAgrees("DynamicPartition", {x, Ints({1, 0, 0})},
                             {{"num_partitions", int64_t{2}}}));
  EXPECT_TRUE(GradientAgrees(
      "DynamicStitch",
      {Ints({2, 0}), Ints({1}), RandomTensor({2, 2}, 1), RandomTensor({1, 2}, 2)}));
}

}  // namespace
}  // namespace minitf::testing
