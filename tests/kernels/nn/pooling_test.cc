// Pooling and its gradients: golden values, the formula, ties, padding, layouts, and
// inputs that make no sense.

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
using testing::Numbers;
using testing::RandomTensor;
using testing::Sizes;
using testing::SizesTensor;

Attrs PoolAttributes(const Sizes& window, const Sizes& strides,
                     const std::string& padding, const std::string& format = "NHWC") {
  return {{"ksize", Sizes{1, window[0], window[1], 1}},
          {"strides", Sizes{1, strides[0], strides[1], 1}},
          {"padding", padding},
          {"data_format", format}};
}

Tensor Pool(const std::string& op, const Tensor& x, const Sizes& window,
            const Sizes& strides, const std::string& padding) {
  return RunOp(op, {x}, PoolAttributes(window, strides, padding))[0];
}

TEST(MaxPool, GoldenValues) {
  EXPECT_TRUE(
      AllClose(Pool("MaxPool", CountingFrom1({1, 3, 3, 3}), {2, 2}, {2, 2}, "VALID"),
               Numbers({1, 1, 1, 3}, {13, 14, 15})));
  EXPECT_TRUE(
      AllClose(Pool("MaxPool", CountingFrom1({1, 2, 3, 3}), {2, 2}, {2, 2}, "SAME"),
               Numbers({1, 1, 2, 3}, {13, 14, 15, 16, 17, 18})));
  EXPECT_TRUE(
      AllClose(Pool("MaxPool", CountingFrom1({1, 2, 2, 1}), {1, 2}, {1, 1}, "SAME"),
               Numbers({1, 2, 2, 1}, {2, 2, 4, 4})));
  EXPECT_TRUE(
      AllClose(Pool("MaxPool", CountingFrom1({1, 4, 4, 1}), {2, 2}, {1, 2}, "VALID"),
               Numbers({1, 3, 2, 1}, {6, 8, 10, 12, 14, 16})));
  EXPECT_TRUE(
      AllClose(Pool("MaxPool", CountingFrom1({1, 4, 4, 1}), {2, 2}, {2, 1}, "VALID"),
               Numbers({1, 2, 3, 1}, {6, 7, 8, 14, 15, 16})));
  EXPECT_TRUE(
      AllClose(Pool("MaxPool", CountingFrom1({1, 7, 7, 1}), {2, 2}, {3, 3}, "VALID"),
               Numbers({1, 2, 2, 1}, {9, 12, 30, 33})));
}

TEST(MaxPool, AcrossChannels) {
  const Attrs attrs = {{"ksize", Sizes{1, 1, 1, 2}},
                       {"strides", Sizes{1, 1, 1, 2}},
                       {"padding", std::string("VALID")}};
  const Tensor x = CountingFrom1({1, 1, 1, 10});
  const Tensor y = RunOp("MaxPool", {x}, attrs)[0];
  EXPECT_TRUE(AllClose(y, Numbers({1, 1, 1, 5}, {2, 4, 6, 8, 10})));
  const Tensor dx =
      RunOp("MaxPoolGrad", {x, y, Numbers({1, 1, 1, 5}, {1, 2, 3, 4, 5})}, attrs)[0];
  EXPECT_TRUE(AllClose(dx, Numbers({1, 1, 1, 10}, {0, 1, 0, 2, 0, 3, 0, 4, 0, 5})));
}

TEST(AvgPool, GoldenValues) {
  EXPECT_TRUE(
      AllClose(Pool("AvgPool", CountingFrom1({1, 3, 3, 3}), {2, 2}, {2, 2}, "VALID"),
               Numbers({1, 1, 1, 3}, {7, 8, 9})));
  EXPECT_TRUE(
      AllClose(Pool("AvgPool", CountingFrom1({1, 2, 4, 3}), {2, 2}, {2, 2}, "SAME"),
               Numbers({1, 1, 2, 3}, {8.5, 9.5, 10.5, 14.5, 15.5, 16.5})));
  // padding is not counted: 2 / 1, not 2 / 2
  EXPECT_TRUE(
      AllClose(Pool("AvgPool", CountingFrom1({1, 2, 2, 1}), {1, 2}, {1, 1}, "SAME"),
               Numbers({1, 2, 2, 1}, {1.5, 2, 3.5, 4})));
  EXPECT_TRUE(
      AllClose(Pool("AvgPool", CountingFrom1({1, 7, 7, 1}), {2, 2}, {3, 3}, "VALID"),
               Numbers({1, 2, 2, 1}, {5, 8, 26, 29})));
}

