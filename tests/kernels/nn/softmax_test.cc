// Softmax and the losses of classification: values, formulas, and inputs that make no
// sense.

#include <algorithm>
#include <cmath>
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
using testing::GradientAgrees;
using testing::Numbers;
using testing::RandomTensor;
using testing::Says;

constexpr auto kDense = "SoftmaxCrossEntropyWithLogits";
constexpr auto kSparse = "SparseSoftmaxCrossEntropyWithLogits";

TEST(Softmax, GoldenValues) {
  EXPECT_TRUE(AllClose(RunOp("Softmax", {Numbers({3}, {1, 2, 3})})[0],
                       Numbers({3}, {0.09003057, 0.24472847, 0.66524096}), 1e-8));
}

TEST(Softmax, IsTakenAlongTheLastAxis) {
  const Tensor x = RandomTensor({2, 3, 4}, 1, -5, 5);
  Tensor y = testing::Zeros({2, 3, 4});
  Tensor log_y = testing::Zeros({2, 3, 4});
  for (int64_t row = 0; row < 6; ++row) {
    double sum = 0;
    for (int64_t c = 0; c < 4; ++c) sum += std::exp(x.flat<double>()[row * 4 + c]);
    for (int64_t i = row * 4; i < row * 4 + 4; ++i) {
      y.mutable_flat<double>()[i] = std::exp(x.flat<double>()[i]) / sum;
      log_y.mutable_flat<double>()[i] = x.flat<double>()[i] - std::log(sum);
    }
  }
  EXPECT_TRUE(AllClose(RunOp("Softmax", {x})[0], y));
  EXPECT_TRUE(AllClose(RunOp("LogSoftmax", {x})[0], log_y));
}

TEST(Softmax, LargeLogitsDoNotOverflow) {
  const Tensor x = Tensor::Of<float>({1, 3}, {1000, 1000, -1000});
  EXPECT_TRUE(AllClose(RunOp("Softmax", {x})[0], Tensor::Of<float>({1, 3}, {.5, .5, 0})));
  EXPECT_TRUE(AllClose(RunOp("LogSoftmax", {x})[0],
                       Tensor::Of<float>({1, 3}, {-.6931472F, -.6931472F, -2000.6931F}),
                       1e-6));
}

TEST(Softmax, SpecialInputs) {
  EXPECT_EQ(RunOp("Softmax", {testing::Zeros({0, 3})})[0].shape(), (Shape{0, 3}));
  EXPECT_EQ(RunOp("Softmax", {testing::Zeros({3, 0})})[0].shape(), (Shape{3, 0}));
  EXPECT_TRUE(
      AllClose(RunOp("Softmax", {Numbers({2}, {NAN, 1})})[0], Numbers({2}, {NAN, NAN})));
  EXPECT_TRUE(Says(ErrorOf("Softmax", {Tensor::Scalar(1.0)}), ">= 1 dimension, got []"));
  const Tensor half = CastTo(DType::kFloat16, Numbers({3}, {1, 2, 3}));
  EXPECT_TRUE(AllClose(CastTo(DType::kFloat64, RunOp("Softmax", {half})[0]),
                       Numbers({3}, {0.09003, 0.24473, 0.66524}), 1e-3));
}

TEST(Softmax, RegisteredGradients) {
  const Tensor x = RandomTensor({2, 3, 4}, 2, -2, 2);
  EXPECT_TRUE(GradientAgrees("Softmax", {x}));
  EXPECT_TRUE(GradientAgrees("LogSoftmax", {x}));
}

// ---- Losses ---------------------------------------------------------------------------

TEST(CrossEntropy, IsTheFormulaAndItsGradientIsSoftmaxLessLabels) {
  const Tensor x = RandomTensor({5, 4}, 1, -3, 3);
  const Tensor labels = RunOp("Softmax", {RandomTensor({5, 4}, 2)})[0];
  const Tensor p = RunOp("Softmax", {x})[0];
  Tensor loss = testing::Zeros({5});
  Tensor gradient = testing::Zeros({5, 4});
  for (int64_t i = 0; i < 20; ++i) {
    loss.mutable_flat<double>()[i / 4] -=
        labels.flat<double>()[i] * std::log(p.flat<double>()[i]);
    gradient.mutable_flat<double>()[i] = p.flat<double>()[i] - labels.flat<double>()[i];
  }
  const auto outputs = RunOp(kDense, {x, labels});
  EXPECT_TRUE(AllClose(outputs[0], loss));
  EXPECT_TRUE(AllClose(outputs[1], gradient));
}

TEST(CrossEntropy, SparseLabelsStandForOneHotOnes) {
  const Tensor x = RandomTensor({3, 4}, 1, -3, 3);
  const Tensor one_hot = Numbers({3, 4}, {0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1});
  const auto expected = RunOp(kDense, {x, one_hot});
  for (const Tensor& labels :
       {Tensor::Of<int32_t>({3}, {2, 0, 3}), Tensor::Of<int64_t>({3}, {2, 0, 3})}) {
    const auto outputs = RunOp(kSparse, {x, labels});
    EXPECT_TRUE(AllClose(outputs[0], expected[0]));
    EXPECT_TRUE(AllClose(outputs[1], expected[1]));
  }
}

