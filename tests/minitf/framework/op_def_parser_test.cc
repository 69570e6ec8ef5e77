// The language of REGISTER_OP: every form it has, and texts that make no sense.

#include "minitf/framework/op_def_parser.h"

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

template <typename T>
T DefaultOf(const std::string& spec) {
  return std::get<T>(*ParseAttrDef(spec).default_value);
}

TEST(ParseAttrDef, ReadsEveryKindOfDefault) {
  EXPECT_EQ(DefaultOf<bool>("use_cudnn_on_gpu: bool = true"), true);
  EXPECT_EQ(DefaultOf<int64_t>("seed: int = -3"), -3);
  EXPECT_EQ(DefaultOf<float>("epsilon: float = 1e-3"), 1e-3F);
  EXPECT_EQ(DefaultOf<std::string>("container: string = ''"), "");
  EXPECT_EQ(DefaultOf<DType>("T: {half, float} = float"), DType::kFloat32);
  EXPECT_EQ(DefaultOf<PartialShape>("shape: shape = [2, ?]"), (PartialShape{2, -1}));
  EXPECT_EQ(DefaultOf<PartialShape>("shape: shape = <unknown>"), PartialShape());
  EXPECT_EQ(DefaultOf<std::vector<int64_t>>("dilations: list(int) = [1, 1, 1, 1]"),
            (std::vector<int64_t>{1, 1, 1, 1}));
  EXPECT_EQ(DefaultOf<std::vector<int64_t>>("explicit_paddings: list(int) = []"),
            std::vector<int64_t>{});
  EXPECT_EQ(DefaultOf<std::vector<std::string>>("l: list(string) = ['a', 'b']"),
            (std::vector<std::string>{"a", "b"}));
  const auto color = DefaultOf<Tensor>("bad_color: tensor = uint8 [255, 0]");
  EXPECT_EQ(color.shape(), (Shape{2}));
  EXPECT_EQ(color.flat<uint8_t>()[0], 255);
  EXPECT_EQ(DefaultOf<std::vector<DType>>("l: list(type) = [int32, float]"),
            (std::vector<DType>{DType::kInt32, DType::kFloat32}));
}

TEST(ParseAttrDef, ReadsWhatIsAllowed) {
  const AttrDef padding = ParseAttrDef("padding: {'SAME', 'VALID'}");
  EXPECT_EQ(padding.kind, "string");
  EXPECT_EQ(padding.allowed_strings, (std::vector<std::string>{"SAME", "VALID"}));
  EXPECT_FALSE(padding.default_value.has_value());
  const AttrDef type = ParseAttrDef("T: {half, float, double}");
  EXPECT_EQ(type.kind, "type");
  EXPECT_EQ(type.allowed_types.size(), 3U);
  EXPECT_EQ(ParseAttrDef("N: int >= 1").minimum, 1);
  const AttrDef types = ParseAttrDef("Ts: list({float, int64}) >= 1");
  EXPECT_EQ(types.kind, "list(type)");
  EXPECT_EQ(types.allowed_types, (std::vector<DType>{DType::kFloat32, DType::kInt64}));
  EXPECT_EQ(types.minimum, 1);
  EXPECT_EQ(ParseAttrDef("format: {'', 'rgb'} = ''").allowed_strings,
            (std::vector<std::string>{"", "rgb"}));
}

TEST(ParseAttrDef, SaysWhatMakesNoSense) {
  EXPECT_EQ(MessageOf([] { ParseAttrDef("T: flaot"); }),
            "in \"T: flaot\": no kind is called 'flaot', at \"\"");
  EXPECT_EQ(MessageOf([] { ParseAttrDef("n: int = x"); }),
            "in \"n: int = x\": a number expected at \"x\"");
  EXPECT_EQ(MessageOf([] { ParseAttrDef("n int"); }),
            "in \"n int\": ':' expected at \"int\"");
  EXPECT_EQ(MessageOf([] { ParseAttrDef("n: list(int) = [1, 2"); }),
            "in \"n: list(int) = [1, 2\": ']' expected at \"\"");
  EXPECT_EQ(MessageOf([] { ParseAttrDef("n: int = 1 2"); }),
            "in \"n: int = 1 2\": the end expected at \"2\"");
  EXPECT_NE(MessageOf([] { ParseAttrDef("s: string = 'a"); }), "nothing was thrown");
  EXPECT_NE(MessageOf([] { ParseAttrDef(""); }), "nothing was thrown");
}

