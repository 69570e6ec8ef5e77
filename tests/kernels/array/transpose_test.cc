// Transpose, ConjugateTranspose, InvertPermutation, SpaceToDepth, DepthToSpace.

#include <numeric>

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

// Element by element, by definition: y(i_perm[0], i_perm[1], ...) = x(i_0, i_1, ...).
Tensor TransposedByFormula(const Tensor& x, const std::vector<int32_t>& perm) {
  std::vector<int64_t> sizes;
  for (const int axis : perm) sizes.push_back(x.dim(axis));
  Tensor y(DType::kFloat64, Shape(sizes));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    std::vector<int64_t> index(x.rank());
    int64_t rest = i;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      index[axis] = rest % x.dim(axis);
      rest /= x.dim(axis);
    }
    int64_t place = 0;
    for (size_t k = 0; k < perm.size(); ++k) place = place * sizes[k] + index[perm[k]];
    y.mutable_flat<double>()[place] = x.flat<double>()[i];
  }
  return y;
}

TEST(Transpose, SwapsRowsAndColumns) {
  EXPECT_TRUE(
      AllClose(OutputOf("Transpose", {Numbers({2, 3}, {1, 2, 3, 4, 5, 6}), Ints({1, 0})}),
               Numbers({3, 2}, {1, 4, 2, 5, 3, 6})));
}

TEST(Transpose, AgreesWithTheFormulaForEveryOrderOfFourAxes) {
  const Tensor x = Counting({3, 40, 2, 35});
  std::vector<int32_t> perm = {0, 1, 2, 3};
  do {
    ASSERT_TRUE(
        AllClose(OutputOf("Transpose", {x, Ints(perm)}), TransposedByFormula(x, perm)));
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(Transpose, AgreesWithTheFormulaForRankSix) {
  const Tensor x = Counting({2, 3, 1, 4, 3, 2});
  for (const std::vector<int32_t>& perm :
       {std::vector<int32_t>{5, 4, 3, 2, 1, 0}, {2, 0, 5, 1, 4, 3}, {1, 0, 3, 2, 5, 4}}) {
    EXPECT_TRUE(
        AllClose(OutputOf("Transpose", {x, Ints(perm)}), TransposedByFormula(x, perm)));
  }
}

TEST(Transpose, WorksForElementsOfEverySize) {
  const Tensor bytes = Tensor::Of<uint8_t>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(OutputOf("Transpose", {bytes, Ints({1, 0})}).flat<uint8_t>()[1], 3);
  const Tensor strings = Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"});
  EXPECT_EQ(Strings(OutputOf("Transpose", {strings, Ints({1, 0})})),
            (std::vector<std::string>{"a", "c", "b", "d"}));
  const Tensor wide = Tensor::Of<complex128>({1, 2}, {{1, 2}, {3, 4}});
  EXPECT_EQ(OutputOf("Transpose", {wide, Ints({1, 0})}).flat<complex128>()[1],
            complex128(3, 4));
}

TEST(Transpose, MovesNothingWhenOnlyAxesOfSizeOneMove) {
  const Tensor x = Counting({2, 1, 3});
  const Tensor y = OutputOf("Transpose", {x, Ints({1, 0, 2})});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 3}));
  EXPECT_TRUE(y.SharesBufferWith(x));
  EXPECT_EQ(OutputOf("Transpose", {Counting({0, 3}), Ints({1, 0})}).shape(),
            (Shape{3, 0}));
  EXPECT_EQ(OutputOf("Transpose", {Tensor::Scalar(2.0), Ints({})}).scalar<double>(), 2);
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  const Tensor x = Counting({2, 3});
  EXPECT_TRUE(Says(ErrorOf("Transpose", {x, Ints({0})}),
                   "transpose expects a vector of size 2. But input(1) is a vector of "
                   "size 1"));
  EXPECT_TRUE(Says(ErrorOf("Transpose", {x, Ints({0, 0})}),
                   "0 is duplicated in the permutation"));
  EXPECT_TRUE(
      Says(ErrorOf("Transpose", {x, Ints({0, 2})}), "2 is out of range [0 .. 2)"));
}

TEST(ConjugateTranspose, Conjugates) {
  const Tensor z = Tensor::Of<complex64>({1, 2}, {{1, 2}, {3, -4}});
  const Tensor y = OutputOf("ConjugateTranspose", {z, Ints({1, 0})});
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  EXPECT_EQ(y.flat<complex64>()[0], complex64(1, -2));
  EXPECT_EQ(y.flat<complex64>()[1], complex64(3, 4));
}

TEST(InvertPermutation, UndoesAPermutation) {
  EXPECT_TRUE(AllClose(OutputOf("InvertPermutation", {Ints({3, 4, 0, 2, 1})}),
                       Ints({2, 4, 3, 0, 1})));
  EXPECT_TRUE(Says(ErrorOf("InvertPermutation", {Ints({1, 1})}),
                   "1 is duplicated in the input."));
  EXPECT_TRUE(
      Says(ErrorOf("InvertPermutation", {Ints({0, 2})}), "2 is not between 0 and 2"));
}

TEST(SpaceToDepth, PutsABlockIntoOnePixel) {
  const Tensor x = Numbers({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Attrs attrs = {{"block_size", int64_t{2}}};
  const Tensor y = OutputOf("SpaceToDepth", {x}, attrs);
  EXPECT_TRUE(AllClose(y, Numbers({1, 1, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8})));
  EXPECT_TRUE(AllClose(OutputOf("DepthToSpace", {y}, attrs), x));
  EXPECT_TRUE(Says(ErrorOf("SpaceToDepth", {Counting({1, 3, 4, 1})}, attrs),
                   "size 3 of axis 1 is not a multiple of 2"));
}

TEST(SpaceToDepth, IsTheSameWithChannelsFirst) {
  const Tensor x = Counting({2, 6, 4, 3});
  const Attrs last = {{"block_size", int64_t{2}}};
  const Attrs first = {{"block_size", int64_t{2}}, {"data_format", std::string("NCHW")}};
  const Tensor turned = OutputOf("Transpose", {x, Ints({0, 3, 1, 2})});
  const Tensor y = OutputOf("SpaceToDepth", {turned}, first);
  EXPECT_TRUE(AllClose(OutputOf("Transpose", {y, Ints({0, 2, 3, 1})}),
                       OutputOf("SpaceToDepth", {x}, last)));
  EXPECT_TRUE(AllClose(OutputOf("DepthToSpace", {y}, first), turned));
}

}  // namespace
}  // namespace minitf::testing
