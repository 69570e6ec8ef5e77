// Assert and Print: which elements they show.

#include <complex>

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

// As TensorFlow 2.21 has it.
TEST(Print, HasBracketsForEachAxisAndMarksWhatIsCut) {
  const auto shown = [](const Tensor& tensor, int64_t summarize) {
    const Attrs attrs = {{"summarize", summarize}};
    const std::string error = ErrorOf("Assert", {Tensor::Scalar(false), tensor}, attrs);
    return error.substr(error.find('['));
  };
  const Tensor x = Tensor::Of<int32_t>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(shown(x, -1), "[[1 2][3 4]]");
  EXPECT_EQ(shown(x, 4), "[[1 2][3 4]]");
  EXPECT_EQ(shown(x, 3), "[[1 2][3...]...]");
  EXPECT_EQ(shown(x, 2), "[[1 2]...]");
  EXPECT_EQ(shown(x, 1), "[[1...]...]");
  EXPECT_EQ(shown(x, 0), "[...]");
  EXPECT_EQ(shown(x.Reshaped({4}), 3), "[1 2 3...]");
  EXPECT_EQ(shown(x.Reshaped({2, 1, 2}), 3), "[[[1 2]][[3...]]...]");
  EXPECT_EQ(shown(x.Reshaped({4, 1, 1}), 2), "[[[1]][[2]]...]");
  EXPECT_EQ(shown(Tensor::Scalar(1.5F), 0), "[...]");
  EXPECT_EQ(shown(Tensor(DType::kFloat32, {2, 0}), 3), "[]");
  EXPECT_EQ(shown(Tensor::Of<bool>({2}, {true, false}), 3), "[1 0]");
  EXPECT_EQ(shown(Tensor::Of<uint8_t>({1}, {65}), 3), "[65]");
  EXPECT_EQ(shown(Tensor::Of<std::complex<float>>({2, 1}, {1, 2}), 1), "[?...]");
}

TEST(Print, EscapesStringsAsC) {
  const std::string bytes("a\n\r\t\"'\\\0\x7f\xc3\xa9", 11);
  const Tensor text = Tensor::Of<std::string>({1, 2}, {bytes, ""});
  EXPECT_TRUE(Says(ErrorOf("Assert", {Tensor::Scalar(false), text}),
                   R"([[a\n\r\t\"\'\\\000\177\303\251 ]])"));
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
