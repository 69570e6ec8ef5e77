// Conv2D: golden values, the formula, layouts, element types, and inputs that make no
// sense.

#include <array>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

#include "gtest/gtest.h"
#include "tests/kernels/conv/conv2d_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AllClose;
using testing::Conv2d;
using testing::Conv2dCase;
using testing::ConvolutionTable;
using testing::CountingFrom1;
using testing::ErrorOf;
using testing::ExpectedConv2d;
using testing::Numbers;
using testing::RandomTensor;
using testing::Sizes;

Tensor ConvOfCounting(const Shape& x, const Shape& w, const Conv2dCase& c = {}) {
  return Conv2d(CountingFrom1(x), CountingFrom1(w), c);
}

TEST(Conv2d, GoldenValuesOfValidPadding) {
  EXPECT_TRUE(AllClose(ConvOfCounting({1, 2, 3, 3}, {1, 1, 3, 3}),
                       Numbers({1, 2, 3, 3}, {30, 36, 42, 66, 81, 96, 102, 126, 150, 138,
                                              171, 204, 174, 216, 258, 210, 261, 312})));
  EXPECT_TRUE(AllClose(ConvOfCounting({1, 2, 3, 3}, {1, 2, 3, 3}),
                       Numbers({1, 2, 2, 3}, {231, 252, 273, 384, 423, 462, 690, 765, 840,
                                              843, 936, 1029})));
  EXPECT_TRUE(AllClose(ConvOfCounting({1, 2, 2, 1}, {2, 2, 1, 2}),
                       Numbers({1, 1, 1, 2}, {50, 60})));
  EXPECT_TRUE(AllClose(ConvOfCounting({1, 2, 3, 3}, {2, 2, 3, 3}),
                       Numbers({1, 1, 2, 3}, {2271, 2367, 2463, 2901, 3033, 3165})));
}

TEST(Conv2d, GoldenValuesOfStrides) {
  EXPECT_TRUE(AllClose(ConvOfCounting({1, 2, 3, 3}, {2, 2, 3, 3}, {.strides = {2, 2}}),
                       Numbers({1, 1, 1, 3}, {2271, 2367, 2463})));
  EXPECT_TRUE(AllClose(
      ConvOfCounting({1, 2, 3, 3}, {2, 2, 3, 3}, {.strides = {2, 2}, .padding = "SAME"}),
      Numbers({1, 1, 2, 3}, {2271, 2367, 2463, 1230, 1305, 1380})));
  EXPECT_TRUE(AllClose(ConvOfCounting({1, 3, 6, 1}, {2, 2, 1, 1}, {.strides = {1, 2}}),
                       Numbers({1, 2, 3, 1}, {58, 78, 98, 118, 138, 158})));
  EXPECT_TRUE(AllClose(ConvOfCounting({1, 7, 7, 1}, {2, 2, 1, 1}, {.strides = {3, 3}}),
                       Numbers({1, 2, 2, 1}, {65, 95, 275, 305})));
}

TEST(Conv2d, GoldenValuesOfAStrideLargerThanTheFilter) {
  EXPECT_TRUE(AllClose(
      ConvOfCounting({1, 3, 3, 1}, {1, 1, 1, 1}, {.strides = {2, 2}, .padding = "SAME"}),
      Numbers({1, 2, 2, 1}, {1, 3, 7, 9})));
  EXPECT_TRUE(AllClose(
      ConvOfCounting({1, 4, 4, 1}, {2, 2, 1, 1}, {.strides = {3, 3}, .padding = "SAME"}),
      Numbers({1, 2, 2, 1}, {44, 28, 41, 16})));
  EXPECT_TRUE(AllClose(
      ConvOfCounting({1, 8, 8, 1}, {2, 2, 1, 1}, {.strides = {4, 4}, .padding = "SAME"}),
      Numbers({1, 2, 2, 1}, {72, 112, 392, 432})));
}

TEST(Conv2d, SamePaddingPutsTheOddZeroLast) {
  const Tensor x = Numbers({1, 1, 2, 1}, {1, 2});
  const Tensor w = Numbers({1, 2, 1, 1}, {1, 100});
  // (1,2) gives 201; (2, a zero) gives 2
  EXPECT_TRUE(
      AllClose(Conv2d(x, w, {.padding = "SAME"}), Numbers({1, 1, 2, 1}, {201, 2})));
}

