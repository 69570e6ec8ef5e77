// Resizing: the numbers of TensorFlow 2.21 for its version 1 functions.

#include "gtest/gtest.h"
#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::Of(shape, values);
}

// (1 2 / 3 4) as 3 rows of 4.
Tensor Resized(const std::string& op, bool align_corners, bool half_pixel_centers) {
  return OutputOf(
      op, {Floats({1, 2, 2, 1}, {1, 2, 3, 4}), Ints({3, 4})},
      {{"align_corners", align_corners}, {"half_pixel_centers", half_pixel_centers}});
}

TEST(ResizeBilinear, IsThatOfTensorFlow) {
  constexpr float kThird = 1.0F / 3;
  EXPECT_TRUE(AllClose(Resized("ResizeBilinear", false, false),
                       Floats({1, 3, 4, 1}, {1, 1.5, 2, 2, 2 + kThird, 2.5F + kThird,
                                             3 + kThird, 3 + kThird, 3, 3.5, 4, 4}),
                       1e-6));
  EXPECT_TRUE(
      AllClose(Resized("ResizeBilinear", true, false),
               Floats({1, 3, 4, 1}, {1, 1 + kThird, 2 - kThird, 2, 2, 2 + kThird,
                                     3 - kThird, 3, 3, 3 + kThird, 4 - kThird, 4}),
               1e-6));
  EXPECT_TRUE(AllClose(
      Resized("ResizeBilinear", false, true),
      Floats({1, 3, 4, 1}, {1, 1.25, 1.75, 2, 2, 2.25, 2.75, 3, 3, 3.25, 3.75, 4}),
      1e-6));
}

TEST(ResizeNearestNeighbor, IsThatOfTensorFlow) {
  EXPECT_TRUE(AllClose(Resized("ResizeNearestNeighbor", false, false),
                       Floats({1, 3, 4, 1}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4})));
  const Tensor other = Floats({1, 3, 4, 1}, {1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4});
  EXPECT_TRUE(AllClose(Resized("ResizeNearestNeighbor", true, false), other));
  EXPECT_TRUE(AllClose(Resized("ResizeNearestNeighbor", false, true), other));
}

TEST(ResizeBicubic, IsThatOfTensorFlow) {
  EXPECT_TRUE(AllClose(
      Resized("ResizeBicubic", false, false),
      Floats({1, 3, 4, 1}, {1, 1.5, 2, 2.09375F, 2.3710756F, 2.8710756F, 3.3710756F,
                            3.4648256F, 3.2222221F, 3.7222221F, 4.2222223F, 4.3159719F}),
      1e-6));
  EXPECT_TRUE(
      AllClose(Resized("ResizeBicubic", true, false),
               Floats({1, 3, 4, 1}, {1, 1.3144622F, 1.6855378F, 2, 2, 2.3144622F,
                                     2.6855378F, 3, 3, 3.3144622F, 3.6855378F, 4}),
               1e-6));
  EXPECT_TRUE(AllClose(
      Resized("ResizeBicubic", false, true),
      Floats({1, 3, 4, 1},
             {0.7799870F, 1.0753652F, 1.6610794F, 1.9564577F, 1.9117649F, 2.2071428F,
              2.7928572F, 3.0882356F, 3.0435424F, 3.3389201F, 3.9246345F, 4.2200127F}),
      1e-6));
}

TEST(ResizeArea, IsThatOfTensorFlow) {
  std::vector<float> values;
  for (int i = 1; i <= 16; ++i) values.push_back(static_cast<float>(i));
  EXPECT_TRUE(
      AllClose(OutputOf("ResizeArea", {Floats({1, 4, 4, 1}, values), Ints({3, 2})}),
               Floats({1, 3, 2, 1}, {2.5, 4.5, 7.5, 9.5, 12.5, 14.5}), 1e-6));
}

TEST(Resize, KeepsBatchesAndChannelsApart) {
  const Tensor x = Floats({2, 1, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
  EXPECT_TRUE(AllClose(OutputOf("ResizeBilinear", {x, Ints({1, 4})}),
                       Floats({2, 1, 4, 2}, {1, 10, 1.5, 15, 2, 20, 2, 20,  //
                                             3, 30, 3.5, 35, 4, 40, 4, 40})));
}

TEST(Resize, SaysWhatItNeeds) {
  const Tensor x = Floats({1, 1, 2, 1}, {1, 2});
  EXPECT_TRUE(Says(ErrorOf("ResizeBilinear", {x, Ints({0, 4})}),
                   "output dimensions must be positive, are 0 x 4"));
  EXPECT_TRUE(Says(ErrorOf("ResizeArea", {x, Ints({1})}), "size must have two elements"));
  EXPECT_TRUE(
      Says(ErrorOf("ResizeBicubic", {Floats({2}, {1, 2}), Ints({1, 4})}), "images"));
  EXPECT_TRUE(Says(ErrorOf("ResizeBilinear", {x, Ints({1, 4})},
                           {{"align_corners", true}, {"half_pixel_centers", true}}),
                   "If half_pixel_centers is True, align_corners must be False."));
}

TEST(RgbToHsv, HasRedAtZeroGreenAtOneThird) {
  const Tensor rgb = Floats({4, 3}, {1, 0, 0, 0, 0.5, 0, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5});
  const Tensor hsv =
      Floats({4, 3}, {0, 1, 1, 1.0F / 3, 1, 0.5, 2.0F / 3, 0.5, 0.5, 0, 0, 0.5});
  EXPECT_TRUE(AllClose(OutputOf("RGBToHSV", {rgb}), hsv, 1e-6));
  EXPECT_TRUE(AllClose(OutputOf("HSVToRGB", {hsv}), rgb, 1e-6));
}

}  // namespace
}  // namespace minitf::testing
