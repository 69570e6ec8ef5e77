// The gradients of Conv2D: golden values, the formula, the adjoint identity, the worked
// example, and inputs that make no sense.

#include <string>
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
using testing::FilterGradient;
using testing::InputGradient;
using testing::Numbers;
using testing::RandomTensor;
using testing::Sizes;
using testing::SizesTensor;

struct Golden {
  Shape x, w, dy;
  Conv2dCase conv;
  std::vector<double> input_gradient, filter_gradient;
};

const Golden kGoldens[] = {
    {{1, 2, 3, 1}, {2, 2, 1, 1}, {1, 1, 2, 1}, {}, {1, 4, 4, 3, 10, 8}, {5, 8, 14, 17}},
    {{1, 2, 3, 3},
     {2, 2, 3, 3},
     {1, 1, 2, 3},
     {},
     {14, 32, 50, 100, 163, 226, 167, 212, 257, 122, 140, 158, 478, 541, 604, 437, 482,
      527},
     {17, 22, 27,  22, 29, 36,  27, 36, 45,  32, 43,  54,  37, 50,  63,  42, 57,  72,
      62, 85, 108, 67, 92, 117, 72, 99, 126, 77, 106, 135, 82, 113, 144, 87, 120, 153}},
    {{1, 3, 6, 1},
     {2, 2, 1, 1},
     {1, 2, 3, 1},
     {.strides = {1, 2}},
     {1, 2, 2, 4, 3, 6, 7, 12, 11, 18, 15, 24, 12, 16, 15, 20, 18, 24},
     {161, 182, 287, 308}},
    {{1, 2, 2, 1},
     {2, 2, 1, 2},
     {1, 1, 1, 2},
     {},
     {5, 11, 17, 23},
     {1, 2, 2, 4, 3, 6, 4, 8}},
    {{1, 4, 4, 1},
     {1, 1, 1, 1},
     {1, 2, 2, 1},
     {.strides = {2, 2}, .padding = "SAME"},
     {1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0},
     {78}},
};

TEST(Conv2dBackprop, GoldenValues) {
  for (const Golden& golden : kGoldens) {
    const Tensor dy = CountingFrom1(golden.dy);
    for (const std::string label : {"", "naive", "im2col"}) {
      EXPECT_TRUE(AllClose(
          InputGradient(golden.x, CountingFrom1(golden.w), dy, golden.conv, label),
          Numbers(golden.x, golden.input_gradient)));
      EXPECT_TRUE(AllClose(
          FilterGradient(CountingFrom1(golden.x), golden.w, dy, golden.conv, label),
          Numbers(golden.w, golden.filter_gradient)));
    }
  }
}

TEST(Conv2dBackprop, WorkedExampleOfOneRowOfTheFilter) {
  // A row of x is A B C, w is X Y, and a row of dy is a b, as in conv2d_backprop.cc
  const Tensor x = CountingFrom1({1, 3, 3, 1});
  const Tensor w = Numbers({1, 2, 1, 1}, {10, 100});
  const Tensor dy = Numbers({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6});
  // dL/dA = a X, dL/dB = a Y + b X, dL/dC = b Y
  EXPECT_TRUE(
      AllClose(InputGradient(x.shape(), w, dy),
               Numbers({1, 3, 3, 1}, {10, 120, 200, 30, 340, 400, 50, 560, 600})));
  // dL/dX = A a + B b of all rows, dL/dY = B a + C b
  EXPECT_TRUE(
      AllClose(FilterGradient(x, w.shape(), dy),
               Numbers(w.shape(), {1. * 1 + 2 * 2 + 4 * 3 + 5 * 4 + 7 * 5 + 8 * 6,
                                   2. * 1 + 3 * 2 + 5 * 3 + 6 * 4 + 8 * 5 + 9 * 6})));
}

// Whether the filter of a case fits into its image.
bool Fits(const testing::ShapedCase& c) {
  return ErrorOf("Conv2D", {testing::Zeros(c.x), testing::Zeros(c.w)}, c.conv.attrs()) ==
         "";
}

TEST(Conv2dBackprop, AgreesWithTheFormulaByPatchesAndDirectly) {
  for (const auto& c : ConvolutionTable()) {
    if (!Fits(c)) continue;
    const Tensor x = RandomTensor(c.x, 1);
    const Tensor w = RandomTensor(c.w, 2);
    const Tensor dy = RandomTensor(testing::OutputShape(c.x, c.w, c.conv), 3);
    const Tensor dx = testing::ExpectedInputGradient(c.x, w, dy, c.conv);
    const Tensor dw = testing::ExpectedFilterGradient(x, c.w, dy, c.conv);
    for (const std::string label : {"", "naive", "im2col"}) {
      ASSERT_TRUE(AllClose(InputGradient(c.x, w, dy, c.conv, label), dx)) << label;
      ASSERT_TRUE(AllClose(FilterGradient(x, c.w, dy, c.conv, label), dw)) << label;
    }
  }
}

double Dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    sum += a.flat<double>()[i] * b.flat<double>()[i];
  }
  return sum;
}

TEST(Conv2dBackprop, IsTheAdjointOfConv2d) {
  // <conv(x, w), dy> = <x, dx> = <w, dw>
  for (const auto& c : ConvolutionTable()) {
    if (!Fits(c)) continue;
    const Tensor x = RandomTensor(c.x, 4);
    const Tensor w = RandomTensor(c.w, 5);
    const Tensor y = Conv2d(x, w, c.conv);
    const Tensor dy = RandomTensor(y.shape(), 6);
    const double expected = Dot(y, dy);
    ASSERT_NEAR(Dot(x, InputGradient(c.x, w, dy, c.conv)), expected, 1e-9);
    ASSERT_NEAR(Dot(w, FilterGradient(x, c.w, dy, c.conv)), expected, 1e-9);
  }
}

TEST(Conv2dBackprop, ManyPatchesAreSummedInBlocks) {
  const Tensor x = RandomTensor({5, 40, 50, 2}, 1);
  const Tensor w = RandomTensor({3, 3, 2, 4}, 2);
  const Conv2dCase same{.padding = "SAME"};
  const Tensor dy = RandomTensor({5, 40, 50, 4}, 3);
  EXPECT_TRUE(AllClose(InputGradient(x.shape(), w, dy, same),
                       testing::ExpectedInputGradient(x.shape(), w, dy, same)));
  EXPECT_TRUE(AllClose(FilterGradient(x, w.shape(), dy, same),
                       testing::ExpectedFilterGradient(x, w.shape(), dy, same)));
}

TEST(Conv2dBackprop, TwoRunsGiveTheSameBits) {
  const Tensor x = testing::CastTo(DType::kFloat32, RandomTensor({8, 20, 20, 3}, 1));
  const Tensor dy = testing::CastTo(DType::kFloat32, RandomTensor({8, 20, 20, 4}, 2));
  const Conv2dCase same{.padding = "SAME"};
  const Tensor first = FilterGradient(x, {3, 3, 3, 4}, dy, same);
  for (int run = 0; run < 5; ++run) {
    EXPECT_TRUE(AllClose(FilterGradient(x, {3, 3, 3, 4}, dy, same), first, 0));
  }
}