TEST(CrossEntropy, SmallerInputsAreRepeated) {
  const Tensor x = RandomTensor({1, 4}, 1);
  // the gradient of the logits is taken for labels that add up to 1 in each row
  const Tensor labels = RunOp("Softmax", {RandomTensor({3, 4}, 2, 0, 1)})[0];
  const Tensor repeated = Tensor::Of(Shape{3, 4}, [&] {
    std::vector<double> values;
    for (int64_t i = 0; i < 12; ++i) values.push_back(x.flat<double>()[i % 4]);
    return values;
  }());
  const auto expected = RunOp(kDense, {repeated, labels});
  for (const Tensor& logits : {x, x.Reshaped({4})}) {
    const auto outputs = RunOp(kDense, {logits, labels});
    EXPECT_TRUE(AllClose(outputs[0], expected[0]));
    EXPECT_TRUE(AllClose(outputs[1], expected[1]));
    EXPECT_TRUE(GradientAgrees(kDense, {logits, labels}));
  }
}

TEST(CrossEntropy, NanAndInfinity) {
  const Tensor x = Numbers({3, 2}, {NAN, 1, -INFINITY, 1, 2, 1});
  const auto dense = RunOp(kDense, {x, Numbers({3, 2}, {1, 0, 0, 1, NAN, 0})});
  // 0 times infinity, as in TensorFlow
  EXPECT_TRUE(AllClose(dense[0], Numbers({3}, {NAN, NAN, NAN})));
  const auto sparse = RunOp(kSparse, {x, Tensor::Of<int32_t>({3}, {0, 1, 0})});
  EXPECT_TRUE(AllClose(sparse[0], Numbers({3}, {NAN, 0, std::log(1 + std::exp(-1.0))})));
}

TEST(CrossEntropy, LabelsOutOfRangeAreAnError) {
  const Tensor x = testing::Zeros({2, 10});
  EXPECT_TRUE(
      Says(ErrorOf(kSparse, {x, Tensor::Of<int32_t>({2}, {3, 10})}),
           "Received a label value of 10 which is outside the valid range of [0, 10)"));
  EXPECT_TRUE(
      Says(ErrorOf(kSparse, {x, Tensor::Of<int64_t>({2}, {-1, 3})}),
           "Received a label value of -1 which is outside the valid range of [0, 10)"));
}

TEST(CrossEntropy, ShapesMustFit) {
  const Tensor x = testing::Zeros({2, 3});
  EXPECT_NE(ErrorOf(kDense, {x, testing::Zeros({2, 4})}), "");
  EXPECT_NE(ErrorOf(kDense, {testing::Zeros({3}), testing::Zeros({3})}), "");
  EXPECT_TRUE(
      Says(ErrorOf(kSparse, {x, Tensor::Of<int32_t>({3}, {0, 0, 0})}),
           "logits and labels must have the same first dimension, got logits shape "
           "[2,3] and labels shape [3]"));
  EXPECT_TRUE(
      Says(ErrorOf(kSparse, {testing::Zeros({2, 0}), Tensor::Of<int32_t>({2}, {0, 0})}),
           "at least one class, but got logits shape [2,0]"));
}

TEST(CrossEntropy, NoElements) {
  const auto none = RunOp(kDense, {testing::Zeros({0, 3}), testing::Zeros({0, 3})});
  EXPECT_EQ(none[0].shape(), (Shape{0}));
  EXPECT_EQ(none[1].shape(), (Shape{0, 3}));
  const auto no_class = RunOp(kDense, {testing::Zeros({2, 0}), testing::Zeros({2, 0})});
  EXPECT_TRUE(AllClose(no_class[0], Numbers({2}, {0, 0})));
  const auto sparse =
      RunOp(kSparse, {testing::Zeros({0, 3}), Tensor(DType::kInt32, Shape{0})});
  EXPECT_EQ(sparse[1].shape(), (Shape{0, 3}));
}

TEST(CrossEntropy, RegisteredGradients) {
  const Tensor x = RandomTensor({3, 4}, 1, -2, 2);
  const Tensor labels = RandomTensor({3, 4}, 2, 0, 1);
  // the gradient of the labels is taken for labels that add up to 1 in each row
  const Tensor probabilities = RunOp("Softmax", {labels})[0];
  const Tensor dy = RandomTensor({3}, 3);
  const auto gradients = testing::RegisteredGradient(kDense, {x, probabilities}, {}, dy);
  const auto loss = [&](const Tensor& at) {
    return RunOp(kDense, {at, probabilities})[0];
  };
  EXPECT_TRUE(AllClose(gradients[0], testing::NumericGradient(loss, x, dy), 1e-6));
  const auto loss_of_labels = [&](const Tensor& at) { return RunOp(kDense, {x, at})[0]; };
  EXPECT_TRUE(AllClose(
      gradients[1], testing::NumericGradient(loss_of_labels, probabilities, dy), 1e-6));
  EXPECT_TRUE(GradientAgrees(kSparse, {x, Tensor::Of<int32_t>({3}, {1, 3, 0})}));
}

TEST(L2Loss, IsHalfTheSumOfSquares) {
  EXPECT_EQ(RunOp("L2Loss", {Numbers({3}, {1, 2, 3})})[0].scalar<double>(), 7);
  EXPECT_EQ(RunOp("L2Loss", {testing::Zeros({0})})[0].scalar<double>(), 0);
  EXPECT_TRUE(GradientAgrees("L2Loss", {RandomTensor({3, 5}, 1)}));
}

}  // namespace
}  // namespace minitf
