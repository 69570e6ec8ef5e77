// Reshape, Squeeze, ExpandDims, Bitcast, Tile, BroadcastTo.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(Reshape, CopiesNothing) {
  const Tensor x = Counting({2, 3});
  const Tensor y = OutputOf("Reshape", {x, Ints({3, -1})});
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_TRUE(y.SharesBufferWith(x));
  EXPECT_EQ(OutputOf("Reshape", {Counting({1}), Ints({})}).shape(), Shape());
  EXPECT_EQ(OutputOf("Reshape", {Counting({0, 3}), Ints({-1, 3})}).shape(),
            (Shape{0, 3}));
}

TEST(Reshape, ZerosOnBothSidesStandForEachOther) {
  const auto reshaped = [](const Shape& x, const std::vector<int32_t>& sizes) {
    return OutputOf("Reshape", {Counting(x), Ints(sizes)}).shape();
  };
  EXPECT_EQ(reshaped({0, 3}, {0, -1}), (Shape{0, 3}));
  EXPECT_EQ(reshaped({2, 0, 5}, {0, -1, 5}), (Shape{0, 2, 5}));
  EXPECT_EQ(reshaped({0}, {-1, 0}), (Shape{1, 0}));
  EXPECT_EQ(reshaped({0, 6}, {0, 4, -1}), (Shape{0, 4, 1}));
  EXPECT_EQ(reshaped({0, 3}, {3, -1}), (Shape{3, 0}));
}

TEST(Reshape, NamesBothCounts) {
  const Tensor x = Counting({2, 3});
  EXPECT_TRUE(
      Says(ErrorOf("Reshape", {x, Ints({8})}),
           "Input to reshape is a tensor with 6 values, but the requested shape has 8"));
  EXPECT_TRUE(
      Says(ErrorOf("Reshape", {x, Ints({-1, -1})}), "Only one input size may be -1"));
  EXPECT_TRUE(Says(ErrorOf("Reshape", {x, Ints({-2, 3})}),
                   "Size 0 must be non-negative, not -2"));
  EXPECT_TRUE(Says(ErrorOf("Reshape", {x, Ints({-1, 4})}),
                   "the requested shape requires a multiple of 4"));
  EXPECT_TRUE(Says(ErrorOf("Reshape", {x, Ints({-1, 0})}),
                   "a tensor with 6 values, but the requested shape has 0"));
  const Tensor huge = Tensor::Of<int64_t>({2}, {int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_NE(ErrorOf("Reshape", {x, huge}), "");
}

TEST(Squeeze, DropsAxesOfSizeOne) {
  const Tensor x = Counting({1, 2, 1, 3});
  EXPECT_EQ(OutputOf("Squeeze", {x}).shape(), (Shape{2, 3}));
  EXPECT_EQ(
      OutputOf("Squeeze", {x}, {{"squeeze_dims", std::vector<int64_t>{-2}}}).shape(),
      (Shape{1, 2, 3}));
  EXPECT_TRUE(Says(ErrorOf("Squeeze", {x}, {{"squeeze_dims", std::vector<int64_t>{1}}}),
                   "Can not squeeze dim[1], expected a dimension of 1, got 2"));
  EXPECT_NE(ErrorOf("Squeeze", {x}, {{"squeeze_dims", std::vector<int64_t>{4}}}), "");
}

TEST(ExpandDims, CountsFromEitherEnd) {
  const Tensor x = Counting({2, 3});
  EXPECT_EQ(OutputOf("ExpandDims", {x, Tensor::Scalar(0)}).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(OutputOf("ExpandDims", {x, Tensor::Scalar(-1)}).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(OutputOf("ExpandDims", {x, Tensor::Scalar(-3)}).shape(), (Shape{1, 2, 3}));
  EXPECT_TRUE(Says(ErrorOf("ExpandDims", {x, Tensor::Scalar(3)}),
                   "Tried to expand dim index 3 for tensor with 2 dimensions."));
}

TEST(Bitcast, ReadsTheSameBytes) {
  const Tensor one = Tensor::Of<float>({1}, {1.0F});
  const Tensor bits = OutputOf("Bitcast", {one}, {{"type", DType::kUint32}});
  EXPECT_EQ(bits.flat<uint32_t>()[0], 0x3f800000U);
  const Tensor bytes = OutputOf("Bitcast", {one}, {{"type", DType::kUint8}});
  EXPECT_EQ(bytes.shape(), (Shape{1, 4}));
  EXPECT_EQ(bytes.flat<uint8_t>()[3], 0x3f);
  EXPECT_EQ(OutputOf("Bitcast", {bytes}, {{"type", DType::kFloat32}}).flat<float>()[0],
            1.0F);
  EXPECT_TRUE(Says(ErrorOf("Bitcast", {one}, {{"type", DType::kFloat64}}),
                   "Cannot bitcast due to shape"));
}

TEST(Tile, RepeatsWholeAxes) {
  EXPECT_TRUE(AllClose(OutputOf("Tile", {Numbers({2, 1}, {1, 2}), Ints({2, 3})}),
                       Numbers({4, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2})));
  EXPECT_EQ(OutputOf("Tile", {Counting({2}), Ints({0})}).num_elements(), 0);
  EXPECT_EQ(OutputOf("Tile", {Tensor::Scalar(4.0), Ints({})}).scalar<double>(), 4);
  EXPECT_EQ(
      Strings(OutputOf("Tile", {Tensor::Of<std::string>({2}, {"a", "b"}), Ints({2})})),
      (std::vector<std::string>{"a", "b", "a", "b"}));
  EXPECT_TRUE(Says(ErrorOf("Tile", {Counting({2}), Ints({2, 2})}),
                   "Expected multiples argument to be a vector of length 1 but got "
                   "length 2"));
  EXPECT_TRUE(Says(ErrorOf("Tile", {Counting({2}), Ints({-1})}),
                   "Expected multiples[0] >= 0, but got -1"));
}

TEST(Tile, HasAsManyAxesAsATensorMayHave) {
  std::vector<int64_t> sizes(250, 1);
  std::vector<int32_t> multiples(250, 1);
  sizes[3] = 2;
  multiples[3] = multiples[240] = 2;
  const Tensor x = Counting(Shape(sizes));
  const Tensor y = OutputOf("Tile", {x, Ints(multiples)});
  EXPECT_TRUE(AllClose(y.Reshaped({8}), Numbers({8}, {0, 0, 1, 1, 0, 0, 1, 1})));
  multiples.assign(250, 0);
  EXPECT_EQ(OutputOf("Tile", {x, Ints(multiples)}).num_elements(), 0);
}

TEST(BroadcastTo, StretchesAxesOfSizeOne) {
  EXPECT_TRUE(
      AllClose(OutputOf("BroadcastTo", {Numbers({2, 1}, {1, 2}), Ints({2, 2, 3})}),
               Numbers({2, 2, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2})));
  EXPECT_EQ(OutputOf("BroadcastTo", {Counting({1}), Ints({0})}).num_elements(), 0);
  EXPECT_TRUE(Says(ErrorOf("BroadcastTo", {Counting({2, 3}), Ints({3})}),
                   "Unable to broadcast tensor of shape [2,3] to tensor of shape [3]"));
  EXPECT_NE(ErrorOf("BroadcastTo", {Counting({2}), Ints({3})}), "");
}

}  // namespace
}  // namespace minitf::testing
