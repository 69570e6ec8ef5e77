// Identity and its kin, Shape, Size, Rank, CheckNumerics.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(Identity, SharesTheElements) {
  const Tensor x = Numbers({2}, {1, 2});
  for (const char* op : {"Identity", "Snapshot", "StopGradient", "PreventGradient"}) {
    EXPECT_TRUE(OutputOf(op, {x}).SharesBufferWith(x)) << op;
  }
  const auto both = RunOp("IdentityN", {x, Ints({5})});
  EXPECT_TRUE(both[0].SharesBufferWith(x));
  EXPECT_TRUE(AllClose(both[1], Ints({5})));
}

TEST(Shape, TellsSizesOfEveryRank) {
  EXPECT_TRUE(AllClose(OutputOf("Shape", {Counting({2, 0, 3})}), Ints({2, 0, 3})));
  EXPECT_EQ(OutputOf("Shape", {Tensor::Scalar(1.0)}).shape(), (Shape{0}));
  EXPECT_EQ(OutputOf("Shape", {Counting({2})}, {{"out_type", DType::kInt64}}).dtype(),
            DType::kInt64);
  const auto shapes = RunOp("ShapeN", {Counting({2}), Counting({3, 4})});
  EXPECT_TRUE(AllClose(shapes[1], Ints({3, 4})));
  EXPECT_EQ(OutputOf("Size", {Counting({2, 3})}).scalar<int32_t>(), 6);
  EXPECT_EQ(OutputOf("Rank", {Counting({2, 3})}).scalar<int32_t>(), 2);
}

TEST(Shape, RefusesASizeThatInt32CannotHold) {
  const Tensor empty(DType::kFloat32, {int64_t{1} << 40, 0});
  EXPECT_TRUE(Says(ErrorOf("Shape", {empty}), "does not fit into int32"));
  EXPECT_EQ(OutputOf("Shape", {empty}, {{"out_type", DType::kInt64}}).flat<int64_t>()[0],
            int64_t{1} << 40);
}

TEST(EnsureShape, FailsWhereTheShapeDoesNotFit) {
  const Attrs attrs = {{"shape", PartialShape{-1, 3}}};
  EXPECT_EQ(OutputOf("EnsureShape", {Counting({2, 3})}, attrs).shape(), (Shape{2, 3}));
  EXPECT_NE(ErrorOf("EnsureShape", {Counting({2, 4})}, attrs), "");
}

TEST(CheckNumerics, TellsInfFromNan) {
  const Attrs attrs = {{"message", std::string("here")}};
  EXPECT_EQ(ErrorOf("CheckNumerics", {Numbers({2}, {1, 2})}, attrs), "");
  EXPECT_TRUE(Says(ErrorOf("CheckNumerics", {Numbers({2}, {1, NAN})}, attrs),
                   "here : Tensor had NaN values"));
  EXPECT_TRUE(Says(ErrorOf("CheckNumerics", {Numbers({2}, {-INFINITY, NAN})}, attrs),
                   "here : Tensor had Inf and NaN values"));
}

TEST(PreventGradient, RefusesToBeDifferentiated) {
  try {
    RegisteredGradient("PreventGradient", {Numbers({1}, {1})},
                       {{"message", std::string("because")}}, Numbers({1}, {1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(Says(error.what(), "Gradient explicitly disabled. Reason: because"));
  }
}

}  // namespace
}  // namespace minitf::testing