TEST(MaxPoolGrad, GoldenValues) {
  const Attrs attrs = PoolAttributes({2, 2}, {1, 1}, "VALID");
  const Tensor dy = Numbers({1, 3, 3, 1}, {11, 12, 13, 15, 16, 17, 19, 20, 21});
  const auto gradient = [&](const Tensor& x) {
    return RunOp("MaxPoolGrad", {x, RunOp("MaxPool", {x}, attrs)[0], dy}, attrs)[0];
  };
  // all ones: every window gives its gradient to its first number
  EXPECT_TRUE(AllClose(
      gradient(Numbers({1, 4, 4, 1}, std::vector<double>(16, 1))),
      Numbers({1, 4, 4, 1}, {11, 12, 13, 0, 15, 16, 17, 0, 19, 20, 21, 0, 0, 0, 0, 0})));
  EXPECT_TRUE(AllClose(
      gradient(Numbers({1, 4, 4, 1}, {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1})),
      Numbers({1, 4, 4, 1}, {11, 0, 25, 0, 0, 31, 0, 17, 19, 0, 41, 0, 0, 0, 0, 0})));
}

// ---- The formula ----------------------------------------------------------------------

struct PoolCase {
  Shape x;
  Sizes window, strides;
  std::string padding;

  testing::Conv2dCase conv() const { return {.strides = strides, .padding = padding}; }
  Shape w() const { return {window[0], window[1], 1, 1}; }
  Attrs attrs() const { return PoolAttributes(window, strides, padding); }
  // The images as N * C images of one channel: [N*C,H,W,1].
  Shape planes() const { return {x.dim(0) * x.dim(3), x.dim(1), x.dim(2), 1}; }
};

const PoolCase kCases[] = {
    {{1, 1, 1, 1}, {1, 1}, {1, 1}, "VALID"}, {{2, 5, 7, 3}, {2, 2}, {2, 2}, "VALID"},
    {{2, 5, 7, 3}, {2, 2}, {2, 2}, "SAME"},  {{1, 6, 5, 2}, {3, 2}, {1, 2}, "SAME"},
    {{2, 7, 6, 5}, {3, 3}, {2, 1}, "VALID"}, {{1, 8, 9, 4}, {2, 1}, {3, 4}, "VALID"},
    {{1, 5, 5, 17}, {4, 5}, {3, 2}, "SAME"}, {{3, 24, 24, 8}, {3, 3}, {2, 2}, "SAME"},
};

// Index i of [N*C,H,W,1] as an index of [N,H,W,C].
int64_t FromPlanes(int64_t i, int64_t pixels, int64_t channels) {
  const int64_t plane = i / pixels;
  return (plane / channels * pixels + i % pixels) * channels + plane % channels;
}

// Calls term(index in x, index in y) for each number that each window sees, in order.
template <typename Term>
void ForEachSeen(const PoolCase& c, Term term) {
  const Shape y = testing::OutputShape(c.planes(), c.w(), c.conv());
  testing::ForEachTerm(c.planes(), c.w(), c.conv(), [&](int64_t i, int64_t, int64_t l) {
    term(FromPlanes(i, c.x.dim(1) * c.x.dim(2), c.x.dim(3)),
         FromPlanes(l, y.dim(1) * y.dim(2), c.x.dim(3)));
  });
}

Shape PooledShape(const PoolCase& c) {
  const Shape y = testing::OutputShape(c.planes(), c.w(), c.conv());
  return {c.x.dim(0), y.dim(1), y.dim(2), c.x.dim(3)};
}

// For each window the place in x of its first maximum.
std::vector<int64_t> FirstMaxima(const PoolCase& c, const Tensor& x) {
  std::vector<int64_t> places(PooledShape(c).num_elements(), -1);
  ForEachSeen(c, [&](int64_t i, int64_t l) {
    const auto values = x.flat<double>();
    if (places[l] < 0 || values[i] > values[places[l]]) places[l] = i;
  });
  return places;
}

// Small whole numbers, so that there are ties.
Tensor WholeNumbers(const Shape& shape, unsigned seed) {
  Tensor x = RandomTensor(shape, seed, -3, 3);
  for (double& value : x.mutable_flat<double>()) value = std::floor(value);
  return x;
}

