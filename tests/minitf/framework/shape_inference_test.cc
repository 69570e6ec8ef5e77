// Broadcasting shapes that are known in part, and axes.

#include "minitf/framework/shape_inference.h"

#include "gtest/gtest.h"

namespace minitf {
namespace {

TEST(BroadcastShapes, AlignsAtTheLastAxis) {
  EXPECT_EQ(BroadcastShapes(Shape{2, 3}, Shape{3}), (Shape{2, 3}));
  EXPECT_EQ(BroadcastShapes(Shape{4, 1, 3}, Shape{2, 1}), (Shape{4, 2, 3}));
  EXPECT_EQ(BroadcastShapes(Shape{}, Shape{5}), (Shape{5}));
  EXPECT_EQ(BroadcastShapes(Shape{0, 1}, Shape{1, 7}), (Shape{0, 7}));
}

TEST(BroadcastShapes, KeepsWhatIsKnownInPart) {
  EXPECT_EQ(BroadcastShapes(PartialShape{-1, 3}, PartialShape{2, 1}),
            (PartialShape{2, 3}));
  EXPECT_EQ(BroadcastShapes(PartialShape{-1}, PartialShape{1}), (PartialShape{-1}));
  EXPECT_EQ(BroadcastShapes(PartialShape{-1}, PartialShape{4}), (PartialShape{4}));
  EXPECT_EQ(BroadcastShapes(PartialShape{}, PartialShape{4}), PartialShape());
  EXPECT_EQ(BroadcastShapes(PartialShape{-1}, PartialShape{0}), (PartialShape{-1}));
}

TEST(BroadcastShapes, NamesShapesThatDoNotFit) {
  try {
    (void)BroadcastShapes(Shape{2, 3}, Shape{2});
    FAIL() << "3 and 2 were accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Incompatible shapes: [2,3] vs. [2]");
  }
}

TEST(NormalizedAxis, CountsFromTheEnd) {
  EXPECT_EQ(NormalizedAxis(-1, 3), 2);
  EXPECT_EQ(NormalizedAxis(0, 3), 0);
  EXPECT_THROW((void)NormalizedAxis(3, 3), Error);
  EXPECT_THROW((void)NormalizedAxis(-4, 3), Error);
  EXPECT_THROW((void)NormalizedAxis(0, 0), Error);
}

TEST(InputAsShape, KnowsTheRankFromTheLengthOfTheList) {
  const std::vector<PartialShape> shapes = {PartialShape{2}, PartialShape{}};
  const std::vector<DType> types = {DType::kInt32, DType::kInt32};
  const Attrs attrs;
  const InferenceContext unknown(shapes, types, attrs, {});
  EXPECT_EQ(unknown.InputAsShape(0), (PartialShape{-1, -1}));
  EXPECT_EQ(unknown.InputAsShape(1), PartialShape());

  const Tensor value = Tensor::Of<int32_t>({2}, {-1, 5});
  const std::vector<const Tensor*> values = {&value, nullptr};
  const InferenceContext known(shapes, types, attrs, values);
  EXPECT_EQ(known.InputAsShape(0), (PartialShape{-1, 5}));
}

}  // namespace
}  // namespace minitf
