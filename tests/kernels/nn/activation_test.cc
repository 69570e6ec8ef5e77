// Activations: values, formulas, special numbers, and the gradients of the gradients.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/kernels/conv/conv2d_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AllClose;
using testing::CastTo;
using testing::ErrorOf;
using testing::GradientAgrees;
using testing::Numbers;
using testing::RandomTensor;

struct Activation {
  std::string name;
  std::function<double(double)> f;
  std::function<double(double)> slope;
  bool gradient_takes_output = false;
};

constexpr double kAlpha = 1.6732632423543772848;
constexpr double kScale = 1.0507009873554804934;

const Activation kActivations[] = {
    {"Relu", [](double x) { return x > 0 ? x : 0; },
     [](double x) { return x > 0 ? 1 : 0; }},
    {"Relu6", [](double x) { return std::fmin(std::fmax(x, 0), 6); },
     [](double x) { return x > 0 && x < 6 ? 1 : 0; }},
    {"LeakyRelu", [](double x) { return x > 0 ? x : 0.2F * x; },
     [](double x) { return x > 0 ? 1 : 0.2F; }},
    {"Elu", [](double x) { return x > 0 ? x : std::exp(x) - 1; },
     [](double x) { return x > 0 ? 1 : std::exp(x); }, true},
    {"Selu", [](double x) { return kScale * (x > 0 ? x : kAlpha * (std::exp(x) - 1)); },
     [](double x) { return kScale * (x > 0 ? 1 : kAlpha * std::exp(x)); }, true},
    {"Softplus", [](double x) { return std::log(std::exp(x) + 1); },
     [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"Softsign", [](double x) { return x / (std::abs(x) + 1); },
     [](double x) { return 1 / ((std::abs(x) + 1) * (std::abs(x) + 1)); }},
};

TEST(Activations, AgreeWithTheirFormulas) {
  // more than one stretch, and a last one that is not full
  const Tensor x = RandomTensor({3, 911}, 1, -9, 9);
  const Tensor dy = RandomTensor({3, 911}, 2);
  for (const Activation& activation : kActivations) {
    Tensor y = testing::Zeros(x.shape());
    Tensor dx = testing::Zeros(x.shape());
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      y.mutable_flat<double>()[i] = activation.f(x.flat<double>()[i]);
      dx.mutable_flat<double>()[i] =
          dy.flat<double>()[i] * activation.slope(x.flat<double>()[i]);
    }
    EXPECT_TRUE(AllClose(RunOp(activation.name, {x})[0], y)) << activation.name;
    const Tensor& features = activation.gradient_takes_output ? y : x;
    EXPECT_TRUE(AllClose(RunOp(activation.name + "Grad", {dy, features})[0], dx))
        << activation.name;
  }
}

TEST(Activations, HalfTypesAreComputedInFloat) {
  const Tensor x = RandomTensor({2, 700}, 1, -5, 5);
  for (const Activation& activation : kActivations) {
    const Tensor half = CastTo(DType::kFloat16, x);
    const Tensor expected = RunOp(activation.name, {CastTo(DType::kFloat64, half)})[0];
    EXPECT_TRUE(AllClose(CastTo(DType::kFloat64, RunOp(activation.name, {half})[0]),
                         expected, 1e-3))
        << activation.name;
  }
}

TEST(Activations, NanStaysNanAndInfinityIsNoTrouble) {
  const Tensor x = Numbers({3}, {NAN, INFINITY, -INFINITY});
  const auto values = [&](const std::string& op) { return RunOp(op, {x})[0]; };
  EXPECT_TRUE(AllClose(values("Relu"), Numbers({3}, {NAN, INFINITY, 0})));
  EXPECT_TRUE(AllClose(values("Relu6"), Numbers({3}, {NAN, 6, 0})));
  EXPECT_TRUE(AllClose(values("Elu"), Numbers({3}, {NAN, INFINITY, -1})));
  EXPECT_TRUE(AllClose(values("Softplus"), Numbers({3}, {NAN, INFINITY, 0})));
  EXPECT_TRUE(AllClose(values("LeakyRelu"), Numbers({3}, {NAN, INFINITY, -INFINITY})));
}

TEST(Activations, SoftplusKeepsItsDigitsFarFromZero) {
  const Tensor y = RunOp("Softplus", {Tensor::Of<float>({3}, {-50, 50, 200})})[0];
  EXPECT_FLOAT_EQ(y.flat<float>()[0], std::exp(-50.0F));
  EXPECT_FLOAT_EQ(y.flat<float>()[1], 50);
  EXPECT_FLOAT_EQ(y.flat<float>()[2], 200);
}

TEST(Activations, EluKeepsItsDigitsNearZero) {
  const Tensor y = RunOp("Elu", {Tensor::Of<float>({1}, {-1e-6F})})[0];
  EXPECT_FLOAT_EQ(y.flat<float>()[0], std::expm1(-1e-6F));
}

TEST(Activations, ReluOfIntegers) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kInt8, DType::kInt16}) {
    const Tensor x = CastTo(dtype, Numbers({3}, {-2, 0, 3}));
    EXPECT_TRUE(AllClose(CastTo(DType::kFloat64, RunOp("Relu", {x})[0]),
                         Numbers({3}, {0, 0, 3})));
  }
}

TEST(Activations, ReluGradAtZeroIsZero) {
  EXPECT_TRUE(
      AllClose(RunOp("ReluGrad", {Numbers({3}, {5, 6, 7}), Numbers({3}, {-1, 0, 1})})[0],
               Numbers({3}, {0, 0, 7})));
}

TEST(Activations, AlphaOfLeakyReluMayExceedOne) {
  const Attrs attrs = {{"alpha", 3.0F}};
  EXPECT_TRUE(AllClose(RunOp("LeakyRelu", {Numbers({2}, {-2, 2})}, attrs)[0],
                       Numbers({2}, {-6, 2})));
}

TEST(Activations, FirstAndSecondDerivativesAgreeWithDifferences) {
  Tensor x = RandomTensor({2, 9}, 3, -4, 8);
  for (double& value : x.mutable_flat<double>()) {
    if (std::abs(value) < 0.01 || std::abs(value - 6) < 0.01) value += 0.1;
  }
  const Tensor dy = RandomTensor({2, 9}, 4);
  for (const Activation& activation : kActivations) {
    EXPECT_TRUE(GradientAgrees(activation.name, {x})) << activation.name;
    // none in place of zero for the second input of functions made of straight lines
    if (activation.name.find("elu") != std::string::npos) continue;
    EXPECT_TRUE(GradientAgrees(activation.name + "Grad", {dy, x})) << activation.name;
  }
  EXPECT_TRUE(GradientAgrees("EluGrad", {dy, x}));
  EXPECT_TRUE(GradientAgrees("SeluGrad", {dy, x}));
}

TEST(Activations, NoElementsAndScalars) {
  EXPECT_EQ(RunOp("Relu", {testing::Zeros({0, 3})})[0].shape(), (Shape{0, 3}));
  EXPECT_EQ(RunOp("Elu", {Tensor::Scalar(2.0)})[0].scalar<double>(), 2);
}

TEST(Activations, GradientsMustHaveTheShapeOfTheFeatures) {
  EXPECT_NE(ErrorOf("ReluGrad", {testing::Zeros({2, 3}), testing::Zeros({3, 2})}), "");
}

}  // namespace
}  // namespace minitf
