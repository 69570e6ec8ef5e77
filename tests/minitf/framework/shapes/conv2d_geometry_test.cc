// Sizes of convolutions and poolings: the tables of the two formulas, shapes known in
// part, and attributes that make no sense.

#include "minitf/framework/shapes/conv2d_geometry.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace minitf {
namespace {

using Ints = std::vector<int64_t>;

SlidingWindow Window(int64_t size, int64_t taps, int64_t stride, Padding padding,
                     int64_t dilation = 1) {
  return SlidingWindow::Of(size, taps, padding, {.stride = stride, .dilation = dilation});
}

Attrs ConvAttrs(Ints strides, const std::string& padding, Ints dilations = {1, 1, 1, 1},
                Ints explicit_paddings = {}, const std::string& format = "NHWC") {
  return {{"strides", std::move(strides)},
          {"padding", padding},
          {"dilations", std::move(dilations)},
          {"explicit_paddings", std::move(explicit_paddings)},
          {"data_format", format}};
}

std::string ErrorOf(const Attrs& attrs) {
  try {
    Conv2dAttrs::Of(attrs);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct SizeCase {
  int64_t size, taps, stride, valid, same;
};

// The sizes of TensorFlow's documentation, and of LeNet and ResNet.
constexpr SizeCase kSizes[] = {
    {5, 3, 1, 3, 5},    {5, 3, 2, 2, 3},       {7, 2, 3, 2, 3},      {4, 2, 3, 1, 2},
    {28, 5, 1, 24, 28}, {100, 20, 1, 81, 100}, {224, 7, 2, 109, 112}};

TEST(SlidingWindow, PlacesOfValidAndSamePadding) {
  for (const SizeCase& c : kSizes) {
    EXPECT_EQ(Window(c.size, c.taps, c.stride, Padding::kValid).places, c.valid);
    EXPECT_EQ(Window(c.size, c.taps, c.stride, Padding::kSame).places, c.same);
  }
}

TEST(SlidingWindow, SamePaddingPutsTheOddZeroLast) {
  const auto small = Window(4, 2, 3, Padding::kSame);
  EXPECT_EQ(small.pad_before, 0);
  EXPECT_EQ(small.pad_after, 1);
  const auto wide = Window(100, 20, 1, Padding::kSame);
  EXPECT_EQ(wide.pad_before, 9);
  EXPECT_EQ(wide.pad_after, 10);
  const auto stem = Window(224, 7, 2, Padding::kSame);
  EXPECT_EQ(stem.pad_before, 2);
  EXPECT_EQ(stem.pad_after, 3);
}

TEST(SlidingWindow, DilationStretchesTheFilter) {
  EXPECT_EQ(Window(7, 3, 1, Padding::kValid, 2).places, 3);
  EXPECT_EQ(Window(7, 3, 1, Padding::kSame, 2).pad_before, 2);
}

TEST(SlidingWindow, ExplicitPaddingCounts) {
  const auto window = SlidingWindow::Of(5, 3, Padding::kExplicit,
                                        {.stride = 2, .pad_before = 1, .pad_after = 3});
  EXPECT_EQ(window.places, 4);  // (5 + 1 + 3 - 3 + 2) / 2
  EXPECT_EQ(window.pad_before, 1);
}

TEST(SlidingWindow, AFilterLargerThanTheImageIsAnError) {
  EXPECT_THROW(Window(2, 3, 1, Padding::kValid), Error);
  EXPECT_THROW(Window(2, 2, 1, Padding::kValid, 4), Error);
  EXPECT_THROW(Window(2, 1 << 30, 1, Padding::kValid, int64_t{1} << 62), Error);
  EXPECT_EQ(Window(0, 3, 1, Padding::kSame).places, 0);
}

TEST(SlidingWindow, UnknownSizesGiveUnknownPlaces) {
  EXPECT_EQ(Window(kUnknown, 3, 1, Padding::kValid).places, kUnknown);
  EXPECT_EQ(Window(7, kUnknown, 1, Padding::kValid).places, kUnknown);
  // SAME asks for the stride alone
  EXPECT_EQ(Window(7, kUnknown, 2, Padding::kSame).places, 4);
}

TEST(Conv2dGeometry, HasAllSizesOfAConvolution) {
  const auto g = Conv2dGeometry::Of(PartialShape{1, 5, 7, 3}, PartialShape{3, 3, 3, 8},
                                    Conv2dAttrs::Of(ConvAttrs({1, 2, 2, 1}, "SAME")));
  EXPECT_EQ(g.n, 1);
  EXPECT_EQ(g.h, 5);
  EXPECT_EQ(g.w, 7);
  EXPECT_EQ(g.c, 3);
  EXPECT_EQ(g.r, 3);
  EXPECT_EQ(g.s, 3);
  EXPECT_EQ(g.k, 8);
  EXPECT_EQ(g.p, 3);
  EXPECT_EQ(g.q, 4);
  EXPECT_EQ(g.stride_h, 2);
  EXPECT_EQ(g.stride_w, 2);
  EXPECT_EQ(g.dilation_h, 1);
  EXPECT_EQ(g.dilation_w, 1);
  EXPECT_EQ(g.pad_top, 1);
  EXPECT_EQ(g.pad_left, 1);
  EXPECT_EQ(g.groups, 1);
  EXPECT_EQ(g.patch_size(), 27);
}

TEST(Conv2dGeometry, ReadsNchwInItsOwnOrder) {
  const Attrs attrs =
      ConvAttrs({1, 1, 2, 3}, "EXPLICIT", {1, 1, 1, 2}, {0, 0, 0, 0, 1, 2, 3, 4}, "NCHW");
  const auto g = Conv2dGeometry::Of(PartialShape{2, 3, 6, 7}, PartialShape{3, 3, 3, 8},
                                    Conv2dAttrs::Of(attrs));
  EXPECT_EQ(g.h, 6);
  EXPECT_EQ(g.c, 3);
  EXPECT_EQ(g.pad_top, 1);
  EXPECT_EQ(g.pad_bottom, 2);
  EXPECT_EQ(g.pad_left, 3);
  EXPECT_EQ(g.pad_right, 4);
  // (6 + 3 - 3 + 2) / 2 rows and (7 + 7 - 5 + 3) / 3 columns
  EXPECT_EQ(g.output_shape(), (PartialShape{2, 8, 4, 4}));
}

TEST(Conv2dGeometry, WorksWithShapesKnownInPart) {
  const auto attrs = Conv2dAttrs::Of(ConvAttrs({1, 2, 1, 1}, "VALID"));
  const auto shape = [&](const PartialShape& x, const PartialShape& w) {
    return Conv2dGeometry::Of(x, w, attrs).output_shape();
  };
  EXPECT_EQ(shape({kUnknown, 9, 9, 3}, {3, 3, 3, 5}), (PartialShape{kUnknown, 4, 7, 5}));
  EXPECT_EQ(shape({2, kUnknown, 9, kUnknown}, {3, 3, 3, 5}),
            (PartialShape{2, kUnknown, 7, 5}));
  EXPECT_EQ(shape({}, {3, 3, 3, 5}), (PartialShape{kUnknown, kUnknown, kUnknown, 5}));
  EXPECT_EQ(shape({}, {}), PartialShape::OfRank(4));
}

TEST(Conv2dGeometry, DepthsMustFit) {
  const auto attrs = Conv2dAttrs::Of(ConvAttrs({1, 1, 1, 1}, "VALID"));
  try {
    Conv2dGeometry::Of(PartialShape{1, 5, 5, 3}, PartialShape{2, 2, 2, 4}, attrs);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "input depth must be evenly divisible by filter depth: 3 vs 2");
  }
  const auto g =
      Conv2dGeometry::Of(PartialShape{1, 5, 5, 4}, PartialShape{2, 2, 2, 6}, attrs);
  EXPECT_EQ(g.groups, 2);
}

TEST(Conv2dAttrs, RefusesWhatMakesNoSense) {
  EXPECT_EQ(ErrorOf(ConvAttrs({1, 2, 2, 1}, "SAME")), "no error");
  const auto expect = [](const Attrs& attrs, const std::string& part) {
    EXPECT_NE(ErrorOf(attrs).find(part), std::string::npos) << ErrorOf(attrs);
  };
  expect(ConvAttrs({1, 2, 2}, "SAME"),
         "Sliding window strides field must specify 4 dimensions");
  expect(ConvAttrs({2, 1, 1, 1}, "SAME"),
         "Current implementation does not yet support strides in the batch and depth "
         "dimensions.");
  expect(ConvAttrs({1, 1, 1, 2}, "SAME"), "batch and depth dimensions");
  expect(ConvAttrs({1, 0, 1, 1}, "SAME"),
         "Sliding window strides should be larger than 0");
  expect(ConvAttrs({1, 1, 1, 1}, "SAME", {1, 0, 1, 1}),
         "Dilated rates should be larger than 0");
  expect(ConvAttrs({1, 1, 1, 1}, "SAME", {1, 1, 1, 2}),
         "does not yet support dilations in the batch and depth dimensions");
  expect(ConvAttrs({1, 1, 1, 1}, "FULL"), "is FULL");
  expect(ConvAttrs({1, 1, 1, 1}, "SAME", {1, 1, 1, 1}, {}, "NHCW"), "is NHCW");
  expect(ConvAttrs({1, 1, 1, 1}, "EXPLICIT"), "must contain 8 values, but got: 0");
  expect(ConvAttrs({1, 1, 1, 1}, "SAME", {1, 1, 1, 1}, Ints(8, 0)),
         "must be empty if the padding attribute is not EXPLICIT");
  expect(ConvAttrs({1, 1, 1, 1}, "EXPLICIT", {1, 1, 1, 1}, {0, 0, 1, -1, 0, 0, 0, 0}),
         "must be nonnegative");
  expect(ConvAttrs({1, 1, 1, 1}, "EXPLICIT", {1, 1, 1, 1}, {0, 1, 0, 0, 0, 0, 0, 0}),
         "batch and depth dimensions");
}

TEST(ShapeFromFormat, PutsTheSizesInOrder) {
  EXPECT_EQ(ShapeFromFormat(DataFormat::kNhwc, 2, 5, 7, 3), (PartialShape{2, 5, 7, 3}));
  EXPECT_EQ(ShapeFromFormat(DataFormat::kNchw, 2, 5, 7, 3), (PartialShape{2, 3, 5, 7}));
}

TEST(PoolAttrs, RefusesWhatMakesNoSense) {
  const auto error = [](Ints window, Ints strides) -> std::string {
    try {
      PoolAttrs::Of(
          {{"ksize", window}, {"strides", strides}, {"padding", std::string("SAME")}});
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error({1, 2, 2, 1}, {1, 2, 2, 1}), "no error");
  EXPECT_EQ(error({1, 1, 1, 3}, {1, 1, 1, 3}), "no error");
  EXPECT_NE(error({2, 2, 2, 1}, {1, 2, 2, 1}).find("on the batch dimension"),
            std::string::npos);
  EXPECT_NE(error({1, 2, 2, 2}, {1, 2, 2, 2}).find("exactly one of pooling"),
            std::string::npos);
  EXPECT_NE(error({1, 1, 1, 3}, {1, 1, 1, 2}).find("3 vs 2"), std::string::npos);
  EXPECT_NE(error({1, 0, 1, 1}, {1, 1, 1, 1}).find("larger than 0"), std::string::npos);
}

}  // namespace
}  // namespace minitf