TEST(Conv2dBackprop, GroupsOfChannelsHaveGradientsOfTheirOwn) {
  const Tensor x = Numbers({1, 1, 1, 4}, {1, 10, 100, 1000});
  const Tensor w = Numbers({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor dy = Numbers({1, 1, 1, 2}, {5, 7});
  EXPECT_TRUE(
      AllClose(InputGradient(x.shape(), w, dy), Numbers(x.shape(), {5, 15, 14, 28})));
  EXPECT_TRUE(
      AllClose(FilterGradient(x, w.shape(), dy), Numbers(w.shape(), {5, 700, 50, 7000})));
}

TEST(Conv2dBackprop, NchwIsTheSameGradient) {
  // With one channel in and out the two layouts are the same bytes.
  const Tensor w = CountingFrom1({2, 2, 1, 1});
  const Tensor dy = CountingFrom1({1, 2, 3, 1});
  const Conv2dCase c{.strides = {1, 2}};
  const Tensor expected = InputGradient({1, 3, 6, 1}, w, dy, c);
  const Attrs attrs = {{"strides", Sizes{1, 1, 1, 2}},
                       {"padding", std::string("VALID")},
                       {"data_format", std::string("NCHW")}};
  const Tensor dx =
      RunOp("Conv2DBackpropInput",
            {SizesTensor({1, 1, 3, 6}), w, dy.Reshaped({1, 1, 2, 3})}, attrs)[0];
  EXPECT_TRUE(AllClose(dx, expected.Reshaped({1, 1, 3, 6})));
  const Tensor dw = RunOp(
      "Conv2DBackpropFilter",
      {CountingFrom1({1, 1, 3, 6}), SizesTensor({2, 2, 1, 1}), dy.Reshaped({1, 1, 2, 3})},
      attrs)[0];
  EXPECT_TRUE(AllClose(dw, Numbers({2, 2, 1, 1}, {161, 182, 287, 308})));
}

TEST(Conv2dBackprop, HeightAndWidthMayStandForAllSizes) {
  const Tensor sizes = Tensor::Of<int32_t>({2}, {2, 3});
  const Tensor dx =
      RunOp("Conv2DBackpropInput",
            {sizes, CountingFrom1({2, 2, 3, 3}), CountingFrom1({1, 1, 2, 3})},
            Conv2dCase{}.attrs())[0];
  EXPECT_EQ(dx.shape(), (Shape{1, 2, 3, 3}));
}

TEST(Conv2dBackprop, AnEmptyBatchGivesNothingOrZeros) {
  const Tensor none = testing::Zeros({0, 1, 2, 1});
  EXPECT_EQ(InputGradient({0, 2, 3, 1}, CountingFrom1({2, 2, 1, 1}), none).shape(),
            (Shape{0, 2, 3, 1}));
  for (const std::string label : {"", "naive", "im2col"}) {
    EXPECT_TRUE(AllClose(
        FilterGradient(testing::Zeros({0, 2, 3, 1}), {2, 2, 1, 1}, none, {}, label),
        Numbers({2, 2, 1, 1}, {0, 0, 0, 0})));
    EXPECT_TRUE(AllClose(InputGradient({1, 2, 2, 1}, testing::Zeros({1, 1, 1, 0}),
                                       testing::Zeros({1, 2, 2, 0}), {}, label),
                         Numbers({1, 2, 2, 1}, {0, 0, 0, 0})));
  }
}

TEST(Conv2dBackprop, PixelsThatNoFilterSeesGetZero) {
  // 5 columns, filters of 1 at a stride of 3: columns 0 and 3 are seen
  EXPECT_TRUE(AllClose(InputGradient({1, 1, 5, 1}, Numbers({1, 1, 1, 1}, {7}),
                                     Numbers({1, 1, 2, 1}, {1, 2}), {.strides = {1, 3}}),
                       Numbers({1, 1, 5, 1}, {7, 0, 0, 14, 0})));
}

TEST(Conv2dBackprop, GradientsOfGradients) {
  const Attrs attrs = Conv2dCase{.strides = {2, 1}, .padding = "SAME"}.attrs();
  const Tensor x = RandomTensor({2, 4, 3, 2}, 1);
  const Tensor w = RandomTensor({3, 2, 2, 3}, 2);
  const Tensor dy = RandomTensor({2, 2, 3, 3}, 3);
  EXPECT_TRUE(testing::GradientAgrees("Conv2D", {x, w}, attrs));
  EXPECT_TRUE(testing::GradientAgrees("Conv2DBackpropInput",
                                      {SizesTensor(x.shape()), w, dy}, attrs));
  EXPECT_TRUE(testing::GradientAgrees("Conv2DBackpropFilter",
                                      {x, SizesTensor(w.shape()), dy}, attrs));
}

TEST(Conv2dBackprop, ErrorsNameBothShapes) {
  const Tensor w = CountingFrom1({2, 2, 1, 1});
  const Attrs attrs = Conv2dCase{}.attrs();
  const auto expect = [](const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  const std::string mismatch =
      ErrorOf("Conv2DBackpropInput",
              {SizesTensor({1, 2, 3, 1}), w, CountingFrom1({1, 2, 2, 1})}, attrs);
  expect(mismatch, "[1,2,2,1]");
  expect(mismatch, "[1,1,2,1]");
  expect(ErrorOf("Conv2DBackpropFilter",
                 {CountingFrom1({1, 2, 3, 1}), SizesTensor({2, 2, 1, 1}),
                  CountingFrom1({1, 1, 2, 4})},
                 attrs),
         "[1,1,2,4]");
  expect(ErrorOf("Conv2DBackpropInput",
                 {Tensor::Of<int32_t>({3}, {1, 2, 3}), w, CountingFrom1({1, 1, 2, 1})},
                 attrs),
         "must contain 4 values or 2 values, but got: 3");
  EXPECT_NE(
      ErrorOf("Conv2DBackpropInput",
              {Tensor::Of<int32_t>({4}, {1, -2, 3, 1}), w, CountingFrom1({1, 1, 2, 1})},
              attrs),
      "");
  EXPECT_NE(ErrorOf("Conv2DBackpropFilter",
                    {CountingFrom1({1, 2, 3, 1}), Tensor::Of<int32_t>({4}, {2, 2, -1, 1}),
                     CountingFrom1({1, 1, 2, 1})},
                    attrs),
            "");
}

}  // namespace
}  // namespace minitf
