// MatMul: numbers worked out by hand, then the tier "naive" against an independent sum,
// then the fast tier against the naive one, then inputs that make no sense.
//
// Gradient tests cannot replace the numbers: a kernel that returns zeros has the gradient
// zero, and finite differences agree.

#include <complex>
#include <string>
#include <tuple>

#include "gtest/gtest.h"
#include "minitf/eager/dispatch.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b,
              const std::string& tier = "") {
  return RunOp(
      "MatMul", {a, b},
      {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}, {"_kernel", tier}})[0];
}

TEST(MatMul, RowTimesColumnIsTheirInnerProduct) {
  const Tensor row = Numbers({1, 2}, {3, 3});
  const Tensor column = Numbers({2, 1}, {2, 2});
  EXPECT_TRUE(AllClose(MatMul(row, column, false, false), Numbers({1, 1}, {12})));
}

TEST(MatMul, TransposesBeforeMultiplying) {
  const Tensor a = Numbers({2, 2}, {1, 2, 3, 4});
  const Tensor b = Numbers({2, 2}, {5, 6, 7, 8});
  for (const std::string tier : {"", "naive", "reordered", "tiled", "eigen", "packed"}) {
    EXPECT_TRUE(
        AllClose(MatMul(a, b, false, false, tier), Numbers({2, 2}, {19, 22, 43, 50})));
    EXPECT_TRUE(
        AllClose(MatMul(a, b, false, true, tier), Numbers({2, 2}, {17, 23, 39, 53})));
    EXPECT_TRUE(
        AllClose(MatMul(a, b, true, false, tier), Numbers({2, 2}, {26, 30, 38, 44})));
    EXPECT_TRUE(
        AllClose(MatMul(a, b, true, true, tier), Numbers({2, 2}, {23, 31, 34, 46})));
  }
}

TEST(MatMul, NoInnerElementsGiveZeros) {
  const Tensor zeros = MatMul(RandomTensor({2, 0}), RandomTensor({0, 3}), false, false);
  EXPECT_TRUE(AllClose(zeros, Numbers({2, 3}, {0, 0, 0, 0, 0, 0})));
  EXPECT_EQ(MatMul(RandomTensor({0, 3}), RandomTensor({3, 2}), false, false).shape(),
            (Shape{0, 2}));
}

TEST(MatMul, MultipliesComplexNumbersWithoutConjugating) {
  const Tensor i = Tensor::Of<complex64>({1, 1}, {{0, 1}});
  EXPECT_EQ(MatMul(i, i, true, true).scalar<complex64>(), complex64(-1, 0));
}

TEST(MatMul, MultipliesIntegersExactly) {
  const int64_t large = (int64_t{1} << 40) + 1;
  const Tensor a = Tensor::Of<int64_t>({1, 2}, {large, 3});
  const Tensor b = Tensor::Of<int64_t>({2, 1}, {3, -1});
  EXPECT_EQ(MatMul(a, b, false, false).scalar<int64_t>(), 3 * large - 3);
}

// Both tiers, on sizes that take every way through the fast one.
class MatMulTiers : public ::testing::TestWithParam<std::tuple<Shape, bool, bool>> {};

TEST_P(MatMulTiers, Agree) {
  const auto& [mkn, transpose_a, transpose_b] = GetParam();
  const int64_t m = mkn.dim(0), k = mkn.dim(1), n = mkn.dim(2);
  const Tensor a = RandomTensor(transpose_a ? Shape{k, m} : Shape{m, k}, 1);
  const Tensor b = RandomTensor(transpose_b ? Shape{n, k} : Shape{k, n}, 2);
  EXPECT_TRUE(AllClose(MatMul(a, b, transpose_a, transpose_b),
                       MatMul(a, b, transpose_a, transpose_b, "naive"), 1e-12));
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, MatMulTiers,
    ::testing::Combine(::testing::Values(Shape{1, 512, 7}, Shape{70, 300, 1},
                                         Shape{64, 65, 66}, Shape{3, 1000, 50},
                                         Shape{200, 1, 400}, Shape{5, 6, 7}),
                       ::testing::Bool(), ::testing::Bool()));

TEST(MatMul, GivesTheSameBitsEveryTime) {
  const Tensor a = RandomTensor({100, 3136}, 1);
  const Tensor b = RandomTensor({3136, 64}, 2);
  const Tensor first = MatMul(a, b, false, false);
  for (int run = 0; run < 5; ++run) {
    EXPECT_TRUE(AllClose(MatMul(a, b, false, false), first, 0));
  }
}

std::string MessageOf(const Tensor& a, const Tensor& b) {
  try {
    MatMul(a, b, false, false);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(MatMul, SaysWhichShapesDoNotFit) {
  EXPECT_EQ(MessageOf(RandomTensor({2, 3}), RandomTensor({4, 5})),
            "MatMul: Matrix size-incompatible: a is [2,3], b is [4,5]");
  EXPECT_EQ(MessageOf(RandomTensor({2}), RandomTensor({2, 5})),
            "MatMul: a must have rank 2, its shape is [2]");
}

}  // namespace
}  // namespace minitf::testing