TEST(MaxPool, AgreesWithTheFormulaAlsoOnTies) {
  for (const PoolCase& c : kCases) {
    const Tensor x = WholeNumbers(c.x, 1);
    const std::vector<int64_t> places = FirstMaxima(c, x);
    const Shape y_shape = PooledShape(c);
    const Tensor dy = RandomTensor(y_shape, 2);
    const Tensor ddx = RandomTensor(c.x, 3);
    Tensor y = testing::Zeros(y_shape);
    Tensor ddy = testing::Zeros(y_shape);
    Tensor dx = testing::Zeros(c.x);
    for (size_t l = 0; l < places.size(); ++l) {
      y.mutable_flat<double>()[l] = x.flat<double>()[places[l]];
      ddy.mutable_flat<double>()[l] = ddx.flat<double>()[places[l]];
      dx.mutable_flat<double>()[places[l]] += dy.flat<double>()[l];
    }
    ASSERT_TRUE(AllClose(RunOp("MaxPool", {x}, c.attrs())[0], y));
    ASSERT_TRUE(AllClose(RunOp("MaxPoolGrad", {x, y, dy}, c.attrs())[0], dx));
    ASSERT_TRUE(AllClose(RunOp("MaxPoolGradGrad", {x, y, ddx}, c.attrs())[0], ddy));
  }
}

TEST(MaxPool, ArgmaxIsThePlaceOfTheFirstMaximum) {
  for (const PoolCase& c : kCases) {
    const Tensor x = WholeNumbers(c.x, 4);
    const std::vector<int64_t> places = FirstMaxima(c, x);
    Attrs attrs = {{"ksize", Sizes{1, c.window[0], c.window[1], 1}},
                   {"strides", Sizes{1, c.strides[0], c.strides[1], 1}},
                   {"padding", c.padding},
                   {"include_batch_in_index", true}};
    EXPECT_TRUE(AllClose(RunOp("MaxPoolWithArgmax", {x}, attrs)[1],
                         Tensor::Of(PooledShape(c), places)));
    attrs.Set("include_batch_in_index", false);
    attrs.Set("Targmax", DType::kInt32);
    std::vector<int32_t> in_image(places.begin(), places.end());
    for (int32_t& place : in_image) place %= c.x.num_elements() / c.x.dim(0);
    EXPECT_TRUE(AllClose(RunOp("MaxPoolWithArgmax", {x}, attrs)[1],
                         Tensor::Of(PooledShape(c), in_image)));
  }
}

TEST(AvgPool, AgreesWithTheFormula) {
  for (const PoolCase& c : kCases) {
    const Tensor x = RandomTensor(c.x, 1);
    const Shape y_shape = PooledShape(c);
    const Tensor dy = RandomTensor(y_shape, 2);
    std::vector<double> count(y_shape.num_elements());
    ForEachSeen(c, [&](int64_t, int64_t l) { ++count[l]; });
    Tensor y = testing::Zeros(y_shape);
    Tensor dx = testing::Zeros(c.x);
    ForEachSeen(c, [&](int64_t i, int64_t l) {
      y.mutable_flat<double>()[l] += x.flat<double>()[i] / count[l];
      dx.mutable_flat<double>()[i] += dy.flat<double>()[l] / count[l];
    });
    ASSERT_TRUE(AllClose(RunOp("AvgPool", {x}, c.attrs())[0], y));
    ASSERT_TRUE(AllClose(RunOp("AvgPoolGrad", {SizesTensor(c.x), dy}, c.attrs())[0], dx));
  }
}

// ---- Special numbers ------------------------------------------------------------------

TEST(MaxPool, PaddingDoesNotBeatNegativeNumbers) {
  const Tensor x = Numbers({1, 1, 3, 1}, {-5, -3, -4});
  EXPECT_TRUE(AllClose(Pool("MaxPool", x, {1, 2}, {1, 2}, "SAME"),
                       Numbers({1, 1, 2, 1}, {-3, -4})));
  const Tensor low = Numbers({1, 1, 1, 1}, {-INFINITY});
  EXPECT_TRUE(AllClose(Pool("MaxPool", low, {2, 2}, {1, 1}, "SAME"), low));
}

