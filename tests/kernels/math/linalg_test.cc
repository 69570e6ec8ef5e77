// Square matrices, diagonals, and blocks of pixels in the batch.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(MatrixInverse, UndoesEachMatrix) {
  EXPECT_TRUE(AllClose(OutputOf("MatrixInverse", {Numbers({2, 2}, {2, 0, 0, 4})}),
                       Numbers({2, 2}, {0.5, 0, 0, 0.25})));
  EXPECT_TRUE(
      AllClose(OutputOf("MatrixInverse", {Numbers({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})}),
               Numbers({2, 2, 2}, {-2, 1, 1.5, -0.5, 0, 1, 1, 0})));
  EXPECT_TRUE(AllClose(
      OutputOf("MatrixInverse", {Numbers({2, 2}, {1, 2, 3, 4})}, {{"adjoint", true}}),
      Numbers({2, 2}, {-2, 1.5, 1, -0.5})));
  EXPECT_EQ(OutputOf("MatrixInverse", {Counting({3, 0, 0})}).shape(), (Shape{3, 0, 0}));
}

TEST(MatrixInverse, SaysWhenThereIsNone) {
  EXPECT_TRUE(Says(ErrorOf("MatrixInverse", {Numbers({2, 2}, {1, 2, 2, 4})}),
                   "Input is not invertible."));
  EXPECT_TRUE(Says(ErrorOf("MatrixInverse", {Counting({2, 3})}),
                   "Input matrix must be square, got shape [2,3]"));
  EXPECT_NE(ErrorOf("MatrixInverse", {Counting({2})}), "");
}

TEST(MatrixDeterminant, IsOneNumberForEachMatrix) {
  EXPECT_NEAR(
      OutputOf("MatrixDeterminant", {Numbers({2, 2}, {1, 2, 3, 4})}).scalar<double>(), -2,
      1e-12);
  EXPECT_TRUE(AllClose(
      OutputOf("MatrixDeterminant", {Numbers({2, 2, 2}, {1, 2, 2, 4, 0, 1, 1, 0})}),
      Numbers({2}, {0, -1})));
  EXPECT_EQ(OutputOf("MatrixDeterminant", {Counting({0, 0})}).scalar<double>(), 1);
}

TEST(Linalg, HasGradients) {
  const Tensor x = Numbers({2, 2, 2}, {3, 1, 0.5, 2, -1, 0.3, 0.2, 2});
  EXPECT_TRUE(GradientAgrees("MatrixInverse", {x}));
  EXPECT_TRUE(GradientAgrees("MatrixInverse", {x}, {{"adjoint", true}}));
  EXPECT_TRUE(GradientAgrees("MatrixDeterminant", {x}));
}

TEST(Diag, PutsAndTakesDiagonals) {
  EXPECT_TRUE(
      AllClose(OutputOf("Diag", {Numbers({2}, {3, 4})}), Numbers({2, 2}, {3, 0, 0, 4})));
  const Tensor x = Counting({2, 3});
  const Tensor wide = OutputOf("Diag", {x});
  EXPECT_EQ(wide.shape(), (Shape{2, 3, 2, 3}));
  EXPECT_TRUE(AllClose(OutputOf("DiagPart", {wide}), x));
  EXPECT_NE(ErrorOf("DiagPart", {Counting({2, 3})}), "");
  EXPECT_NE(ErrorOf("DiagPart", {Counting({2, 2, 2})}), "");
}