TEST(ParseAttrDef, ChecksTheDefault) {
  // The text, and what CheckAllowedValue says.
  for (const std::string spec : {"T: {float, double} = int32", "n: int >= 2 = 1"}) {
    const std::string message = MessageOf([&] { ParseAttrDef(spec); });
    EXPECT_TRUE(message.starts_with("in \"" + spec + "\": ")) << message;
    EXPECT_NE(message.find(spec.substr(0, 1) + "'"), std::string::npos) << message;
  }
  EXPECT_NE(MessageOf([] { ParseAttrDef("T: {}"); }), "nothing was thrown");
  EXPECT_NE(MessageOf([] { ParseAttrDef("T: list(tensor)"); }), "nothing was thrown");
  EXPECT_EQ(ParseAttrDef("n: list ( int )").kind, "list(int)");
  EXPECT_EQ(ParseAttrDef("s: {\"a\"}").kind, "string");
  EXPECT_EQ(
      MessageOf([] { ParseAttrDef("s: string >= 1"); }),
      "in \"s: string >= 1\": an attribute of kind string has no minimum at \" 1\"");
}

TEST(ParseAttrValue, RefusesWhatIsNoKind) {
  EXPECT_TRUE(AttrEquals(ParseAttrValue("list(int)", "[1]"), std::vector<int64_t>{1}));
  for (const std::string kind : {"list(intx", "list(int", "list(int))", "func", ""}) {
    const std::string message = MessageOf([&] { ParseAttrValue(kind, "[1]"); });
    EXPECT_NE(message.find("in \"[1]\""), std::string::npos) << kind;
  }
}

TEST(OpDefBuilder, ReadsAttributesFirst) {
  const OpDef op = OpDefBuilder("Try")
                       .Input("xs: N * T")
                       .SetShapeFn([](InferenceContext*) {})
                       .Attr("T: type")
                       .Attr("N: int >= 1")
                       .Build();
  EXPECT_EQ(op.inputs[0].number_attr, "N");
  EXPECT_EQ(op.inputs[0].type_attr, "T");
}

TEST(OpDefBuilder, RefusesANameGivenTwice) {
  EXPECT_EQ(
      MessageOf([] { OpDefBuilder("Try").Input("x: float").Output("x: float").Build(); }),
      "op Try has 'x' twice among its inputs, outputs and attributes");
  EXPECT_EQ(MessageOf([] { OpDefBuilder("Try").Input("x: float").Build(); }),
            "op Try has no shape function");
}

TEST(ParseArgDef, TellsTypesFromAttributes) {
  OpDef op;
  op.attrs = {ParseAttrDef("T: type"), ParseAttrDef("Ts: list(type)"),
              ParseAttrDef("N: int >= 1")};
  EXPECT_EQ(ParseArgDef("x: float", op).type, DType::kFloat32);
  EXPECT_EQ(ParseArgDef("x: T", op).type_attr, "T");
  EXPECT_EQ(ParseArgDef("xs: Ts", op).type_list_attr, "Ts");
  const ArgDef list = ParseArgDef("values: N * T", op);
  EXPECT_EQ(list.number_attr, "N");
  EXPECT_EQ(list.type_attr, "T");
  EXPECT_TRUE(list.is_list());
  EXPECT_EQ(
      MessageOf([&] { ParseArgDef("x: U", op); }),
      "in \"x: U\": 'U' is neither a type nor an attribute that holds one, at \"\"");
  EXPECT_EQ(MessageOf([&] { ParseArgDef("x: M * T", op); }),
            "in \"x: M * T\": 'M' is no attribute of kind int, at \"\"");
}

}  // namespace
}  // namespace minitf
