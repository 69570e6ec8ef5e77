// Slice, StridedSlice, StridedSliceGrad, Reverse, ReverseV2, ReverseSequence.

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

TEST(Slice, TakesAPart) {
  const Tensor x = Numbers({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(AllClose(OutputOf("Slice", {x, Ints({1, 0}), Ints({-1, 2})}),
                       Numbers({2, 2}, {4, 5, 7, 8})));
  EXPECT_EQ(OutputOf("Slice", {x, Ints({3, 0}), Ints({0, 3})}).shape(), (Shape{0, 3}));
  EXPECT_EQ(OutputOf("Slice", {Tensor::Scalar(5.0), Ints({}), Ints({})}).scalar<double>(),
            5);
}

TEST(Slice, SharesWholeRows) {
  const Tensor x = Counting({4, 3});
  EXPECT_TRUE(OutputOf("Slice", {x, Ints({1, 0}), Ints({2, -1})}).SharesBufferWith(x));
  EXPECT_FALSE(OutputOf("Slice", {x, Ints({1, 0}), Ints({2, 2})}).SharesBufferWith(x));
}

TEST(Slice, RefusesWhatIsOutside) {
  const Tensor x = Counting({3, 3});
  EXPECT_TRUE(Says(ErrorOf("Slice", {x, Ints({1, 2}), Ints({1, 2})}),
                   "Expected size[1] in [0, 1], but got 2"));
  EXPECT_TRUE(Says(ErrorOf("Slice", {x, Ints({4, 0}), Ints({0, 0})}),
                   "Expected begin[0] in [0, 3], but got 4"));
  EXPECT_NE(ErrorOf("Slice", {x, Ints({-1, 0}), Ints({1, 1})}), "");
  EXPECT_NE(ErrorOf("Slice", {x, Ints({0, 0}), Ints({-2, 1})}), "");
  EXPECT_NE(ErrorOf("Slice", {x, Ints({0}), Ints({1})}), "");
}

// What stands between brackets, and the masks that say so.
struct Items {
  std::vector<int32_t> begin;
  std::vector<int32_t> end;
  std::vector<int32_t> strides;
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;

  Attrs attrs() const {
    return {{"begin_mask", begin_mask},
            {"end_mask", end_mask},
            {"ellipsis_mask", ellipsis_mask},
            {"new_axis_mask", new_axis_mask},
            {"shrink_axis_mask", shrink_axis_mask}};
  }
};

Tensor StridedSlice(const Tensor& x, const Items& items) {
  return OutputOf("StridedSlice",
                  {x, Ints(items.begin), Ints(items.end), Ints(items.strides)},
                  items.attrs());
}

std::string SliceError(const Tensor& x, const Items& items) {
  return ErrorOf("StridedSlice",
                 {x, Ints(items.begin), Ints(items.end), Ints(items.strides)},
                 items.attrs());
}

TEST(StridedSlice, TakesStepsForwardsAndBackwards) {
  const Tensor x = Counting({6});
  EXPECT_TRUE(AllClose(StridedSlice(x, {{1}, {5}, {2}}), Numbers({2}, {1, 3})));
  EXPECT_TRUE(AllClose(StridedSlice(x, {{-2}, {100}, {1}}), Numbers({2}, {4, 5})));
  EXPECT_TRUE(AllClose(StridedSlice(x, {{4}, {0}, {-2}}), Numbers({2}, {4, 2})));
  // x[::-1]
  EXPECT_TRUE(AllClose(StridedSlice(x, {{0}, {0}, {-1}, 1, 1}),
                       Numbers({6}, {5, 4, 3, 2, 1, 0})));
  EXPECT_EQ(StridedSlice(x, {{4}, {2}, {1}}).num_elements(), 0);
  EXPECT_EQ(StridedSlice(x, {{100}, {200}, {1}}).num_elements(), 0);
  // A step that would leave int64, taken once.
  EXPECT_TRUE(
      AllClose(StridedSlice(x, {{5}, {-100}, {-2147483647 - 1}}), Numbers({1}, {5})));
}

TEST(StridedSlice, TakesOneIndex) {
  const Tensor x = Counting({2, 3});
  Items last_row{{-1}, {0}, {1}};
  last_row.shrink_axis_mask = 1;
  EXPECT_TRUE(AllClose(StridedSlice(x, last_row), Numbers({3}, {3, 4, 5})));
  Items element{{1, 2}, {2, 3}, {1, 1}};
  element.shrink_axis_mask = 3;
  EXPECT_EQ(StridedSlice(x, element).shape(), Shape());
  EXPECT_EQ(StridedSlice(x, element).scalar<double>(), 5);
  element.begin = {2, 0};
  EXPECT_TRUE(Says(SliceError(x, element), "slice index 2 of dimension 0 out of bounds"));
  element.begin = {-3, 0};
  EXPECT_TRUE(Says(SliceError(x, element), "slice index -3 of dimension 0"));
}

TEST(StridedSlice, TakesAnEllipsisAndNewAxes) {
  const Tensor x = Counting({2, 3, 4});
  // x[..., 1:3]
  Items items{{0, 1}, {0, 3}, {1, 1}};
  items.ellipsis_mask = 1;
  EXPECT_EQ(StridedSlice(x, items).shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(StridedSlice(x, items).flat<double>()[2], 5);
  // x[1, ..., tf.newaxis, 0]
  Items mixed{{1, 0, 0, 0}, {2, 0, 0, 1}, {1, 1, 1, 1}};
  mixed.ellipsis_mask = 2;
  mixed.new_axis_mask = 4;
  mixed.shrink_axis_mask = 9;
  EXPECT_TRUE(AllClose(StridedSlice(x, mixed), Numbers({3, 1}, {12, 16, 20})));
  // x[tf.newaxis]
  Items added{{0}, {0}, {1}};
  added.new_axis_mask = 1;
  EXPECT_EQ(StridedSlice(x, added).shape(), (Shape{1, 2, 3, 4}));
  // x[...] of a scalar
  Items all{{0}, {0}, {1}};
  all.ellipsis_mask = 1;
  EXPECT_EQ(StridedSlice(Tensor::Scalar(3.0), all).scalar<double>(), 3);
}

TEST(StridedSlice, RefusesWhatMakesNoSense) {
  const Tensor x = Counting({2, 3});
  EXPECT_TRUE(Says(SliceError(x, {{0}, {1}, {0}}), "strides[0] must be non-zero"));
  EXPECT_TRUE(Says(SliceError(x, {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}}),
                   "Index out of range using input dim 2; input has only 2 dims"));
  Items ellipses{{0, 0}, {0, 0}, {1, 1}};
  ellipses.ellipsis_mask = 3;
  EXPECT_TRUE(
      Says(SliceError(x, ellipses), "Multiple ellipses in slice spec not allowed"));
  Items backwards{{0}, {1}, {-1}};
  backwards.shrink_axis_mask = 1;
  EXPECT_TRUE(
      Says(SliceError(x, backwards), "only stride 1 allowed on non-range indexing."));
  EXPECT_NE(SliceError(x, {{0}, {1, 2}, {1}}), "");
}

// x[begin:end:stride], as Python counts it.
std::vector<double> SlicedByFormula(int size, int begin, int end, int stride) {
  std::vector<double> result;
  const auto bound = [&](int i) {
    if (i < 0) i += size;
    return stride > 0 ? std::clamp(i, 0, size) : std::clamp(i, -1, size - 1);
  };
  const int last = bound(end);
  for (int i = bound(begin); stride > 0 ? i < last : i > last; i += stride) {
    result.push_back(i);
  }
  return result;
}

TEST(StridedSlice, AgreesWithPythonForAllSmallBounds) {
  for (const int size : {0, 1, 4}) {
    const Tensor x = Counting({size});
    for (int begin = -6; begin <= 6; ++begin) {
      for (int end = -6; end <= 6; ++end) {
        for (const int stride : {-3, -1, 1, 2, 5}) {
          const auto expected = SlicedByFormula(size, begin, end, stride);
          ASSERT_EQ(AsDoubles(StridedSlice(x, {{begin}, {end}, {stride}})), expected)
              << size << ": " << begin << ':' << end << ':' << stride;
        }
      }
    }
  }
}

TEST(StridedSliceGrad, PutsElementsBack) {
  const Tensor dy = Numbers({2}, {7, 8});
  EXPECT_TRUE(AllClose(
      OutputOf("StridedSliceGrad", {Ints({5}), Ints({3}), Ints({-6}), Ints({-2}), dy}),
      Numbers({5}, {0, 8, 0, 7, 0})));
  EXPECT_TRUE(
      Says(ErrorOf("StridedSliceGrad", {Ints({5}), Ints({0}), Ints({1}), Ints({1}), dy}),
           "shape of dy was [2] instead of [1]"));
}

TEST(Reverse, TurnsAxesAround) {
  const Tensor x = Counting({2, 3});
  EXPECT_TRUE(AllClose(OutputOf("ReverseV2", {x, Ints({1})}),
                       Numbers({2, 3}, {2, 1, 0, 5, 4, 3})));
  EXPECT_TRUE(AllClose(OutputOf("ReverseV2", {x, Ints({0, -1})}),
                       Numbers({2, 3}, {5, 4, 3, 2, 1, 0})));
  EXPECT_TRUE(AllClose(OutputOf("ReverseV2", {x, Ints({})}), x));
  EXPECT_TRUE(AllClose(OutputOf("Reverse", {x, Tensor::Of<bool>({2}, {true, false})}),
                       Numbers({2, 3}, {3, 4, 5, 0, 1, 2})));
  EXPECT_EQ(OutputOf("ReverseV2", {Counting({0, 2}), Ints({0})}).shape(), (Shape{0, 2}));
  EXPECT_TRUE(
      Says(ErrorOf("ReverseV2", {x, Ints({1, -1})}), "axis 1 specified more than once."));
  EXPECT_NE(ErrorOf("ReverseV2", {x, Ints({2})}), "");
}

TEST(ReverseSequence, TurnsTheBeginningOfEachSequence) {
  const Tensor x = Counting({2, 4});
  const Attrs attrs = {{"seq_dim", int64_t{1}}};
  EXPECT_TRUE(AllClose(OutputOf("ReverseSequence", {x, Ints({3, 0})}, attrs),
                       Numbers({2, 4}, {2, 1, 0, 3, 4, 5, 6, 7})));
  EXPECT_TRUE(AllClose(OutputOf("ReverseSequence", {x, Ints({1, 2, 2, 0})},
                                {{"seq_dim", int64_t{0}}, {"batch_dim", int64_t{1}}}),
                       Numbers({2, 4}, {0, 5, 6, 3, 4, 1, 2, 7})));
  EXPECT_NE(ErrorOf("ReverseSequence", {x, Ints({5, 0})}, attrs), "");
  EXPECT_NE(ErrorOf("ReverseSequence", {x, Ints({1})}, attrs), "");
}

}  // namespace
}  // namespace minitf::testing
