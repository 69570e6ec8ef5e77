// Assert and Print: which elements they show.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(Assert, ShowsTheFirstElements) {
  const Tensor text = Tensor::Scalar<std::string>("x is");
  EXPECT_TRUE(RunOp("Assert", {Tensor::Scalar(true), text}).empty());
  EXPECT_TRUE(Says(ErrorOf("Assert", {Tensor::Scalar(false), text, Ints({1, 2, 3, 4})}),
                   "assertion failed: [x is] [1 2 3...]"));
  EXPECT_TRUE(Says(ErrorOf("Assert", {Tensor::Scalar(false), Ints({1, 2, 3, 4})},
                           {{"summarize", int64_t{-1}}}),
                   "assertion failed: [1 2 3 4]"));
}

TEST(Print, WritesToTheErrorStreamAndPassesOn) {
  ::testing::internal::CaptureStderr();
  const Attrs attrs = {{"message", std::string("w: ")}, {"first_n", int64_t{2}}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(AllClose(OutputOf("Print", {Numbers({1}, {8}), Ints({1, 2})}, attrs),
                         Numbers({1}, {8})));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "w: [1 2]\nw: [1 2]\n");
}

TEST(Print, PassesTheGradientOnToItsInputAlone) {
  const Tensor x = Numbers({2}, {1, 2});
  const Tensor dy = Numbers({2}, {3, 4});
  const auto dx = RegisteredGradient("Print", {x, x}, {}, dy);
  ASSERT_EQ(dx.size(), 2u);
  EXPECT_TRUE(AllClose(dx[0], dy));
  EXPECT_FALSE(dx[1].has_value());
}

}  // namespace
}  // namespace minitf::testing
