// TopKV2 and InTopK: order, ties, and inputs that make no sense.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/kernels/conv/conv2d_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AllClose;
using testing::CountingFrom1;
using testing::ErrorOf;
using testing::GradientAgrees;
using testing::Numbers;
using testing::Says;

TEST(TopK, LargestFirstAndOfEqualOnesTheFirst) {
  const Tensor x = Numbers({2, 4}, {1, 5, 5, 2, 7, 7, 7, 9});
  const auto top = RunOp("TopKV2", {x, Tensor::Scalar<int32_t>(3)});
  EXPECT_TRUE(AllClose(top[0], Numbers({2, 3}, {5, 5, 2, 9, 7, 7})));
  EXPECT_TRUE(AllClose(top[1], Tensor::Of<int32_t>({2, 3}, {1, 2, 3, 3, 0, 1})));
}

TEST(TopK, SpecialInputs) {
  const Tensor k_2 = Tensor::Scalar<int32_t>(2);
  const auto nan = RunOp("TopKV2", {Numbers({4}, {1, NAN, 3, NAN}), k_2});
  EXPECT_TRUE(AllClose(nan[1], Tensor::Of<int32_t>({2}, {1, 3})));
  EXPECT_EQ(
      RunOp("TopKV2", {testing::Zeros({3, 0}), Tensor::Scalar<int32_t>(0)})[0].shape(),
      (Shape{3, 0}));
  EXPECT_TRUE(Says(ErrorOf("TopKV2", {CountingFrom1({2, 1}), k_2}),
                   "input must have at least k columns. Had 1, needed 2"));
  EXPECT_TRUE(
      Says(ErrorOf("TopKV2", {CountingFrom1({2, 1}), Tensor::Scalar<int32_t>(-1)}),
           "Need k >= 0, got -1"));
  EXPECT_NE(ErrorOf("TopKV2", {Tensor::Scalar(1.0), k_2}), "");
  EXPECT_NE(ErrorOf("TopKV2", {CountingFrom1({2, 4}), Tensor::Of<int32_t>({0}, {})}), "");
}

TEST(TopK, RegisteredGradient) {
  const Tensor x = Numbers({2, 4}, {1, 6, 5, 2, 8, 3, 7, 9});
  EXPECT_TRUE(GradientAgrees("TopKV2", {x, Tensor::Scalar<int32_t>(2)}));
}

TEST(InTopK, CountsPredictionsAboveTheTarget) {
  const Tensor x = Tensor::Of<float>(
      {5, 3}, {.1F, .8F, .5F, .5F, .5F, .9F, .1F, .2F, .3F, 1, 2, INFINITY, 1, 2, 3});
  const Tensor targets = Tensor::Of<int32_t>({5}, {2, 0, 0, 0, 7});
  // ties count as in; infinity and a target out of range as out
  const std::vector<double> expected = {1, 1, 0, 0, 0};
  EXPECT_EQ(testing::AsDoubles(RunOp("InTopK", {x, targets}, {{"k", int64_t{2}}})[0]),
            expected);
  EXPECT_EQ(
      testing::AsDoubles(RunOp("InTopKV2", {x, targets, Tensor::Scalar<int32_t>(2)})[0]),
      expected);
  EXPECT_NE(ErrorOf("InTopK", {x, Tensor::Of<int32_t>({1}, {2})}, {{"k", int64_t{2}}}),
            "");
}

}  // namespace
}  // namespace minitf
