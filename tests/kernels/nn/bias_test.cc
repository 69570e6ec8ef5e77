// BiasAdd and BiasAddGrad: values in both layouts, sums of many numbers, and inputs that
// make no sense.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/kernels/conv/conv2d_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AllClose;
using testing::CastTo;
using testing::CountingFrom1;
using testing::ErrorOf;
using testing::Numbers;
using testing::RandomTensor;

const Attrs kNchw = {{"data_format", std::string("NCHW")}};

TEST(BiasAdd, AddsToTheLastAxisOrToAxisOne) {
  const Tensor x = CountingFrom1({2, 2, 3});
  EXPECT_TRUE(
      AllClose(RunOp("BiasAdd", {x, Numbers({3}, {10, 20, 30})})[0],
               Numbers({2, 2, 3}, {11, 22, 33, 14, 25, 36, 17, 28, 39, 20, 31, 42})));
  EXPECT_TRUE(
      AllClose(RunOp("BiasAdd", {x, Numbers({2}, {10, 20})}, kNchw)[0],
               Numbers({2, 2, 3}, {11, 12, 13, 24, 25, 26, 17, 18, 19, 30, 31, 32})));
  EXPECT_THROW(
      RunOp("BiasAdd", {CountingFrom1({2, 3}), Numbers({3}, {10, 20, 30})}, kNchw),
      Error);
}

TEST(BiasAddGrad, SumsOverAllOtherAxes) {
  const Tensor dy = CountingFrom1({2, 2, 3});
  EXPECT_TRUE(AllClose(RunOp("BiasAddGrad", {dy})[0], Numbers({3}, {22, 26, 30})));
  EXPECT_TRUE(AllClose(RunOp("BiasAddGrad", {dy}, kNchw)[0], Numbers({2}, {30, 48})));
}

TEST(BiasAddGrad, SumsMillionsOfFloatsToFullPrecision) {
  // 3,000,000 times 0.1 in each of 2 channels; one running sum of floats would be 2 % off
  const Tensor dy = Tensor::Of(Shape{3'000'000, 2}, std::vector<float>(6'000'000, 0.1F));
  EXPECT_TRUE(AllClose(RunOp("BiasAddGrad", {dy})[0],
                       Tensor::Of<float>({2}, {300'000, 300'000}), 1e-4));
  EXPECT_TRUE(AllClose(RunOp("BiasAddGrad", {dy.Reshaped({1, 1, 6'000'000})}, kNchw)[0],
                       Tensor::Of<float>({1}, {600'000}), 1e-4));
}

TEST(BiasAdd, HasKernelsForOtherTypes) {
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kFloat32,
                            DType::kInt32, DType::kInt64}) {
    const Tensor x = CastTo(dtype, CountingFrom1({2, 3}));
    const Tensor bias = CastTo(dtype, Numbers({3}, {10, 20, 30}));
    EXPECT_TRUE(AllClose(CastTo(DType::kFloat64, RunOp("BiasAdd", {x, bias})[0]),
                         Numbers({2, 3}, {11, 22, 33, 14, 25, 36})));
    EXPECT_TRUE(AllClose(CastTo(DType::kFloat64, RunOp("BiasAddGrad", {x})[0]),
                         Numbers({3}, {5, 7, 9})));
  }
}

TEST(BiasAdd, NoElements) {
  EXPECT_EQ(RunOp("BiasAdd", {testing::Zeros({0, 3}), CountingFrom1({3})})[0].shape(),
            (Shape{0, 3}));
  EXPECT_EQ(RunOp("BiasAdd", {testing::Zeros({2, 0}), CountingFrom1({0})})[0].shape(),
            (Shape{2, 0}));
  EXPECT_EQ(
      RunOp("BiasAdd", {testing::Zeros({2, 3, 0}), CountingFrom1({3})}, kNchw)[0].shape(),
      (Shape{2, 3, 0}));
  EXPECT_TRUE(AllClose(RunOp("BiasAddGrad", {testing::Zeros({0, 3})})[0],
                       Numbers({3}, {0, 0, 0})));
  EXPECT_TRUE(AllClose(RunOp("BiasAddGrad", {testing::Zeros({2, 3, 0})}, kNchw)[0],
                       Numbers({3}, {0, 0, 0})));
}

TEST(BiasAdd, RegisteredGradientOfTheGradient) {
  EXPECT_TRUE(testing::GradientAgrees("BiasAddGrad", {RandomTensor({2, 3, 4}, 1)}));
  EXPECT_TRUE(
      testing::GradientAgrees("BiasAddGrad", {RandomTensor({2, 3, 4}, 1)}, kNchw));
}

TEST(BiasAdd, ErrorsNameBothShapes) {
  const std::string error =
      ErrorOf("BiasAdd", {CountingFrom1({2, 3}), CountingFrom1({4})});
  EXPECT_NE(error.find("[4] vs. [2,3]"), std::string::npos) << error;
  EXPECT_NE(ErrorOf("BiasAdd", {CountingFrom1({3}), CountingFrom1({3})})
                .find("at least 2D: [3]"),
            std::string::npos);
  EXPECT_NE(ErrorOf("BiasAdd", {CountingFrom1({2, 3}), CountingFrom1({1, 3})}), "");
  EXPECT_NE(ErrorOf("BiasAddGrad", {CountingFrom1({3})}), "");
}

}  // namespace
}  // namespace minitf
