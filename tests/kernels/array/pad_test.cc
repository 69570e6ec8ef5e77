// Pad, PadV2, MirrorPad, MirrorPadGrad.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

Tensor Paddings(const std::vector<int32_t>& values) {
  return Tensor::Of({static_cast<int64_t>(values.size()) / 2, 2}, values);
}

TEST(Pad, PutsZerosAround) {
  EXPECT_TRUE(AllClose(OutputOf("Pad", {Numbers({2, 1}, {7, 8}), Paddings({1, 0, 0, 2})}),
                       Numbers({3, 3}, {0, 0, 0, 7, 0, 0, 8, 0, 0})));
  EXPECT_TRUE(AllClose(
      OutputOf("PadV2", {Numbers({1}, {7}), Paddings({1, 1}), Tensor::Scalar(5.0)}),
      Numbers({3}, {5, 7, 5})));
  EXPECT_TRUE(
      AllClose(OutputOf("Pad", {Counting({0}), Paddings({1, 1})}), Numbers({2}, {0, 0})));
  EXPECT_EQ(OutputOf("Pad", {Tensor::Scalar(2.0), Tensor(DType::kInt32, {0, 2})})
                .scalar<double>(),
            2);
  EXPECT_EQ(
      Strings(OutputOf("Pad", {Tensor::Of<std::string>({1}, {"a"}), Paddings({1, 0})})),
      (std::vector<std::string>{"", "a"}));
}

TEST(Pad, RefusesPaddingsThatDoNotFit) {
  EXPECT_TRUE(Says(ErrorOf("Pad", {Counting({2}), Paddings({-1, 0})}),
                   "Paddings must be non-negative: -1 0"));
  EXPECT_TRUE(
      Says(ErrorOf("Pad", {Counting({2}), Paddings({0, 0, 0, 0})}),
           "The first dimension of paddings must be the rank of inputs[2,2] [2]"));
  EXPECT_NE(ErrorOf("Pad", {Counting({2}), Ints({1, 1})}), "");
  EXPECT_NE(ErrorOf("Pad",
                    {Counting({2}), Tensor::Of<int64_t>({1, 2}, {INT64_MAX, INT64_MAX})}),
            "");
}

Attrs Mode(const char* mode) { return {{"mode", std::string(mode)}}; }

TEST(MirrorPad, ReflectsWithOrWithoutTheBorder) {
  const Tensor x = Numbers({3}, {1, 2, 3});
  EXPECT_TRUE(AllClose(OutputOf("MirrorPad", {x, Paddings({2, 1})}, Mode("REFLECT")),
                       Numbers({6}, {3, 2, 1, 2, 3, 2})));
  EXPECT_TRUE(AllClose(OutputOf("MirrorPad", {x, Paddings({2, 3})}, Mode("SYMMETRIC")),
                       Numbers({8}, {2, 1, 1, 2, 3, 3, 2, 1})));
  EXPECT_TRUE(AllClose(
      OutputOf("MirrorPad", {Numbers({2, 2}, {1, 2, 3, 4}), Paddings({1, 0, 0, 1})},
               Mode("REFLECT")),
      Numbers({3, 3}, {3, 4, 3, 1, 2, 1, 3, 4, 3})));
}

TEST(MirrorPad, HasNoMoreToMirrorThanThereIs) {
  const Tensor x = Numbers({3}, {1, 2, 3});
  EXPECT_TRUE(Says(ErrorOf("MirrorPad", {x, Paddings({3, 0})}, Mode("REFLECT")),
                   "paddings must be no greater than the dimension size minus one: 3, 0 "
                   "greater than 2"));
  EXPECT_TRUE(Says(ErrorOf("MirrorPad", {x, Paddings({0, 4})}, Mode("SYMMETRIC")),
                   "paddings must be no greater than the dimension size: 0, 4 greater "
                   "than 3"));
  EXPECT_NE(ErrorOf("MirrorPad", {Counting({0}), Paddings({1, 0})}, Mode("SYMMETRIC")),
            "");
}

TEST(MirrorPadGrad, AddsEveryCopyToItsOrigin) {
  // [3 2 | 1 2 3 | 2] with gradient 1, 10, 100, ...
  const Tensor dy = Numbers({6}, {1, 10, 100, 1000, 10000, 100000});
  EXPECT_TRUE(AllClose(OutputOf("MirrorPadGrad", {dy, Paddings({2, 1})}, Mode("REFLECT")),
                       Numbers({3}, {100, 101010, 10001})));
}

// Place `at` of an axis that is padded in front by `before`: where it is in an axis of
// `size`, or of which place there it is the mirror image.
int64_t Mirrored(int64_t at, int64_t before, int64_t size, int64_t gap) {
  at -= before;
  if (at < 0) return -at - 1 + gap;
  return at < size ? at : 2 * size - 1 - gap - at;
}

// An oracle that goes through all indices: corners are mirrored along each axis.
TEST(MirrorPad, MirrorsCornersAlongAllAxes) {
  const Tensor x = Counting({3, 2, 4}, 1);
  const Tensor paddings = Paddings({1, 2, 1, 0, 2, 3});
  for (const int64_t gap : {0, 1}) {
    const Attrs mode = Mode(gap == 1 ? "REFLECT" : "SYMMETRIC");
    std::vector<double> expected;
    std::vector<double> gradient(24, 0.0);
    for (int64_t i = 0; i < 6; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        for (int64_t k = 0; k < 9; ++k) {
          const int64_t place = Mirrored(i, 1, 3, gap) * 8 + Mirrored(j, 1, 2, gap) * 4 +
                                Mirrored(k, 2, 4, gap);
          gradient[place] += static_cast<double>(expected.size());
          expected.push_back(x.flat<double>()[place]);
        }
      }
    }
    EXPECT_TRUE(AllClose(OutputOf("MirrorPad", {x, paddings}, mode),
                         Numbers({6, 3, 9}, expected)));
    const Tensor dy = Counting({6, 3, 9});
    EXPECT_TRUE(AllClose(OutputOf("MirrorPadGrad", {dy, paddings}, mode),
                         Numbers({3, 2, 4}, gradient)));
  }
}

TEST(Pad, PutsTheMiddleWhereItBelongsInAllAxes) {
  const Tensor x = Counting({2, 3, 2}, 1);
  std::vector<double> expected(4 * 3 * 5, 9.0);
  for (int64_t i = 0; i < 12; ++i) {
    expected[(i / 6 + 1) * 15 + i / 2 % 3 * 5 + i % 2 + 3] = x.flat<double>()[i];
  }
  EXPECT_TRUE(
      AllClose(OutputOf("PadV2", {x, Paddings({1, 1, 0, 0, 3, 0}), Tensor::Scalar(9.0)}),
               Numbers({4, 3, 5}, expected)));
}

}  // namespace
}  // namespace minitf::testing
