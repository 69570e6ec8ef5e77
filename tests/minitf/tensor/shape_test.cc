// Shapes: what they hold, what they refuse, and what is known of them in part.

#include "minitf/tensor/shape.h"

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{2, 3}).num_elements(), 6);
  EXPECT_EQ((Shape{2, 0, 3}).num_elements(), 0);
  EXPECT_EQ((Shape{1, 2, 3, 4, 5, 6}).num_elements(), 720);
  EXPECT_EQ((Shape{1, 2, 3, 4, 5, 6}).dim(5), 6);
}

TEST(Shape, RefusesWhatIsNoShape) {
  EXPECT_EQ(MessageOf([] { (void)Shape({2, -1}); }), "negative size -1 in shape [2,-1]");
  EXPECT_EQ(MessageOf([] {
              (void)Shape({int64_t{1} << 32, int64_t{1} << 31});
            }),
            "shape [4294967296,2147483648] has 2^63 or more elements");
  EXPECT_EQ(MessageOf([] { (void)Shape{2, 3}.dim(2); }), "no axis 2 in shape [2,3]");
}

TEST(Shape, MayBeHugeInOneAxisWhenAnotherIsEmpty) {
  EXPECT_EQ(Shape({int64_t{1} << 62, 4, 0}).num_elements(), 0);
}

TEST(PartialShape, PrintsWhatIsKnown) {
  EXPECT_EQ(StrCat(PartialShape{}), "<unknown>");
  EXPECT_EQ(StrCat(PartialShape{-1, 784}), "[?,784]");
  EXPECT_EQ(StrCat(PartialShape(Shape{})), "[]");
}

TEST(PartialShape, MergesWhatBothKnow) {
  const PartialShape a{-1, 3, -1};
  const PartialShape b{2, -1, -1};
  EXPECT_EQ(a.MergedWith(b), (PartialShape{2, 3, -1}));
  EXPECT_EQ(a.MergedWith({}), a);
  EXPECT_EQ(PartialShape{}.MergedWith(b), b);
  EXPECT_EQ(MessageOf([&] {
              (void)a.MergedWith({2, 4, 5});
            }),
            "shapes [?,3,?] and [2,4,5] differ");
  EXPECT_FALSE(a.IsCompatibleWith({1, 2}));
}

TEST(PartialShape, KnowsItsSizesFromTheEndToo) {
  const PartialShape shape{-1, 3, 5};
  EXPECT_EQ(shape.dim(-1), 5);
  EXPECT_EQ(shape.dim(0), PartialShape::kUnknown);
  EXPECT_EQ(PartialShape{}.dim(7), PartialShape::kUnknown);
  EXPECT_EQ(shape.num_elements(), PartialShape::kUnknown);
  EXPECT_EQ((PartialShape{2, 3}).num_elements(), 6);
}

}  // namespace
}  // namespace minitf
