// The tiers of Conv2D and of its gradients, against the formula in double, over random
// sizes; which tier is chosen; what is refused.

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/cpu/conv/conv2d.h"
#include "tests/kernels/conv/conv2d_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::CastTo;
using testing::Conv2d;
using testing::Conv2dCase;
using testing::ErrorOf;
using testing::FilterGradient;
using testing::InputGradient;
using testing::RandomTensor;

class Sizer {
 public:
  explicit Sizer(int seed) : generator_(seed) {}

  int64_t Draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(generator_);
  }

  // A convolution that `tier` computes.
  testing::ShapedCase Draw(const std::string& tier) {
    const int64_t side = tier.ends_with("5x5") ? 5 : 3;
    const bool is_winograd = tier.starts_with("winograd");
    const Shape w = is_winograd ? Shape{side, side, Draw(1, 24), Draw(1, 24)}
                                : Shape{Draw(1, 5), Draw(1, 5), Draw(1, 9), Draw(1, 9)};
    const Shape x = {Draw(1, 3), Draw(w.dim(0), 14), Draw(w.dim(1), 14), w.dim(2)};
    Conv2dCase conv;
    if (!is_winograd) {
      conv.strides = {Draw(1, 3), Draw(1, 3)};
      const bool fits = x.dim(1) > 2 * w.dim(0) && x.dim(2) > 2 * w.dim(1);
      if (fits) conv.dilations = {Draw(1, 2), Draw(1, 2)};
    }
    const int64_t padding = Draw(0, 2);
    if (padding == 1) conv.padding = "SAME";
    if (padding == 2) {
      conv.padding = "EXPLICIT";
      conv.pads = {Draw(0, 4), Draw(0, 4), Draw(0, 4), Draw(0, 4)};
    }
    return {x, w, conv};
  }

 private:
  std::mt19937 generator_;
};

// The largest difference, over the largest sum of products without their signs.
double RelativeError(const Tensor& got, const Tensor& expected, const Tensor& magnitude) {
  const Tensor wide = CastTo(DType::kFloat64, got);
  double error = 0;
  double largest = 1e-300;
  for (int64_t i = 0; i < expected.num_elements(); ++i) {
    const double difference = wide.flat<double>()[i] - expected.flat<double>()[i];
    error = std::max(error, std::isnan(difference) ? INFINITY : std::abs(difference));
    largest = std::max(largest, magnitude.flat<double>()[i]);
  }
  return error / largest;
}

Tensor WithoutSigns(const Tensor& tensor) {
  Tensor result = testing::Zeros(tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    result.mutable_flat<double>()[i] = std::abs(tensor.flat<double>()[i]);
  }
  return result;
}

struct Bounds {
  DType dtype;
  double error;  // over the largest sum of |x w|
};

// Whether it computes 3x3 filters alone, or 5x5, and no gradient of them.
bool IsWinograd(const std::string& tier) { return tier.starts_with("winograd"); }

// What the heads of the tiers state, for F(4x4). The others add up in another order, and
// one that is tried out may be F(4x4).
std::vector<Bounds> BoundsOf(const std::string& tier) {
  if (tier == "winograd5x5") return {{DType::kFloat64, 4e-15}, {DType::kFloat32, 2e-6}};
  const bool is_winograd = tier == "winograd" || tier == "autotune";
  return {{DType::kFloat64, is_winograd ? 1e-14 : 1e-15},
          {DType::kFloat32, is_winograd ? 1e-5 : 1e-6}};
}

void CheckForward(const testing::ShapedCase& sizes, const std::string& tier, int seed) {
  const Tensor x = RandomTensor(sizes.x, seed);
  const Tensor w = RandomTensor(sizes.w, seed + 1);
  const Tensor expected = testing::ExpectedConv2d(x, w, sizes.conv);
  const Tensor magnitude =
      testing::ExpectedConv2d(WithoutSigns(x), WithoutSigns(w), sizes.conv);
  for (const auto& [dtype, bound] : BoundsOf(tier)) {
    const Tensor y = Conv2d(CastTo(dtype, x), CastTo(dtype, w), sizes.conv, tier);
    EXPECT_LT(RelativeError(y, expected, magnitude), bound)
        << tier << " of " << sizes.x << " and " << sizes.w << ", " << sizes.conv.padding
        << (dtype == DType::kFloat32 ? ", float" : ", double");
  }
}

