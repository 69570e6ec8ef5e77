// FusedBatchNorm and its gradient: numbers by hand, the formula for many sizes, large
// means, types of 16 bits, no elements, and inputs that make no sense.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AllClose;
using testing::AsDoubles;
using testing::CastTo;
using testing::ErrorOf;
using testing::RandomFloats;
using testing::Says;

const Tensor kNoVector(DType::kFloat32, Shape{0});

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::Of(shape, values);
}

Attrs AttrsWith(const std::string& format, bool is_training, float epsilon = 0.5F) {
  return {{"data_format", format}, {"is_training", is_training}, {"epsilon", epsilon}};
}

// ---- By hand --------------------------------------------------------------------------

TEST(FusedBatchNorm, TakesEachChannelByItself) {
  // 1, 5: mean 3, variance 4; 10, 10: mean 10, variance 0; epsilon 5 makes roots of 9, 5
  const Tensor x = Floats({1, 1, 2, 2}, {1, 10, 5, 10});
  const auto y =
      RunOp("FusedBatchNormV3",
            {x, Floats({2}, {6, 7}), Floats({2}, {100, 200}), kNoVector, kNoVector},
            AttrsWith("NHWC", true, 5));
  EXPECT_TRUE(AllClose(y[0], Floats({1, 1, 2, 2}, {96, 200, 104, 200}), 1e-6));
  EXPECT_TRUE(AllClose(y[1], Floats({2}, {3, 10})));
  EXPECT_TRUE(AllClose(y[2], Floats({2}, {8, 0})));  // over 2 - 1
  EXPECT_TRUE(AllClose(y[3], Floats({2}, {3, 10})));
  EXPECT_TRUE(AllClose(y[4], Floats({2}, {4, 0})));
  EXPECT_TRUE(AllClose(y[5], Floats({}, {0})));
}

TEST(FusedBatchNorm, TakesGivenMoments) {
  const Tensor x = Floats({1, 2, 1, 2}, {1, 5, 10, 20});
  const auto y = RunOp("FusedBatchNorm",
                       {x, Floats({2}, {6, 1}), Floats({2}, {0, 7}), Floats({2}, {1, 10}),
                        Floats({2}, {4, 20})},
                       AttrsWith("NCHW", false, 5));
  EXPECT_TRUE(AllClose(y[0], Floats({1, 2, 1, 2}, {0, 8, 7, 9}), 1e-6));
  EXPECT_TRUE(AllClose(y[1], Floats({2}, {1, 10})));
  EXPECT_TRUE(AllClose(y[2], Floats({2}, {4, 20})));
}

TEST(FusedBatchNorm, MovesRunningMoments) {
  Attrs attrs = AttrsWith("NHWC", true);
  attrs.Set("exponential_avg_factor", 0.25F);
  const auto y = RunOp("FusedBatchNormV2",
                       {Floats({2, 1, 1, 1}, {1, 5}), Floats({1}, {1}), Floats({1}, {0}),
                        Floats({1}, {7}), Floats({1}, {16})},
                       attrs);
  EXPECT_TRUE(AllClose(y[1], Floats({1}, {6})));   // 0.25 * 3 + 0.75 * 7
  EXPECT_TRUE(AllClose(y[2], Floats({1}, {14})));  // 0.25 * 8 + 0.75 * 16
  EXPECT_TRUE(AllClose(y[3], Floats({1}, {3})));
}

// ---- The formula ----------------------------------------------------------------------

// Calls visit(channel, place in memory) for each number of images [N,C,...] or [N,...,C].
template <typename Visit>
void ForEach(const Shape& shape, bool is_nchw, const Visit& visit) {
  const int64_t inner = shape.dim(2) * shape.dim(3);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    visit(is_nchw ? i / inner % shape.dim(1) : i % shape.dim(3), i);
  }
}

struct Expected {
  std::vector<double> mean, variance, y, dx, dscale, doffset;
};

Expected Formula(const Tensor& x_tensor, const Tensor& dy_tensor, bool is_nchw,
                 double scale, double offset, double epsilon) {
  const Shape& shape = x_tensor.shape();
  const int64_t channels = shape.dim(is_nchw ? 1 : 3);
  const auto n =
      static_cast<double>(shape.num_elements()) / static_cast<double>(channels);
  const auto x = AsDoubles(x_tensor), dy = AsDoubles(dy_tensor);
  const std::vector<double> zeros(channels);
  Expected e = {zeros, zeros, x, x, zeros, zeros};
  ForEach(shape, is_nchw, [&](int64_t c, int64_t i) { e.mean[c] += x[i] / n; });
  ForEach(shape, is_nchw, [&](int64_t c, int64_t i) {
    e.variance[c] += (x[i] - e.mean[c]) * (x[i] - e.mean[c]) / n;
  });
  const auto h = [&](int64_t c, int64_t i) {
    return (x[i] - e.mean[c]) / std::sqrt(e.variance[c] + epsilon);
  };
  ForEach(shape, is_nchw, [&](int64_t c, int64_t i) {
    e.y[i] = scale * h(c, i) + offset;
    e.dscale[c] += dy[i] * h(c, i);
    e.doffset[c] += dy[i];
  });
  ForEach(shape, is_nchw, [&](int64_t c, int64_t i) {
    e.dx[i] = scale / std::sqrt(e.variance[c] + epsilon) *
              (dy[i] - e.doffset[c] / n - h(c, i) * e.dscale[c] / n);
  });
  return e;
}

