// Tests of what a graph knows of a value before it runs.

#include <cstdint>

#include "gtest/gtest.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/graph/graph.h"
#include "tests/test_ops.h"

namespace minitf {
namespace {

using testing::AddOp;

class ConstantValueTest : public ::testing::Test {
 protected:
  Output Ints(const std::vector<int32_t>& values) {
    return {
        graph_.AddConstant(Tensor::Of({static_cast<int64_t>(values.size())}, values))};
  }
  Output Int(int32_t value) { return {graph_.AddConstant(Tensor::Scalar(value))}; }
  Output ShapeOf(const PartialShape& shape) {
    return {AddOp(&graph_, "Shape", "", {testing::Feed(&graph_, "x", shape)})};
  }
  Output Pack(const std::vector<Output>& scalars) {
    return {AddOp(&graph_, "Pack", "", scalars)};
  }
  Output At(Output list, int index) {
    return {AddOp(&graph_, "StridedSlice", "",
                  {list, Ints({index}), Ints({index + 1}), Ints({1})},
                  {{"shrink_axis_mask", int64_t{1}}})};
  }
  Output Slice(Output list, int begin, int end, int stride) {
    return {AddOp(&graph_, "StridedSlice", "",
                  {list, Ints({begin}), Ints({end}), Ints({stride})})};
  }
  std::vector<int64_t> ValueOf(Output output) {
    const auto value = graph_.ConstantValue(output);
    return value ? IntegersOf(*value) : std::vector<int64_t>{-99};
  }

  Graph graph_;
};

const std::vector<int64_t> kNotKnown = {-99};

TEST_F(ConstantValueTest, AConstantIsKnownWhateverItsType) {
  const Output x{graph_.AddConstant(Tensor::Of<double>({2}, {0.5, 7}))};
  ASSERT_TRUE(graph_.ConstantValue(x).has_value());
  EXPECT_EQ(graph_.ConstantValue(x)->flat<double>()[1], 7);
  EXPECT_FALSE(graph_.ConstantValue(testing::Feed(&graph_, "y")).has_value());
}

TEST_F(ConstantValueTest, AShapeIsKnownAsFarAsTheTensors) {
  EXPECT_EQ(ValueOf(ShapeOf({2, 3})), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(ValueOf(ShapeOf({-1, 3})), kNotKnown);
  EXPECT_EQ(graph_.ConstantValueAsShape(ShapeOf({-1, 3})), PartialShape({-1, 3}));
  EXPECT_FALSE(graph_.ConstantValueAsShape(ShapeOf(PartialShape())).has_rank());
}

TEST_F(ConstantValueTest, TheParcelOfABatchSizeAndANumberIsAPartialShape) {
  const Output shape = ShapeOf({-1, 28, 30});
  const Output packed = Pack({At(shape, 0), Int(784), At(shape, -1)});
  EXPECT_EQ(graph_.ConstantValueAsShape(packed), PartialShape({-1, 784, 30}));
  EXPECT_EQ(ValueOf(packed), kNotKnown);
  EXPECT_EQ(ValueOf(Pack({At(shape, 1), Int(784)})), (std::vector<int64_t>{28, 784}));
}

TEST_F(ConstantValueTest, SlicesAndJoinsOfListsAreFollowed) {
  const Output shape = ShapeOf({2, -1, 5, 7});
  EXPECT_EQ(graph_.ConstantValueAsShape(Slice(shape, 0, 3, 2)), PartialShape({2, 5}));
  EXPECT_EQ(graph_.ConstantValueAsShape(Slice(shape, -2, 100, 1)), PartialShape({5, 7}));
  EXPECT_EQ(graph_.ConstantValueAsShape(Slice(shape, 3, 1, 1)), PartialShape(Shape({})));
  const Output joined{AddOp(&graph_, "ConcatV2", "", {shape, Ints({9}), Int(0)})};
  EXPECT_EQ(graph_.ConstantValueAsShape(joined), PartialShape({2, -1, 5, 7, 9}));
}

TEST_F(ConstantValueTest, MinusOneIsAValueAndAnUnknownSize) {
  const Output sizes = Pack({Int(-1), Int(784)});
  EXPECT_EQ(ValueOf(sizes), (std::vector<int64_t>{-1, 784}));
  EXPECT_EQ(graph_.ConstantValueAsShape(sizes), PartialShape({-1, 784}));
  EXPECT_FALSE(graph_.ConstantValueAsShape(Ints({-2, 4})).has_rank());
}

TEST_F(ConstantValueTest, ARankIsKnownWithoutTheSizes) {
  const Output x = testing::Feed(&graph_, "x", {-1, -1, 4});
  EXPECT_EQ(ValueOf({AddOp(&graph_, "Rank", "", {x})}), std::vector<int64_t>{3});
  EXPECT_EQ(ValueOf({AddOp(&graph_, "Size", "", {x})}), kNotKnown);
}

TEST_F(ConstantValueTest, ArithmeticIsFollowedElementByElement) {
  const Output shape = ShapeOf({-1, 5, 7});
  const auto of = [this](const char* op, Output x, Output y) {
    return Output{AddOp(&graph_, op, "", {x, y})};
  };
  const Output twice = of("Mul", shape, Int(2));
  EXPECT_EQ(graph_.ConstantValueAsShape(twice), PartialShape({-1, 10, 14}));
  const Output less = of("Sub", At(twice, 1), Int(3));
  EXPECT_EQ(ValueOf(less), std::vector<int64_t>{7});
  EXPECT_EQ(ValueOf(of("FloorDiv", less, Int(2))), std::vector<int64_t>{3});
  EXPECT_EQ(ValueOf(of("FloorDiv", less, Int(0))), kNotKnown);
  EXPECT_EQ(ValueOf(of("AddV2", Int(1 << 30), Int(1 << 30))), kNotKnown);  // overflows
  EXPECT_EQ(ValueOf(of("Maximum", At(shape, 0), Int(3))), kNotKnown);
}

TEST_F(ConstantValueTest, FilledStackedAndReshapedListsAreFollowed) {
  const Output shape = ShapeOf({-1, 5, 7});
  EXPECT_EQ(ValueOf({AddOp(&graph_, "Fill", "", {Ints({3}), Int(2)})}),
            (std::vector<int64_t>{2, 2, 2}));
  const Output row{AddOp(&graph_, "ExpandDims", "", {At(shape, 2), Int(0)})};
  EXPECT_EQ(graph_.ConstantValueAsShape(row), PartialShape({7}));
  Node* const parts = AddOp(&graph_, "Unpack", "", {shape}, {{"num", int64_t{3}}});
  EXPECT_EQ(ValueOf({parts, 1}), std::vector<int64_t>{5});
  EXPECT_EQ(ValueOf({parts, 0}), kNotKnown);
  EXPECT_EQ(ValueOf({AddOp(&graph_, "Max", "", {Ints({4, 9, 2}), Ints({0})})}),
            std::vector<int64_t>{9});
}

TEST_F(ConstantValueTest, AGraphWithVeryManyPathsIsGivenUp) {
  Output list = Ints({});
  for (int i = 0; i < 40; ++i) {
    list = {AddOp(&graph_, "ConcatV2", "", {list, list, Int(0)})};
  }
  EXPECT_EQ(ValueOf(list), kNotKnown);  // 2^40 paths, each of no elements
}

}  // namespace
}  // namespace minitf