void CheckGradients(const testing::ShapedCase& sizes, const std::string& tier, int seed) {
  const auto& [x_shape, w_shape, conv] = sizes;
  const Tensor x = RandomTensor(x_shape, seed);
  const Tensor w = RandomTensor(w_shape, seed + 1);
  const Tensor dy = RandomTensor(testing::OutputShape(x_shape, w_shape, conv), seed + 2);
  const Tensor dx = testing::ExpectedInputGradient(x_shape, w, dy, conv);
  const Tensor dx_magnitude =
      testing::ExpectedInputGradient(x_shape, WithoutSigns(w), WithoutSigns(dy), conv);
  const Tensor dw = testing::ExpectedFilterGradient(x, w_shape, dy, conv);
  const Tensor dw_magnitude =
      testing::ExpectedFilterGradient(WithoutSigns(x), w_shape, WithoutSigns(dy), conv);
  for (const auto& [dtype, bound] : BoundsOf(tier)) {
    const Tensor dy_here = CastTo(dtype, dy);
    if (tier != "direct" || conv.strides == testing::Sizes{1, 1}) {
      const Tensor got = InputGradient(x_shape, CastTo(dtype, w), dy_here, conv, tier);
      EXPECT_LT(RelativeError(got, dx, dx_magnitude), bound)
          << tier << ", gradient of x " << x_shape << ", w " << w_shape;
    }
    if (IsWinograd(tier)) continue;
    EXPECT_LT(
        RelativeError(FilterGradient(CastTo(dtype, x), w_shape, dy_here, conv, tier), dw,
                      dw_magnitude),
        bound)
        << tier << ", gradient of w " << w_shape << ", x " << x_shape;
  }
}

class Conv2dTiers : public ::testing::TestWithParam<std::string> {};

TEST_P(Conv2dTiers, AgreeWithTheFormulaOverRandomSizes) {
  Sizer sizer(7);
  for (int run = 0; run < 100; ++run) {
    CheckForward(sizer.Draw(GetParam()), GetParam(), run);
  }
}

TEST_P(Conv2dTiers, LargeOnesAreCutIntoBlocksAndSharedOut) {
  const int64_t side = GetParam().ends_with("5x5") ? 5 : 3;
  CheckForward({{4, 40, 41, 5}, {side, side, 5, 6}, {.padding = "SAME"}}, GetParam(), 1);
  CheckForward({{2, 9, 10, 130}, {side, side, 130, 40}, {}}, GetParam(), 2);
}

TEST_P(Conv2dTiers, GiveTheSameBitsAtEachRun) {
  const Tensor x = CastTo(DType::kFloat32, RandomTensor({2, 30, 31, 32}, 1));
  const int64_t side = GetParam().ends_with("5x5") ? 5 : 3;
  const Tensor w = CastTo(DType::kFloat32, RandomTensor({side, side, 32, 40}, 2));
  const Tensor first = Conv2d(x, w, {}, GetParam());
  for (int run = 0; run < 5; ++run) {
    const Tensor again = Conv2d(x, w, {}, GetParam());
    for (int64_t i = 0; i < first.num_elements(); ++i) {
      ASSERT_EQ(first.flat<float>()[i], again.flat<float>()[i]);
    }
  }
}