Tensor AllOf(int64_t count, float value) {
  return Floats({count}, std::vector<float>(count, value));
}

void ExpectClose(const Tensor& got, const std::vector<double>& expected, double tolerance,
                 const std::string& what) {
  EXPECT_TRUE(AllClose(got, Tensor::Of(got.shape(), expected), tolerance, what));
}

void CheckSizes(const Shape& shape, bool is_nchw, double tolerance = 1e-5) {
  const int64_t channels = shape.dim(is_nchw ? 1 : 3);
  const Tensor x = RandomFloats(shape, 1), dy = RandomFloats(shape, 2);
  const auto expected = Formula(x, dy, is_nchw, 3, 0.25, 0.5);
  const Attrs attrs = AttrsWith(is_nchw ? "NCHW" : "NHWC", true);
  const Tensor scale = AllOf(channels, 3);
  const auto y = RunOp("FusedBatchNormV3",
                       {x, scale, AllOf(channels, 0.25F), kNoVector, kNoVector}, attrs);
  const std::string of = StrCat(" of ", shape, is_nchw ? " NCHW" : "");
  ExpectClose(y[0], expected.y, tolerance, "y" + of);
  ExpectClose(y[3], expected.mean, tolerance, "mean" + of);
  ExpectClose(y[4], expected.variance, tolerance, "variance" + of);
  const auto d = RunOp("FusedBatchNormGradV3", {dy, x, scale, y[3], y[4], y[5]}, attrs);
  ExpectClose(d[0], expected.dx, tolerance, "dx" + of);
  ExpectClose(d[1], expected.dscale, tolerance, "dscale" + of);
  ExpectClose(d[2], expected.doffset, tolerance, "doffset" + of);
}

TEST(FusedBatchNorm, IsTheFormulaForSizesOfAllKinds) {
  for (const int64_t channels : {1, 2, 3, 5, 16, 31, 63, 64, 65, 67, 130}) {
    for (const int64_t size : {1, 2, 7, 23}) {
      CheckSizes({2, size, 3, channels}, false);
      CheckSizes({2, channels, size, 3}, true);
    }
  }
  CheckSizes({3, 5, 1, 1}, true);      // as one row of channels
  CheckSizes({2, 1, 1, 9000}, false);  // a row longer than a piece
  CheckSizes({9, 60, 61, 3}, false);   // several pieces, the last one short
  CheckSizes({2, 2, 95, 103}, true);
}

TEST(FusedBatchNorm, KeepsDigitsWhereTheMeanIsLarge) {
  // 20,000 numbers around 1,000,000 that differ by single ones: their squares are 10^12
  const Shape shape{20, 1000, 1, 1};
  Tensor x = RandomFloats(shape, 1);
  for (float& number : x.mutable_flat<float>()) number = 1e6F + 4 * number;
  const auto expected = Formula(x, x, false, 1, 0, 0);
  const auto y =
      RunOp("FusedBatchNormV3", {x, AllOf(1, 1), AllOf(1, 0), kNoVector, kNoVector},
            AttrsWith("NHWC", true, 0));
  ExpectClose(y[0], expected.y, 1e-5, "y");
  ExpectClose(y[4], expected.variance, 1e-6, "variance");
}

