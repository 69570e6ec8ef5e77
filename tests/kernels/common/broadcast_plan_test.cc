// BroadcastPlan: where the inputs stand for each element of the result, and which axes
// are one. The oracle walks through all indices and knows nothing of merged axes.

#include "kernels/cpu/common/broadcast_plan.h"

#include <random>

#include "gtest/gtest.h"
#include "minitf/tensor/tensor_view.h"
#include "tests/testing.h"

namespace minitf {
namespace {

// Where element `index` of `output` lies in a tensor of `shape` that broadcasts to it.
int64_t OffsetIn(const Shape& shape, const Shape& output,
                 const std::vector<int64_t>& index) {
  int64_t offset = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t size = shape.dim(axis);
    const int64_t at = index[output.rank() - shape.rank() + axis];
    offset = offset * size + (size == 1 ? 0 : at);
  }
  return offset;
}

std::vector<int64_t> IndexOf(int64_t element, const Shape& shape) {
  std::vector<int64_t> index(shape.rank());
  for (int axis = shape.rank(); axis-- > 0; element /= shape.dim(axis)) {
    index[axis] = element % shape.dim(axis);
  }
  return index;
}

void ExpectOffsets(const Shape& output, const Shape& x, const Shape& y) {
  SCOPED_TRACE(::testing::Message() << x << " and " << y << " to " << output);
  const std::array<const Shape*, 2> inputs = {&x, &y};
  const BroadcastPlan plan(output, inputs);
  int64_t next = 0;
  const auto expect_row = [&](const auto& offsets, int64_t begin, int64_t count) {
    ASSERT_EQ(begin, next);
    for (; next < begin + count; ++next) {
      const auto index = IndexOf(next, output);
      const int64_t step = next - begin;
      EXPECT_EQ(offsets[0] + step * plan.row().strides[0], OffsetIn(x, output, index));
      EXPECT_EQ(offsets[1] + step * plan.row().strides[1], OffsetIn(y, output, index));
    }
  };
  // In two pieces, as two threads would.
  const int64_t middle = output.num_elements() / 3;
  plan.ForEachRow(0, middle, expect_row);
  plan.ForEachRow(middle, output.num_elements(), expect_row);
  EXPECT_EQ(next, output.num_elements());
}

TEST(BroadcastPlan, MergesAxesAlongWhichAllInputsMoveOn) {
  const Shape output{8, 5, 5, 32}, bias{32};
  const std::array<const Shape*, 2> inputs = {&output, &bias};
  const BroadcastPlan plan(output, inputs);
  ASSERT_EQ(plan.axes().size(), 2U);
  EXPECT_EQ(plan.axes()[0].size, 200);
  EXPECT_EQ(plan.axes()[0].strides, (BroadcastPlan::Offsets{32, 0, 0}));
  EXPECT_EQ(plan.row().size, 32);
  EXPECT_EQ(plan.row().strides, (BroadcastPlan::Offsets{1, 1, 0}));
}

TEST(BroadcastPlan, OfOneElementHasOneAxisThatStandsStill) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1, 1}}) {
    const std::array<const Shape*, 1> inputs = {&shape};
    const BroadcastPlan plan(shape, inputs);
    ASSERT_EQ(plan.axes().size(), 1U);
    EXPECT_EQ(plan.row().size, 1);
    EXPECT_EQ(plan.row().strides, BroadcastPlan::Offsets{});
  }
}

TEST(BroadcastPlan, RefusesShapesThatDoNotBroadcast) {
  const Shape output{2, 3}, two{2}, long_one{1, 2, 3};
  for (const Shape* input : {&two, &long_one}) {
    const std::array<const Shape*, 1> inputs = {input};
    EXPECT_THROW(BroadcastPlan(output, inputs), Error);
  }
}

TEST(BroadcastPlan, FollowsTheOracle) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::vector<int64_t> sizes(random() % 6);
    for (int64_t& size : sizes) size = random() % 4 + (random() % 20 != 0 ? 1 : 0);
    const auto stretched = [&] {
      std::vector<int64_t> input(sizes.begin() + random() % (sizes.size() + 1),
                                 sizes.end());
      for (int64_t& size : input) size = random() % 3 == 0 ? 1 : size;
      return Shape(input);
    };
    const Shape x = stretched(), y = stretched();
    ExpectOffsets(Shape(sizes), x, y);
  }
}

TEST(ExpandedStrides, AreThoseOfAnExpandedLayout) {
  const Shape output{2, 5, 3, 4, 6};
  for (const Shape& shape : {Shape{}, Shape{6}, Shape{4, 1}, Shape{3, 1, 6},
                             Shape{1, 1, 1, 1, 1}, Shape{2, 1, 3, 4, 6}}) {
    std::array<int64_t, 5> strides{};
    ExpandedStrides(shape, output, strides.data());
    const StridedLayout layout = StridedLayout(shape).Expand(output);
    EXPECT_TRUE(std::ranges::equal(strides, layout.strides())) << shape;
  }
}

}  // namespace
}  // namespace minitf
