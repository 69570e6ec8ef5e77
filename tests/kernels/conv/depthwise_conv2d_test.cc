// DepthwiseConv2dNative: the same as a Conv2D of filters that are mostly zero.

#include <string>

#include "gtest/gtest.h"
#include "tests/kernels/conv/conv2d_testing.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AllClose;
using testing::ErrorOf;
using testing::GradientAgrees;
using testing::RandomTensor;
using testing::Says;

TEST(Depthwise, EachChannelHasFiltersOfItsOwn) {
  const Attrs attrs = testing::Conv2dCase{.padding = "SAME"}.attrs();
  const Attrs depthwise = {{"strides", testing::Sizes{1, 1, 1, 1}},
                           {"padding", std::string("SAME")}};
  const Tensor x = RandomTensor({2, 4, 5, 3}, 1);
  const Tensor w = RandomTensor({2, 3, 3, 2}, 2);
  // the same as a convolution whose filters are zero in all channels but one
  Tensor full = testing::Zeros({2, 3, 3, 6});
  for (int64_t i = 0; i < w.num_elements(); ++i) {
    const int64_t channel = i / 2 % 3;
    full.mutable_flat<double>()[i / 2 * 6 + channel * 2 + i % 2] = w.flat<double>()[i];
  }
  EXPECT_TRUE(AllClose(RunOp("DepthwiseConv2dNative", {x, w}, depthwise)[0],
                       RunOp("Conv2D", {x, full}, attrs)[0]));
  EXPECT_TRUE(GradientAgrees("DepthwiseConv2dNative", {x, w}, depthwise));
  EXPECT_TRUE(
      Says(ErrorOf("DepthwiseConv2dNative", {x, RandomTensor({2, 3, 4, 2})}, depthwise),
           "3 vs 4"));
}

}  // namespace
}  // namespace minitf