TEST(FusedBatchNorm, SumsMillionsOfNumbers) {
  const Tensor ones = AllOf(3'000'000, 0.1F).Reshaped({3'000'000, 1, 1, 1});
  const Tensor zeros(DType::kFloat32, ones.shape());
  const auto d =
      RunOp("FusedBatchNormGrad", {ones, ones, AllOf(1, 1), AllOf(1, 0), AllOf(1, 1)},
            AttrsWith("NHWC", false, 0));
  EXPECT_TRUE(AllClose(d[1], Floats({1}, {30'000}), 1e-5));
  EXPECT_TRUE(AllClose(d[2], Floats({1}, {300'000}), 1e-5));
}

TEST(FusedBatchNorm, AddsUpNumbersOf16BitsAsFloats) {
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    // 2,048 and more do not grow by 1 in float16, nor 256 in bfloat16
    const Tensor x = CastTo(dtype, Floats({2, 1, 1, 1}, {1, 3}));
    const Tensor many = RunOp("Tile", {x, testing::Ints({5000, 1, 1, 1})})[0];
    const auto y =
        RunOp("FusedBatchNormV3", {many, AllOf(1, 2), AllOf(1, 1), kNoVector, kNoVector},
              AttrsWith("NHWC", true, 0));
    EXPECT_EQ(y[0].dtype(), dtype);
    EXPECT_TRUE(AllClose(y[3], Floats({1}, {2})));
    EXPECT_TRUE(AllClose(y[4], Floats({1}, {1})));
    EXPECT_EQ(AsDoubles(CastTo(DType::kFloat64, y[0]))[1], 3);
    const auto d =
        RunOp("FusedBatchNormGradV3", {many, many, AllOf(1, 2), y[3], y[4], y[5]},
              AttrsWith("NHWC", true, 0));
    EXPECT_EQ(d[0].dtype(), dtype);
    EXPECT_TRUE(AllClose(d[1], Floats({1}, {10'000})));
    EXPECT_TRUE(AllClose(d[2], Floats({1}, {20'000})));
  }
}

// ---- Special inputs -------------------------------------------------------------------

TEST(FusedBatchNorm, OfNoElementsTheMomentsAreNaN) {
  for (const bool is_training : {true, false}) {
    const Tensor none(DType::kFloat32, Shape{0, 2, 3, 2});
    const Tensor two = AllOf(2, 1);
    const Attrs attrs = AttrsWith("NHWC", is_training);
    const auto y = RunOp("FusedBatchNormV3", {none, two, two, two, two}, attrs);
    EXPECT_EQ(y[0].shape(), none.shape());
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(AllClose(y[1], AllOf(2, nan)));
    EXPECT_TRUE(AllClose(y[4], AllOf(2, is_training ? nan : 1)));
    const auto d =
        RunOp("FusedBatchNormGradV3", {none, none, two, two, two, y[5]}, attrs);
    EXPECT_EQ(d[0].shape(), none.shape());
    EXPECT_TRUE(AllClose(d[1], AllOf(2, 0)));
    EXPECT_TRUE(AllClose(d[2], AllOf(2, 0)));
    EXPECT_EQ(d[3].shape(), Shape{0});
  }
}

TEST(FusedBatchNorm, AnInfinityStaysInItsChannel) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto y = RunOp("FusedBatchNormV3",
                       {Floats({2, 1, 1, 2}, {infinity, 1, 0, 5}), AllOf(2, 1),
                        AllOf(2, 0), kNoVector, kNoVector},
                       AttrsWith("NHWC", true));
  EXPECT_TRUE(AllClose(y[1], Floats({2}, {infinity, 3})));
  EXPECT_TRUE(std::isnan(AsDoubles(y[2])[0]));
}

TEST(FusedBatchNorm, ErrorsNameTheInput) {
  const Tensor x(DType::kFloat32, Shape{2, 3, 4, 5});
  const Tensor five = AllOf(5, 1), four = AllOf(4, 1);
  const auto of = [](const std::vector<Tensor>& inputs, bool is_training) {
    return ErrorOf("FusedBatchNormV3", inputs, AttrsWith("NHWC", is_training));
  };
  EXPECT_TRUE(Says(of({x.Reshaped({6, 20}), five, five, kNoVector, kNoVector}, true),
                   "x must be 4-dimensional: [6,20]"));
  EXPECT_TRUE(Says(of({x, four, five, kNoVector, kNoVector}, true),
                   "scale must have a number for each channel of x: [4] vs. [2,3,4,5]"));
  EXPECT_TRUE(Says(of({x, five, x, kNoVector, kNoVector}, true),
                   "offset must be 1-dimensional: [2,3,4,5]"));
  EXPECT_EQ(of({x, five, five, kNoVector, four}, true), "");  // not looked at
  EXPECT_TRUE(Says(of({x, five, five, kNoVector, five}, false),
                   "mean must have a number for each channel of x: [0] vs. [2,3,4,5]"));
  EXPECT_TRUE(Says(of({x, five, five, five, x}, true), "variance must be 1-dimensional"));
  EXPECT_TRUE(Says(
      ErrorOf("FusedBatchNormGradV2", {x.Reshaped({2, 3, 5, 4}), x, five, five, five}),
      "y_backprop must have the shape of x: [2,3,5,4] vs. [2,3,4,5]"));
  EXPECT_TRUE(Says(ErrorOf("FusedBatchNormGradV2", {x, x, five, five, four}),
                   "reserve_space_2 must have a number for each channel"));
}

}  // namespace
}  // namespace minitf