TEST(Conv2d, EveryTierAgreesWithTheFormula) {
  for (const auto& [x_shape, w_shape, c] : ConvolutionTable()) {
    if (c.padding == "VALID" && w_shape.dim(0) > x_shape.dim(1)) continue;
    const Tensor x = RandomTensor(x_shape, 1);
    const Tensor w = RandomTensor(w_shape, 2);
    if (ErrorOf("Conv2D", {x, w}, c.attrs()).find("Negative dimension") !=
        std::string::npos) {
      continue;  // the filter does not fit
    }
    const Tensor expected = ExpectedConv2d(x, w, c);
    for (const std::string tier :
         {"", "naive", "eigen", "im2col", "implicit", "direct"}) {
      ASSERT_TRUE(AllClose(Conv2d(x, w, c, tier), expected)) << tier << ", w " << w_shape;
    }
  }
}

TEST(Conv2d, ManyPatchesAreMultipliedInBlocks) {
  const Tensor x = RandomTensor({3, 40, 50, 2}, 1);
  const Tensor w = RandomTensor({3, 3, 2, 4}, 2);
  const Conv2dCase same{.padding = "SAME"};
  EXPECT_TRUE(AllClose(Conv2d(x, w, same), ExpectedConv2d(x, w, same)));
}

TEST(Conv2d, DilationIsAFilterWithZerosBetween) {
  const Tensor x = RandomTensor({1, 7, 7, 1}, 1);
  const Tensor w = RandomTensor({3, 3, 1, 1}, 2);
  Tensor stuffed = testing::Zeros({5, 5, 1, 1});
  for (int64_t i = 0; i < 9; ++i) {
    stuffed.mutable_flat<double>()[i / 3 * 10 + i % 3 * 2] = w.flat<double>()[i];
  }
  EXPECT_TRUE(AllClose(Conv2d(x, w, {.dilations = {2, 2}}), Conv2d(x, stuffed)));
}

TEST(Conv2d, ExplicitPaddingEqualsZerosAroundTheImage) {
  const Tensor x = CountingFrom1({1, 2, 3, 2});
  const Tensor w = CountingFrom1({2, 2, 2, 2});
  Tensor padded = testing::Zeros({1, 4, 5, 2});
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t pixel = (i / 6 + 1) * 5 + i / 2 % 3 + 1;
    padded.mutable_flat<double>()[pixel * 2 + i % 2] = x.flat<double>()[i];
  }
  EXPECT_TRUE(AllClose(Conv2d(x, w, {.padding = "EXPLICIT", .pads = {1, 1, 1, 1}}),
                       Conv2d(padded, w)));
}

// x [N,H,W,C] as [N,C,H,W].
Tensor ToNchw(const Tensor& x) {
  Tensor result(DType::kFloat64, {x.dim(0), x.dim(3), x.dim(1), x.dim(2)});
  const int64_t channels = x.dim(3);
  const int64_t pixels = x.dim(1) * x.dim(2);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const int64_t image = i / (channels * pixels);
    const int64_t to = (image * channels + i % channels) * pixels + i / channels % pixels;
    result.mutable_flat<double>()[to] = x.flat<double>()[i];
  }
  return result;
}

TEST(Conv2d, NchwIsTheSameConvolution) {
  const Tensor x = RandomTensor({2, 5, 7, 3}, 1);
  const Tensor w = RandomTensor({2, 3, 3, 4}, 2);
  const Attrs attrs = {{"strides", Sizes{1, 1, 2, 1}},
                       {"padding", std::string("SAME")},
                       {"data_format", std::string("NCHW")}};
  const Tensor y = RunOp("Conv2D", {ToNchw(x), w}, attrs)[0];
  EXPECT_TRUE(AllClose(y, ToNchw(Conv2d(x, w, {.strides = {2, 1}, .padding = "SAME"}))));
}

TEST(Conv2d, GroupsOfChannelsHaveFiltersOfTheirOwn) {
  const Tensor x = Numbers({1, 1, 1, 4}, {1, 10, 100, 1000});
  const Tensor w = Numbers({1, 1, 2, 2}, {1, 2, 3, 4});
  // filter 0 is (1,3) over channels 0 and 1; filter 1 is (2,4) over channels 2 and 3
  EXPECT_TRUE(AllClose(Conv2d(x, w), Numbers({1, 1, 1, 2}, {31, 4200})));
}