TEST(MaxPool, NanIsTheLargest) {
  const Tensor x = Numbers({1, 1, 4, 1}, {1, NAN, 3, NAN});
  const Attrs attrs = PoolAttributes({1, 4}, {1, 1}, "VALID");
  const Tensor y = RunOp("MaxPool", {x}, attrs)[0];
  EXPECT_TRUE(AllClose(y, Numbers({1, 1, 1, 1}, {NAN})));
  EXPECT_TRUE(AllClose(RunOp("MaxPoolGrad", {x, y, Numbers({1, 1, 1, 1}, {7})}, attrs)[0],
                       Numbers({1, 1, 4, 1}, {0, 7, 0, 0})));
}

TEST(Pooling, NumbersThatNoWindowSeesGetZero) {
  const Attrs attrs = PoolAttributes({1, 1}, {1, 3}, "VALID");
  const Tensor dy = Numbers({1, 1, 2, 1}, {1, 2});
  EXPECT_TRUE(AllClose(RunOp("AvgPoolGrad", {SizesTensor({1, 1, 5, 1}), dy}, attrs)[0],
                       Numbers({1, 1, 5, 1}, {1, 0, 0, 2, 0})));
}

TEST(Pooling, NchwIsTheSamePooling) {
  // one image of two channels, [1,2,2,2]
  const Tensor x = Numbers({1, 2, 2, 2}, {1, 2, 3, 4, 8, 7, 6, 5});
  const Attrs nchw = {{"ksize", Sizes{1, 1, 2, 2}},
                      {"strides", Sizes{1, 1, 1, 1}},
                      {"padding", std::string("VALID")},
                      {"data_format", std::string("NCHW")}};
  EXPECT_TRUE(AllClose(RunOp("MaxPool", {x}, nchw)[0], Numbers({1, 2, 1, 1}, {4, 8})));
  EXPECT_TRUE(
      AllClose(RunOp("AvgPool", {x}, nchw)[0], Numbers({1, 2, 1, 1}, {2.5, 6.5})));
  EXPECT_TRUE(
      AllClose(RunOp("AvgPoolGrad",
                     {SizesTensor({1, 2, 2, 2}), Numbers({1, 2, 1, 1}, {4, 8})}, nchw)[0],
               Numbers({1, 2, 2, 2}, {1, 1, 1, 1, 2, 2, 2, 2})));
}

TEST(Pooling, HasKernelsForOtherTypes) {
  const Tensor x = CountingFrom1({1, 4, 4, 1});
  const Attrs attrs = PoolAttributes({2, 2}, {2, 2}, "VALID");
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kFloat32,
                            DType::kInt32, DType::kInt64, DType::kUint8, DType::kInt8}) {
    const Tensor y = RunOp("MaxPool", {CastTo(dtype, x)}, attrs)[0];
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(
        AllClose(CastTo(DType::kFloat64, y), Numbers({1, 2, 2, 1}, {6, 8, 14, 16})));
  }
  const Tensor half = RunOp("AvgPool", {CastTo(DType::kFloat16, x)}, attrs)[0];
  EXPECT_TRUE(AllClose(CastTo(DType::kFloat64, half),
                       Numbers({1, 2, 2, 1}, {3.5, 5.5, 11.5, 13.5})));
}

TEST(Pooling, EmptyImagesGiveAnEmptyResult) {
  EXPECT_EQ(Pool("MaxPool", testing::Zeros({0, 4, 4, 2}), {2, 2}, {2, 2}, "SAME").shape(),
            (Shape{0, 2, 2, 2}));
  EXPECT_EQ(Pool("AvgPool", testing::Zeros({2, 4, 4, 0}), {2, 2}, {2, 2}, "SAME").shape(),
            (Shape{2, 2, 2, 0}));
  EXPECT_EQ(Pool("MaxPool", testing::Zeros({1, 0, 4, 2}), {2, 2}, {2, 2}, "SAME").shape(),
            (Shape{1, 0, 2, 2}));
}

TEST(Pooling, RegisteredGradients) {
  // far apart, so that a small step changes no maximum
  Tensor x = CountingFrom1({2, 5, 4, 2});
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    x.mutable_flat<double>()[i] = static_cast<double>(i * 37 % 80);
  }
  const Attrs attrs = PoolAttributes({3, 2}, {2, 1}, "SAME");
  EXPECT_TRUE(testing::GradientAgrees("MaxPool", {x}, attrs));
  EXPECT_TRUE(testing::GradientAgrees("AvgPool", {x}, attrs));
  const Tensor dy = RandomTensor({2, 3, 4, 2}, 5);
  EXPECT_TRUE(
      testing::GradientAgrees("AvgPoolGrad", {SizesTensor(x.shape()), dy}, attrs));
}

