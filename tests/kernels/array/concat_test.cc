// ConcatV2, Concat, ConcatOffset, Pack, Split, SplitV, Unpack.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(ConcatV2, JoinsAlongAnyAxis) {
  const Tensor a = Numbers({2, 1}, {1, 2});
  const Tensor b = Numbers({2, 2}, {3, 4, 5, 6});
  EXPECT_TRUE(AllClose(OutputOf("ConcatV2", {a, b, Tensor::Scalar(1)}),
                       Numbers({2, 3}, {1, 3, 4, 2, 5, 6})));
  EXPECT_TRUE(AllClose(OutputOf("ConcatV2", {a, b, Tensor::Scalar(-1)}),
                       Numbers({2, 3}, {1, 3, 4, 2, 5, 6})));
  EXPECT_TRUE(AllClose(OutputOf("ConcatV2", {a, a, Tensor::Scalar(int64_t{0})}),
                       Numbers({4, 1}, {1, 2, 1, 2})));
  EXPECT_TRUE(AllClose(OutputOf("Concat", {Tensor::Scalar(1), a, b}),
                       Numbers({2, 3}, {1, 3, 4, 2, 5, 6})));
}

TEST(ConcatV2, TakesEmptyPartsAndStrings) {
  EXPECT_TRUE(AllClose(OutputOf("ConcatV2", {Counting({0}), Numbers({1}, {8}),
                                             Counting({0}), Tensor::Scalar(0)}),
                       Numbers({1}, {8})));
  EXPECT_EQ(Strings(OutputOf("ConcatV2",
                             {Tensor::Of<std::string>({1}, {"a"}),
                              Tensor::Of<std::string>({1}, {"b"}), Tensor::Scalar(0)})),
            (std::vector<std::string>{"a", "b"}));
}

TEST(ConcatV2, SaysWhichShapeDoesNotFit) {
  EXPECT_TRUE(Says(
      ErrorOf("ConcatV2", {Counting({2, 1}), Counting({3, 1}), Tensor::Scalar(1)}),
      "ConcatOp : Dimensions of inputs should match: shape[0] = [2,1] vs. shape[1] = "
      "[3,1]"));
  EXPECT_TRUE(Says(ErrorOf("ConcatV2", {Counting({2}), Counting({3}), Tensor::Scalar(1)}),
                   "Expected concatenating dimensions in the range [-1, 1), but got 1"));
  EXPECT_NE(ErrorOf("ConcatV2", {Counting({}), Counting({}), Tensor::Scalar(0)}), "");
}

TEST(ConcatOffset, TellsWhereEachPartStarts) {
  const auto offsets = RunOp("ConcatOffset", {Tensor::Scalar(1), Ints({2, 2, 7}),
                                              Ints({2, 3, 7}), Ints({2, 9, 7})});
  EXPECT_TRUE(AllClose(offsets[0], Ints({0, 0, 0})));
  EXPECT_TRUE(AllClose(offsets[1], Ints({0, 2, 0})));
  EXPECT_TRUE(AllClose(offsets[2], Ints({0, 5, 0})));
  EXPECT_NE(ErrorOf("ConcatOffset", {Tensor::Scalar(0), Ints({2, 2}), Ints({2, 3})}), "");
}

TEST(Pack, AddsAnAxis) {
  const Tensor a = Numbers({2}, {1, 2});
  const Tensor b = Numbers({2}, {3, 4});
  EXPECT_TRUE(AllClose(OutputOf("Pack", {a, b}), Numbers({2, 2}, {1, 2, 3, 4})));
  EXPECT_TRUE(AllClose(OutputOf("Pack", {a, b}, {{"axis", int64_t{-1}}}),
                       Numbers({2, 2}, {1, 3, 2, 4})));
  EXPECT_EQ(OutputOf("Pack", {Tensor::Scalar(1.0)}).shape(), (Shape{1}));
  EXPECT_TRUE(Says(ErrorOf("Pack", {a, Counting({3})}),
                   "Shapes of all inputs must match: values[0].shape = [2] != "
                   "values[1].shape = [3]"));
  EXPECT_TRUE(
      Says(ErrorOf("Pack", {a, b}, {{"axis", int64_t{2}}}), "axis = 2 not in [-2, 2)"));
}

TEST(Unpack, UndoesPack) {
  const Tensor x = Numbers({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto rows = RunOp("Unpack", {x}, {{"num", int64_t{2}}});
  EXPECT_TRUE(AllClose(rows[1], Numbers({3}, {4, 5, 6})));
  EXPECT_TRUE(rows[1].SharesBufferWith(x));
  const auto columns = RunOp("Unpack", {x}, {{"num", int64_t{3}}, {"axis", int64_t{1}}});
  EXPECT_TRUE(AllClose(columns[2], Numbers({2}, {3, 6})));
  EXPECT_NE(ErrorOf("Unpack", {x}, {{"num", int64_t{3}}}), "");
}

TEST(Split, MakesEqualPieces) {
  const Tensor x = Numbers({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto halves = RunOp("Split", {Tensor::Scalar(1), x}, {{"num_split", int64_t{2}}});
  EXPECT_TRUE(AllClose(halves[0], Numbers({2, 2}, {1, 2, 5, 6})));
  EXPECT_TRUE(AllClose(halves[1], Numbers({2, 2}, {3, 4, 7, 8})));
  const auto rows = RunOp("Split", {Tensor::Scalar(-2), x}, {{"num_split", int64_t{2}}});
  EXPECT_TRUE(rows[1].SharesBufferWith(x));
  EXPECT_TRUE(AllClose(rows[1], Numbers({1, 4}, {5, 6, 7, 8})));
  EXPECT_TRUE(
      Says(ErrorOf("Split", {Tensor::Scalar(1), x}, {{"num_split", int64_t{3}}}),
           "Number of ways to split should evenly divide the split dimension, but got "
           "split_dim 1 (size = 4) and num_split 3"));
}

TEST(SplitV, MakesPiecesOfGivenSizes) {
  const Tensor x = Numbers({5}, {1, 2, 3, 4, 5});
  const Attrs attrs = {{"num_split", int64_t{3}}};
  const auto pieces = RunOp("SplitV", {x, Ints({1, -1, 2}), Tensor::Scalar(0)}, attrs);
  EXPECT_TRUE(AllClose(pieces[0], Numbers({1}, {1})));
  EXPECT_TRUE(AllClose(pieces[1], Numbers({2}, {2, 3})));
  EXPECT_TRUE(AllClose(pieces[2], Numbers({2}, {4, 5})));
  EXPECT_TRUE(Says(ErrorOf("SplitV", {x, Ints({1, 1, 2}), Tensor::Scalar(0)}, attrs),
                   "Determined shape must either match input shape along split_dim"));
  EXPECT_NE(ErrorOf("SplitV", {x, Ints({-1, -1, 2}), Tensor::Scalar(0)}, attrs), "");
  EXPECT_NE(ErrorOf("SplitV", {x, Ints({1, 4}), Tensor::Scalar(0)}, attrs), "");
}

TEST(SplitV, ThenConcatIsLossless) {
  const Tensor image = Counting({4, 5, 3});
  const auto planes =
      RunOp("Split", {Tensor::Scalar(2), image}, {{"num_split", int64_t{3}}});
  EXPECT_TRUE(AllClose(
      OutputOf("ConcatV2", {planes[0], planes[1], planes[2], Tensor::Scalar(2)}), image));
}

}  // namespace
}  // namespace minitf::testing