TEST(MatrixDiag, WorksOnEachMatrix) {
  const Tensor vectors = Numbers({2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(AllClose(OutputOf("MatrixDiag", {vectors}),
                       Numbers({2, 2, 2}, {1, 0, 0, 2, 3, 0, 0, 4})));
  const Tensor x = Counting({2, 2, 3});
  EXPECT_TRUE(AllClose(OutputOf("MatrixDiagPart", {x}), Numbers({2, 2}, {0, 4, 6, 10})));
  EXPECT_TRUE(AllClose(OutputOf("MatrixSetDiag", {x, Numbers({2, 2}, {-1, -2, -3, -4})}),
                       Numbers({2, 2, 3}, {-1, 1, 2, 3, -2, 5, -3, 7, 8, 9, -4, 11})));
  EXPECT_TRUE(Says(ErrorOf("MatrixSetDiag", {x, Counting({2, 3})}),
                   "diagonal must have shape [2,2], has [2,3]"));
}

TEST(MatrixBandPart, KeepsABand) {
  const Tensor x = Numbers({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto band = [&](int64_t below, int64_t above) {
    return OutputOf("MatrixBandPart", {x, Tensor::Scalar(below), Tensor::Scalar(above)});
  };
  EXPECT_TRUE(AllClose(band(1, 0), Numbers({3, 3}, {1, 0, 0, 4, 5, 0, 0, 8, 9})));
  EXPECT_TRUE(AllClose(band(0, -1), Numbers({3, 3}, {1, 2, 3, 0, 5, 6, 0, 0, 9})));
  EXPECT_TRUE(AllClose(band(-1, -1), x));
  EXPECT_NE(ErrorOf("MatrixBandPart",
                    {x, Tensor::Scalar(int64_t{4}), Tensor::Scalar(int64_t{0})}),
            "");
}

TEST(Diag, HasGradients) {
  const Tensor x = RandomTensor({2, 2, 3});
  EXPECT_TRUE(GradientAgrees("Diag", {RandomTensor({2, 2})}));
  EXPECT_TRUE(GradientAgrees("DiagPart", {RandomTensor({3, 3})}));
  EXPECT_TRUE(GradientAgrees("MatrixDiag", {RandomTensor({2, 3})}));
  EXPECT_TRUE(GradientAgrees("MatrixDiagPart", {x}));
  EXPECT_TRUE(GradientAgrees("MatrixSetDiag", {x, RandomTensor({2, 2}, 2)}));
  EXPECT_TRUE(GradientAgrees(
      "MatrixBandPart", {x, Tensor::Scalar(int64_t{1}), Tensor::Scalar(int64_t{0})}));
}

TEST(SpaceToBatchND, MakesABatchElementOfEachPlaceInABlock) {
  const Tensor x = Numbers({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor paddings = Tensor::Of<int32_t>({2, 2}, {0, 0, 1, 0});
  const Tensor y = OutputOf("SpaceToBatchND", {x, Ints({2, 2}), paddings});
  EXPECT_TRUE(AllClose(y, Numbers({4, 1, 2, 1}, {0, 2, 1, 3, 0, 5, 4, 6})));
  EXPECT_TRUE(AllClose(OutputOf("BatchToSpaceND", {y, Ints({2, 2}), paddings}), x));
  EXPECT_TRUE(GradientAgrees("SpaceToBatchND", {x, Ints({2, 2}), paddings}));
  EXPECT_TRUE(GradientAgrees("BatchToSpaceND", {y, Ints({2, 2}), paddings}));
}

TEST(SpaceToBatchND, RefusesWhatDoesNotDivide) {
  const Tensor none = Tensor::Of<int32_t>({1, 2}, {0, 0});
  EXPECT_NE(ErrorOf("SpaceToBatchND", {Counting({1, 3, 1}), Ints({2}), none}), "");
  EXPECT_NE(ErrorOf("SpaceToBatchND", {Counting({1, 3, 1}), Ints({0}), none}), "");
  EXPECT_NE(ErrorOf("BatchToSpaceND", {Counting({3, 3, 1}), Ints({2}), none}), "");
  EXPECT_NE(ErrorOf("BatchToSpaceND", {Counting({2, 1, 1}), Ints({2}),
                                       Tensor::Of<int32_t>({1, 2}, {2, 1})}),
            "");
}

}  // namespace
}  // namespace minitf::testing
