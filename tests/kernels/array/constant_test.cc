// Const, Placeholder, Fill, ZerosLike, OnesLike, Range, LinSpace, OneHot.

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(Const, IsItsAttribute) {
  const Tensor value = Numbers({2}, {3, 4});
  const Tensor y = OutputOf("Const", {}, {{"value", value}, {"dtype", DType::kFloat64}});
  EXPECT_TRUE(y.SharesBufferWith(value));
  EXPECT_TRUE(Says(ErrorOf("Const", {}, {{"value", value}, {"dtype", DType::kInt32}}),
                   "value is float64, dtype is int32"));
}

TEST(Placeholder, MustBeFed) {
  EXPECT_TRUE(Says(ErrorOf("Placeholder", {},
                           {{"dtype", DType::kFloat32}, {"shape", PartialShape{-1, 10}}}),
                   "You must feed a value for placeholder tensor"));
  EXPECT_TRUE(Says(ErrorOf("Placeholder", {},
                           {{"dtype", DType::kFloat32}, {"shape", PartialShape{-1, 10}}}),
                   "with dtype float and shape [?,10]"));
}

TEST(Fill, RepeatsOneElement) {
  EXPECT_TRUE(AllClose(OutputOf("Fill", {Ints({2, 3}), Tensor::Scalar(7.0)}),
                       Numbers({2, 3}, {7, 7, 7, 7, 7, 7})));
  EXPECT_EQ(Strings(OutputOf("Fill", {Ints({2}), Tensor::Scalar<std::string>("ab")})),
            (std::vector<std::string>{"ab", "ab"}));
  EXPECT_EQ(OutputOf("Fill", {Ints({}), Tensor::Scalar(7.0)}).shape(), Shape());
  EXPECT_EQ(OutputOf("Fill", {Ints({0, 4}), Tensor::Scalar(7.0)}).num_elements(), 0);
  EXPECT_NE(ErrorOf("Fill", {Ints({-2}), Tensor::Scalar(7.0)}), "");
  EXPECT_NE(ErrorOf("Fill", {Ints({2}), Numbers({1}, {7})}), "");
}

TEST(ZerosLike, WorksForEveryDType) {
  EXPECT_TRUE(
      AllClose(OutputOf("ZerosLike", {Numbers({2}, {3, 4})}), Numbers({2}, {0, 0})));
  EXPECT_EQ(Strings(OutputOf("ZerosLike", {Tensor::Of<std::string>({1}, {"x"})}))[0], "");
}

TEST(ZerosLike, LeavesItsInputAlone) {
  const Tensor x = Numbers({2}, {3, 4});
  OutputOf("ZerosLike", {x});
  EXPECT_TRUE(AllClose(x, Numbers({2}, {3, 4})));
}

TEST(OnesLike, WorksForHalfAndComplex) {
  const Tensor half = OutputOf("OnesLike", {Tensor(DType::kFloat16, {1})});
  uint16_t bits = 0;
  std::memcpy(&bits, half.data(), 2);
  EXPECT_EQ(bits, 0x3c00);
  const Tensor complex = OutputOf("OnesLike", {Tensor(DType::kComplex64, {2})});
  EXPECT_EQ(complex.flat<complex64>()[1], complex64(1, 0));
  EXPECT_TRUE(OutputOf("OnesLike", {Tensor::Scalar(false)}).scalar<bool>());
}

Tensor Range(double start, double limit, double delta) {
  return OutputOf("Range",
                  {Tensor::Scalar(start), Tensor::Scalar(limit), Tensor::Scalar(delta)});
}

Tensor IntRange(int32_t start, int32_t limit, int32_t delta) {
  return OutputOf("Range",
                  {Tensor::Scalar(start), Tensor::Scalar(limit), Tensor::Scalar(delta)});
}

TEST(Range, StopsBeforeTheLimit) {
  EXPECT_TRUE(AllClose(IntRange(3, 18, 3), Ints({3, 6, 9, 12, 15})));
  EXPECT_TRUE(AllClose(IntRange(3, 1, -1), Ints({3, 2})));
  EXPECT_EQ(IntRange(5, 5, 1).num_elements(), 0);
  EXPECT_TRUE(AllClose(Range(0, 1, 0.25), Numbers({4}, {0, 0.25, 0.5, 0.75})));
  EXPECT_EQ(Range(0, 1, 0.1).num_elements(), 10);
}

