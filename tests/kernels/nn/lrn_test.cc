// LRN and LRNGrad: the formula, finite differences, and inputs that make no sense.

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/kernels/conv/conv2d_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AllClose;
using testing::CastTo;
using testing::ErrorOf;
using testing::RandomTensor;

const Attrs kLrn = {
    {"depth_radius", int64_t{2}}, {"bias", 1.5F}, {"alpha", 0.5F}, {"beta", 0.75F}};

TEST(Lrn, IsTheFormula) {
  const Tensor x = CastTo(DType::kFloat32, RandomTensor({2, 3, 1, 7}, 1, -2, 2));
  Tensor y(DType::kFloat32, x.shape());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    double sum = 0;
    for (int64_t j = i - 2; j <= i + 2; ++j) {
      if (j >= 0 && j / 7 == i / 7) sum += std::pow(x.flat<float>()[j], 2);
    }
    y.mutable_flat<float>()[i] =
        static_cast<float>(x.flat<float>()[i] / std::pow(1.5 + 0.5 * sum, 0.75));
  }
  EXPECT_TRUE(AllClose(RunOp("LRN", {x}, kLrn)[0], y, 1e-6));
}

TEST(Lrn, GradientAgreesWithDifferences) {
  const Tensor x = RandomTensor({1, 1, 2, 6}, 1, -2, 2);
  const Tensor dy = RandomTensor({1, 1, 2, 6}, 2);
  const auto lrn = [](const Tensor& at) {
    // in double, since LRN knows no double and differences of floats are coarse
    Tensor y = testing::Zeros(at.shape());
    for (int64_t i = 0; i < 12; ++i) {
      double sum = 0;
      for (int64_t j = std::max<int64_t>(i / 6 * 6, i - 2);
           j <= std::min(i / 6 * 6 + 5, i + 2); ++j) {
        sum += at.flat<double>()[j] * at.flat<double>()[j];
      }
      y.mutable_flat<double>()[i] =
          at.flat<double>()[i] / std::pow(1.5 + 0.5 * sum, 0.75);
    }
    return y;
  };
  const auto single = [](const Tensor& t) { return CastTo(DType::kFloat32, t); };
  const Tensor dx = RunOp("LRNGrad", {single(dy), single(x), single(lrn(x))}, kLrn)[0];
  EXPECT_TRUE(
      AllClose(CastTo(DType::kFloat64, dx), testing::NumericGradient(lrn, x, dy), 1e-5));
}

TEST(Lrn, SpecialInputs) {
  const Tensor none(DType::kFloat32, Shape{1, 2, 0, 3});
  EXPECT_EQ(RunOp("LRN", {none})[0].shape(), (Shape{1, 2, 0, 3}));
  const Tensor flat(DType::kFloat32, Shape{3});
  EXPECT_NE(ErrorOf("LRN", {flat}), "");
  EXPECT_NE(ErrorOf("LRN", {none}, {{"depth_radius", int64_t{-1}}}), "");
}

}  // namespace
}  // namespace minitf