TEST(Conv2d, HasKernelsForAllFloatingTypes) {
  const Tensor x = RandomTensor({1, 5, 6, 3}, 1);
  const Tensor w = RandomTensor({3, 3, 3, 4}, 2);
  const Tensor expected = Conv2d(x, w);
  const std::vector<std::pair<DType, double>> tolerances = {
      {DType::kFloat32, 1e-5}, {DType::kFloat16, 5e-3}, {DType::kBfloat16, 5e-2}};
  for (const auto& [dtype, tolerance] : tolerances) {
    const Tensor y = Conv2d(testing::CastTo(dtype, x), testing::CastTo(dtype, w));
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(AllClose(testing::CastTo(DType::kFloat64, y), expected, tolerance));
  }
}

TEST(Conv2d, EmptyImagesGiveAnEmptyResult) {
  EXPECT_EQ(ConvOfCounting({0, 2, 3, 3}, {1, 1, 3, 3}).shape(), (Shape{0, 2, 3, 3}));
  EXPECT_EQ(ConvOfCounting({2, 4, 4, 3}, {1, 1, 3, 0}).shape(), (Shape{2, 4, 4, 0}));
  EXPECT_EQ(ConvOfCounting({1, 0, 5, 3}, {2, 2, 3, 4}, {.padding = "SAME"}).shape(),
            (Shape{1, 0, 5, 4}));
}

TEST(Conv2d, NoChannelsGiveZeros) {
  EXPECT_TRUE(
      AllClose(ConvOfCounting({1, 2, 2, 0}, {1, 1, 0, 3}), testing::Zeros({1, 2, 2, 3})));
}

TEST(Conv2d, NanAndInfinityGoThrough) {
  const Tensor x = Numbers({1, 1, 3, 1}, {1, NAN, INFINITY});
  const Tensor w = Numbers({1, 1, 1, 1}, {2});
  EXPECT_TRUE(AllClose(Conv2d(x, w), Numbers({1, 1, 3, 1}, {2, NAN, INFINITY})));
}

TEST(Conv2d, ErrorsNameWhatDoesNotFit) {
  const Tensor x = CountingFrom1({1, 5, 5, 3});
  const auto expect = [](const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  const Attrs attrs = Conv2dCase{}.attrs();
  expect(ErrorOf("Conv2D", {x, CountingFrom1({2, 2, 2, 4})}, attrs),
         "input depth must be evenly divisible by filter depth: 3 vs 2");
  expect(ErrorOf("Conv2D", {x, CountingFrom1({6, 2, 3, 4})}, attrs),
         "Negative dimension size caused by subtracting 6 from 5");
  expect(ErrorOf("Conv2D", {x, CountingFrom1({2, 3, 4})}, attrs),
         "filter must be 4-dimensional: [2,3,4]");
  expect(ErrorOf("Conv2D", {CountingFrom1({5}), CountingFrom1({2, 2, 3, 4})}, attrs),
         "input must be 4-dimensional: [5]");
  expect(ErrorOf("Conv2D", {x, CountingFrom1({0, 2, 3, 4})}, attrs),
         "filter must have rows and columns: [0,2,3,4]");
  expect(ErrorOf("Conv2D", {x, CountingFrom1({1, 1, 3, 4})},
                 {{"strides", Sizes{1, 1, 1, 2}}, {"padding", std::string("SAME")}}),
         "Current implementation does not yet support strides in the batch and depth "
         "dimensions.");
}

// Runs the test `name` of this program with the log level 2, and returns what it prints.
std::string OutputAtLogLevel2(const std::string& name) {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return "";
  const std::string command =
      "MINITF_VLOG=2 '" + std::string(path.data()) + "' --gtest_filter=" + name + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string output;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) output += static_cast<char>(c);
  pclose(pipe);
  return output;
}

TEST(Conv2d, RunsOnceForTheLog) { ConvOfCounting({1, 2, 3, 3}, {2, 2, 3, 3}); }

TEST(Conv2d, LogsItsSizesAtLevel2) {
  EXPECT_NE(OutputAtLogLevel2("Conv2d.RunsOnceForTheLog")
                .find("Conv2D: in_depth = 3, patch_depth = 3, input_cols = 3, "
                      "filter_cols = 2, input_rows = 2, filter_rows = 2, stride_rows = "
                      "1, stride_cols = 1, dilation_rows = 1, dilation_cols = 1, "
                      "out_depth = 3"),
            std::string::npos);
}

}  // namespace
}  // namespace minitf