TEST(Range, RefusesAStepThatLeadsNowhere) {
  const auto error = [](double start, double limit, double delta) {
    return ErrorOf("Range",
                   {Tensor::Scalar(start), Tensor::Scalar(limit), Tensor::Scalar(delta)});
  };
  EXPECT_TRUE(Says(error(0, 5, 0), "Requires delta != 0"));
  EXPECT_TRUE(Says(error(5, 3, 1), "Requires start <= limit when delta > 0: 5/3"));
  EXPECT_TRUE(Says(error(3, 5, -1), "Requires start >= limit when delta < 0: 3/5"));
  EXPECT_NE(error(0, 1, NAN), "");
  EXPECT_NE(error(0, INFINITY, 1), "");
}

TEST(Range, CountsAcrossTheWholeOfInt64) {
  const auto lowest = std::numeric_limits<int64_t>::min();
  const auto highest = std::numeric_limits<int64_t>::max();
  const Tensor y = OutputOf("Range", {Tensor::Scalar(lowest), Tensor::Scalar(highest),
                                      Tensor::Scalar(highest)});
  EXPECT_EQ(y.num_elements(), 3);
  EXPECT_EQ(y.flat<int64_t>()[2], highest - 1);
}

TEST(LinSpace, IncludesBothEnds) {
  const auto line = [](double start, double stop, int32_t num) {
    return OutputOf("LinSpace",
                    {Tensor::Scalar(start), Tensor::Scalar(stop), Tensor::Scalar(num)});
  };
  EXPECT_TRUE(AllClose(line(10, 12, 3), Numbers({3}, {10, 11, 12})));
  EXPECT_TRUE(AllClose(line(5, 9, 1), Numbers({1}, {5})));
  EXPECT_TRUE(Says(
      ErrorOf("LinSpace", {Tensor::Scalar(1.0), Tensor::Scalar(2.0), Tensor::Scalar(0)}),
      "Requires num > 0: 0"));
}

Tensor OneHot(const Tensor& indices, int32_t depth, int64_t axis) {
  return OutputOf(
      "OneHot",
      {indices, Tensor::Scalar(depth), Tensor::Scalar(5.0), Tensor::Scalar(2.0)},
      {{"axis", axis}});
}

TEST(OneHot, PutsTheNewAxisWhereItIsToldTo) {
  const Tensor indices = Ints({0, 2, -1});
  EXPECT_TRUE(
      AllClose(OneHot(indices, 3, -1), Numbers({3, 3}, {5, 2, 2, 2, 2, 5, 2, 2, 2})));
  EXPECT_TRUE(
      AllClose(OneHot(indices, 3, 0), Numbers({3, 3}, {5, 2, 2, 2, 2, 2, 2, 5, 2})));
  EXPECT_TRUE(AllClose(OneHot(Tensor::Scalar(1), 2, -1), Numbers({2}, {2, 5})));
  EXPECT_EQ(OneHot(indices, 0, -1).shape(), (Shape{3, 0}));
  // In the middle: indices [2,1], output [2,2,1].
  EXPECT_TRUE(AllClose(OneHot(Tensor::Of<int32_t>({2, 1}, {1, 0}), 2, 1),
                       Numbers({2, 2, 1}, {2, 5, 5, 2})));
}

TEST(OneHot, RefusesANegativeDepth) {
  EXPECT_TRUE(Says(ErrorOf("OneHot", {Ints({0}), Tensor::Scalar(-1), Tensor::Scalar(1.0),
                                      Tensor::Scalar(0.0)}),
                   "depth must be non-negative, got: -1"));
  EXPECT_NE(
      ErrorOf("OneHot",
              {Ints({0}), Tensor::Scalar(1), Tensor::Scalar(1.0), Tensor::Scalar(0.0)},
              {{"axis", int64_t{2}}}),
      "");
}

}  // namespace
}  // namespace minitf::testing
