// CompleteAttrs: what follows from the inputs, what has a default, and what is refused.

#include "gtest/gtest.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

using Types = std::vector<DType>;

const OpDef& Concat() {
  static const OpDef op = OpDefBuilder("Concat")
                              .Input("values: N * T")
                              .Input("axis: Tidx")
                              .Output("output: T")
                              .Attr("N: int >= 2")
                              .Attr("T: type")
                              .Attr("Tidx: {int32, int64} = int32")
                              .Attr("padding: {'SAME', 'VALID'} = 'SAME'")
                              .SetShapeFn(UnknownShape)
                              .Build();
  return op;
}

std::string MessageOf(const Types& types, Attrs attrs) {
  try {
    CompleteAttrs(Concat(), types, &attrs);
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kInvalidArgument);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CompleteAttrs, FollowFromTheInputs) {
  Attrs attrs;
  const Signature signature = CompleteAttrs(
      Concat(), {DType::kFloat64, DType::kFloat64, DType::kFloat64, DType::kInt64},
      &attrs);
  EXPECT_EQ(attrs.Get<int64_t>("N"), 3);
  EXPECT_EQ(attrs.Get<DType>("T"), DType::kFloat64);
  EXPECT_EQ(attrs.Get<DType>("Tidx"), DType::kInt64);
  EXPECT_EQ(attrs.Get<std::string>("padding"), "SAME");
  EXPECT_EQ(signature.output_types, Types{DType::kFloat64});
}

// Numbers that would have been cut to 32 bits, or taken for sizes of lists.
TEST(CompleteAttrs, RefusesLengthsThatNoListHas) {
  for (const int64_t length : {int64_t{-1}, int64_t{1} << 32, int64_t{5}}) {
    Attrs attrs;
    attrs.Set("N", length);
    EXPECT_EQ(MessageOf({DType::kFloat32, DType::kFloat32, DType::kInt32}, attrs),
              StrCat("attribute 'N' is ", length, ", but there are 3 inputs"));
  }
}

TEST(CompleteAttrs, RefusesMoreOutputsThanThereIsMemoryFor) {
  const OpDef op = OpDefBuilder("Pieces")
                       .Output("pieces: N * float")
                       .Attr("N: int >= 1")
                       .SetShapeFn(UnknownShape)
                       .Build();
  for (const int64_t count : {int64_t{1} << 31, int64_t{1} << 62}) {
    Attrs attrs;
    attrs.Set("N", count);
    EXPECT_THROW(CompleteAttrs(op, {}, &attrs), Error) << count;
  }
}

TEST(CompleteAttrs, RefusesInputsOfSeveralTypes) {
  EXPECT_EQ(MessageOf({DType::kFloat32, DType::kFloat64, DType::kInt32}, {}),
            "input 'values' makes attribute 'T' float64, but it is float32");
}

TEST(CompleteAttrs, RefusesWhatIsNotAllowed) {
  const Types types = {DType::kFloat32, DType::kFloat32, DType::kInt32};
  EXPECT_EQ(MessageOf(types, {{"padding", std::string("FOO")}}),
            "attribute 'padding' is 'FOO', allowed are 'SAME', 'VALID'");
  EXPECT_EQ(MessageOf({DType::kFloat32, DType::kFloat32, DType::kFloat32}, {}),
            "attribute 'Tidx' is float32, allowed are int32, int64");
  EXPECT_EQ(MessageOf({DType::kFloat32, DType::kInt32}, {}),
            "attribute 'N' is 1, which is less than the minimum 2");
  EXPECT_EQ(MessageOf(types, {{"paddin", std::string("SAME")}}),
            "has no attribute 'paddin'; did you mean 'padding'?");
  EXPECT_EQ(MessageOf(types, {{"padding", int64_t{3}}}),
            "attribute 'padding' must be of kind string, is 3, of kind int");
  EXPECT_EQ(MessageOf(types, {{"N", std::string("two")}}),
            "attribute 'N' must be of kind int, is 'two'");
  EXPECT_EQ(MessageOf(types, {{"N", int64_t{7}}}),
            "attribute 'N' is 7, but there are 3 inputs");
  EXPECT_EQ(MessageOf(types, {{"N", int64_t{-7}}}),
            "attribute 'N' is -7, but there are 3 inputs");
}

TEST(CompleteAttrs, ListsOfOneLengthShareTheInputs) {
  const OpDef stitch = OpDefBuilder("Stitch")
                           .Input("indices: N * int32")
                           .Input("data: N * T")
                           .Output("merged: T")
                           .Attr("N: int >= 1")
                           .Attr("T: type")
                           .SetShapeFn(UnknownShape)
                           .Build();
  const Types types = {DType::kInt32, DType::kInt32, DType::kFloat32, DType::kFloat32};
  Attrs attrs;
  CompleteAttrs(stitch, types, &attrs);
  EXPECT_EQ(attrs.Get<int64_t>("N"), 2);
  EXPECT_EQ(attrs.Get<DType>("T"), DType::kFloat32);
}

TEST(CompleteAttrs, LeavesHintsToTheRuntimeAlone) {
  Attrs attrs = {{"_kernel", std::string("naive")}};
  CompleteAttrs(Concat(), {DType::kFloat32, DType::kFloat32, DType::kInt32}, &attrs);
  EXPECT_EQ(attrs.Get<std::string>("_kernel"), "naive");
}

TEST(Attrs, SayWhatTheyHold) {
  const Attrs attrs = {{"axis", int64_t{3}}};
  try {
    (void)attrs.Get<bool>("axis");
    FAIL() << "an int was read as a bool";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "attribute 'axis' is 3, of kind int, not bool");
  }
  EXPECT_THROW((void)attrs.Get<bool>("axes"), Error);
}

TEST(AppendKey, DiffersWhereValuesDiffer) {
  const std::vector<AttrValue> values = {true,
                                         int64_t{1},
                                         1.0F,
                                         std::string("1"),
                                         DType::kFloat32,
                                         PartialShape{1},
                                         PartialShape{},
                                         Tensor::Of<float>({1}, {1}),
                                         Tensor::Of<float>({1, 1}, {1}),
                                         Tensor::Of<std::string>({2}, {"a", "bc"}),
                                         Tensor::Of<std::string>({2}, {"ab", "c"}),
                                         std::vector<int64_t>{1},
                                         std::vector<int64_t>{},
                                         std::vector<std::string>{"1"}};
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) {
      std::string a;
      std::string b;
      AppendKey(values[i], &a);
      AppendKey(values[j], &b);
      EXPECT_EQ(a == b, i == j) << values[i] << " and " << values[j];
      EXPECT_EQ(AttrEquals(values[i], values[j]), i == j);
    }
  }
}

}  // namespace
}  // namespace minitf