TEST(Pooling, ErrorsNameWhatDoesNotFit) {
  const auto expect = [](const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  const Attrs attrs = PoolAttributes({2, 2}, {2, 2}, "VALID");
  const Tensor x = CountingFrom1({1, 4, 4, 1});
  const Tensor y = RunOp("MaxPool", {x}, attrs)[0];
  expect(ErrorOf("MaxPool", {CountingFrom1({4, 4})}, attrs),
         "input must be 4-dimensional: [4,4]");
  expect(ErrorOf("MaxPool", {CountingFrom1({1, 1, 4, 1})}, attrs),
         "subtracting 2 from 1");
  EXPECT_NE(ErrorOf("MaxPoolGrad", {x, y, CountingFrom1({1, 3, 2, 1})}, attrs), "");
  EXPECT_NE(ErrorOf("MaxPoolGrad", {x, x, y}, attrs), "");
  EXPECT_NE(ErrorOf("MaxPoolGradGrad", {x, y, y}, attrs), "");
  EXPECT_NE(ErrorOf("AvgPoolGrad", {Tensor::Of<int32_t>({4}, {1, -4, 4, 1}), y}, attrs),
            "");
  EXPECT_NE(ErrorOf("AvgPoolGrad", {Tensor::Of<int32_t>({2}, {4, 4}), y}, attrs), "");
  expect(ErrorOf("MaxPool", {CountingFrom1({1, 1, 1, 5})},
                 {{"ksize", Sizes{1, 1, 1, 2}},
                  {"strides", Sizes{1, 1, 1, 2}},
                  {"padding", std::string("VALID")}}),
         "requires the depth window to evenly divide the input depth: 2 vs 5");
}

// ---- Patches --------------------------------------------------------------------------

Attrs PatchAttrs(const Sizes& window, const Sizes& strides, const Sizes& rates,
                 const std::string& padding) {
  return {{"ksizes", Sizes{1, window[0], window[1], 1}},
          {"strides", Sizes{1, strides[0], strides[1], 1}},
          {"rates", Sizes{1, rates[0], rates[1], 1}},
          {"padding", padding}};
}

TEST(ExtractImagePatches, GivesWhatTheWindowSees) {
  const Tensor patches = RunOp("ExtractImagePatches", {CountingFrom1({1, 4, 4, 1})},
                               PatchAttrs({2, 2}, {1, 1}, {1, 1}, "VALID"))[0];
  EXPECT_EQ(patches.shape(), (Shape{1, 3, 3, 4}));
  EXPECT_TRUE(
      AllClose(patches.Reshaped({9, 4}).Slice(0, 1), Numbers({1, 4}, {1, 2, 5, 6})));
  EXPECT_TRUE(
      AllClose(patches.Reshaped({9, 4}).Slice(8, 9), Numbers({1, 4}, {11, 12, 15, 16})));
  // every second pixel of 3 by 3, with zeros around
  EXPECT_TRUE(
      AllClose(RunOp("ExtractImagePatches", {CountingFrom1({1, 3, 3, 1})},
                     PatchAttrs({2, 2}, {2, 2}, {2, 2}, "SAME"))[0],
               Numbers({1, 2, 2, 4}, {0, 0, 0, 5, 0, 0, 5, 0, 0, 5, 0, 0, 5, 0, 0, 0})));
}

TEST(ExtractImagePatches, TheirMaximumIsMaxPool) {
  const Tensor x = RandomTensor({2, 5, 6, 1}, 7);
  const Tensor patches =
      RunOp("ExtractImagePatches", {x}, PatchAttrs({2, 3}, {1, 2}, {1, 1}, "VALID"))[0];
  const Tensor y = Pool("MaxPool", x, {2, 3}, {1, 2}, "VALID");
  for (int64_t i = 0; i < y.num_elements(); ++i) {
    const auto patch = patches.flat<double>().subspan(i * 6, 6);
    EXPECT_EQ(*std::max_element(patch.begin(), patch.end()), y.flat<double>()[i]);
  }
}

TEST(ExtractImagePatches, RegisteredGradient) {
  EXPECT_TRUE(testing::GradientAgrees("ExtractImagePatches",
                                      {RandomTensor({2, 4, 5, 2}, 1)},
                                      PatchAttrs({2, 2}, {2, 1}, {1, 2}, "SAME")));
}

}  // namespace
}  // namespace minitf