TEST_P(Conv2dTiers, DoWithoutImagesChannelsAndFilters) {
  const int64_t side = GetParam().ends_with("5x5") ? 5 : 3;
  const int64_t n = side + 2;
  for (const auto& [x, w] :
       std::vector<std::pair<Shape, Shape>>{{{0, n, n, 2}, {side, side, 2, 3}},
                                            {{2, n, n, 0}, {side, side, 0, 3}},
                                            {{2, n, n, 2}, {side, side, 2, 0}}}) {
    const Tensor y = Conv2d(testing::Zeros(x), testing::Zeros(w), {}, GetParam());
    EXPECT_EQ(y.shape(), (Shape{x.dim(0), 3, 3, w.dim(3)}));
    for (int64_t i = 0; i < y.num_elements(); ++i) EXPECT_EQ(y.flat<double>()[i], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Conv2dTiers,
                         ::testing::Values("naive", "eigen", "im2col", "implicit",
                                           "direct", "winograd", "winograd2x2",
                                           "winograd5x5", "autotune"));

// More channels than the micro-kernel has rows come in blocks, of several images.
TEST(Conv2dGradientTiers, DirectAgreesWithTheFormulaForManyChannels) {
  Sizer sizer(9);
  for (int run = 0; run < 40; ++run) {
    testing::ShapedCase sizes = sizer.Draw("direct");
    const int64_t c = sizer.Draw(10, 70);
    sizes.x = {sizes.x.dim(0) + 3, sizes.x.dim(1), sizes.x.dim(2), c};
    sizes.w = {sizes.w.dim(0), sizes.w.dim(1), c, sizer.Draw(1, 70)};
    CheckGradients(sizes, "direct", run);
  }
}

// Places of three images of 29 x 29 are no multiple of those that come at a time.
TEST(Conv2dGradientTiers, DirectCutsLargeImagesAndSharesThemOut) {
  CheckGradients({{3, 29, 29, 20}, {3, 5, 20, 40}, {.padding = "SAME"}}, "direct", 1);
  CheckGradients({{1, 2, 900, 3}, {1, 4, 3, 5}, {.strides = {1, 2}}}, "direct", 2);
  CheckGradients({{30, 6, 5, 17}, {2, 3, 17, 9}, {.padding = "SAME"}}, "direct", 3);
}

// Dilated filters that reach far beyond the image leave out what sees zeros.
TEST(Conv2dTiers, DirectLeavesOutZerosOfDilatedFilters) {
  for (const int64_t dilation : {2, 3, 4, 7, 12, 15}) {
    const Conv2dCase conv{.padding = "SAME", .dilations = {dilation, dilation}};
    const testing::ShapedCase sizes = {{2, 13, 14, 37}, {3, 3, 37, 35}, conv};
    CheckForward(sizes, "direct", 3);
    CheckGradients(sizes, "direct", 4);
  }
}

TEST(Conv2dGradientTiers, AgreeWithTheFormulaOverRandomSizes) {
  for (const std::string tier : {"", "naive", "im2col", "direct", "winograd",
                                 "winograd2x2", "winograd5x5", "autotune"}) {
    Sizer sizer(8);
    for (int run = 0; run < 50; ++run) {
      CheckGradients(sizer.Draw(tier), tier, run);
    }
  }
}

Conv2dGeometry GeometryOf(const Shape& x, const Shape& w, const Conv2dCase& c = {}) {
  return Conv2dGeometry::Of(x, w, Conv2dAttrs::Of(c.attrs()));
}

TEST(ChooseConv2d, TakesWinogradForManyChannelsOf3x3) {
  const auto tier = [](const Shape& w, const Conv2dCase& c = {}) {
    const Shape x = {2, 20, 20, w.dim(2)};
    return NameOf(ChooseConv2d("", Conv2dPart::kForward, GeometryOf(x, w, c)));
  };
  EXPECT_EQ(tier({3, 3, 64, 64}), "winograd");
  EXPECT_EQ(tier({3, 3, 3, 64}), "direct");
  EXPECT_EQ(tier({3, 3, 64, 3}), "direct");
  EXPECT_EQ(tier({3, 3, 64, 64}, {.strides = {1, 2}}), "direct");
  EXPECT_EQ(tier({3, 3, 64, 64}, {.dilations = {2, 1}}), "direct");
  EXPECT_EQ(tier({5, 5, 64, 64}), "winograd5x5");
  EXPECT_EQ(tier({5, 5, 64, 31}), "direct");
  EXPECT_EQ(tier({5, 5, 64, 64}, {.dilations = {1, 2}}), "direct");
  EXPECT_EQ(tier({5, 3, 64, 64}), "direct");
}

TEST(ChooseConv2d, TapsFarBeyondTheImageAreNotCopied) {
  const Tensor x = RandomTensor({1, 8, 8, 2}, 1);
  const Tensor w = RandomTensor({3, 3, 2, 3}, 2);
  const Conv2dCase far{.padding = "SAME", .dilations = {20'000, 1'000'000'000}};
  const Tensor dy = RandomTensor({1, 8, 8, 3}, 3);
  // Only the tap in the middle meets the image.
  Tensor middle = testing::Zeros({1, 1, 2, 3});
  for (int64_t i = 0; i < 6; ++i) {
    middle.mutable_flat<double>()[i] = w.flat<double>()[4 * 6 + i];
  }
  EXPECT_TRUE(testing::AllClose(Conv2d(x, w, far), Conv2d(x, middle)));
  EXPECT_TRUE(testing::AllClose(InputGradient({1, 8, 8, 2}, w, dy, far),
                                InputGradient({1, 8, 8, 2}, middle, dy)));
  const Tensor dw = FilterGradient(x, {3, 3, 2, 3}, dy, far);
  const Tensor dw_middle = FilterGradient(x, {1, 1, 2, 3}, dy);
  for (int64_t i = 0; i < 54; ++i) {
    const bool is_middle = i / 6 == 4;
    EXPECT_NEAR(dw.flat<double>()[i], is_middle ? dw_middle.flat<double>()[i % 6] : 0,
                1e-9);
  }
}

TEST(ChooseConv2d, GroupsHaveTheFormulaAlone) {
  const Conv2dGeometry g = GeometryOf({1, 9, 9, 64}, {3, 3, 32, 64});
  for (const Conv2dPart part :
       {Conv2dPart::kForward, Conv2dPart::kInputGradient, Conv2dPart::kFilterGradient}) {
    EXPECT_EQ(ChooseConv2d("", part, g), Conv2dTier::kNaive);
  }
}

// Away from the cancellation of F(4x4), the smaller tiles round less.
TEST(Conv2dTiers, SmallTilesOfWinogradRoundLess) {
  const Tensor x = RandomTensor({4, 16, 16, 64}, 1);
  const Tensor w = RandomTensor({3, 3, 64, 32}, 2);
  const Tensor expected = testing::ExpectedConv2d(x, w, {});
  const Tensor magnitude = testing::ExpectedConv2d(WithoutSigns(x), WithoutSigns(w), {});
  const auto error = [&](const std::string& tier) {
    const Tensor y =
        Conv2d(CastTo(DType::kFloat32, x), CastTo(DType::kFloat32, w), {}, tier);
    return RelativeError(y, expected, magnitude);
  };
  EXPECT_LT(2 * error("winograd2x2"), error("winograd"));
}

// All filters of [3,3,260,245] are too large to be transformed at once, half of them are
// not, at least for tiles of 2x2. Neither number of channels fills the parts.
TEST(Conv2dTiers, WinogradTransformsManyFiltersPartByPart) {
  const Tensor x = RandomTensor({3, 24, 22, 260}, 1);
  const Tensor w = RandomTensor({3, 3, 260, 245}, 2);
  const Tensor expected = Conv2d(x, w, {}, "direct");
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const std::string tier : {"winograd", "winograd2x2"}) {
      const Tensor y = Conv2d(CastTo(dtype, x), CastTo(dtype, w), {}, tier);
      const double bound = dtype == DType::kFloat32 ? 1e-4 : 1e-13;
      EXPECT_LT(RelativeError(y, expected, WithoutSigns(expected)), bound) << tier;
    }
  }
  Tensor half(DType::kFloat32, {3, 3, 260, 120});
  for (int64_t i = 0; i < half.num_elements(); ++i) {
    half.mutable_flat<float>()[i] =
        static_cast<float>(w.flat<double>()[i / 120 * 245 + i % 120]);
  }
  const Tensor narrow = CastTo(DType::kFloat32, x);
  const Tensor y = Conv2d(narrow, CastTo(DType::kFloat32, w), {}, "winograd2x2");
  const Tensor y_half = Conv2d(narrow, half, {}, "winograd2x2");
  for (int64_t i = 0; i < y_half.num_elements(); ++i) {
    ASSERT_EQ(y_half.flat<float>()[i], y.flat<float>()[i / 120 * 245 + i % 120]);
  }
}

TEST(ChooseConv2d, ATierThatCannotBeTakenIsAnError) {
  const Tensor x = RandomTensor({1, 9, 9, 4}, 1);
  const auto error = [&](const Shape& w, const std::string& tier, int64_t stride) {
    const Conv2dCase c{.strides = {stride, stride}};
    return ErrorOf("Conv2D", {x, RandomTensor(w, 2)}, c.attrs(tier));
  };
  EXPECT_NE(error({3, 3, 4, 4}, "winograd", 2)
                .find("\"winograd\" computes 3x3 filters, with stride and dilation 1"),
            std::string::npos);
  EXPECT_NE(error({3, 3, 4, 4}, "winograd5x5", 1).find("computes 5x5 filters"),
            std::string::npos);
  EXPECT_NE(
      error({2, 2, 2, 4}, "im2col", 1).find("\"im2col\" computes one group of channels"),
      std::string::npos);
  EXPECT_NE(error({3, 3, 4, 4}, "fastest", 1).find("fastest"), std::string::npos);
}

}  // namespace
}  // namespace minitf
