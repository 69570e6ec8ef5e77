// Tests of graphs as messages: what is written, and that bytes and text come back.

#include "minitf/graph/graph_def.h"

#include "gtest/gtest.h"
#include "minitf/graph/import_graph_def.h"
#include "minitf/protos/graph.pb.h"
#include "tests/minitf/graph/graph_def_testing.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::DefOf;
using testing::Feed;
using testing::MessageOf;
using testing::Source;

TEST(GraphDef, ANodeIsWrittenWithInputsAttributesAndDevice) {
  Graph graph;
  const Output a = Source(&graph, 1, "a");
  const Output parts = AddOp(&graph, "Split", "parts",
                             {AddOp(&graph, "TestInt", "axis")->output(0),
                              Feed(&graph, "x", PartialShape{4})},
                             {{"num_split", int64_t{2}}})
                           ->output(1);
  Node* const sum = AddOp(&graph, "TestAdd", "sum", {parts, parts}, {}, {a.node});
  graph.SetDevice(sum, "/cpu:0");
  const proto::GraphDef def = DefOf(graph);
  EXPECT_EQ(def.versions().producer(), 134);
  EXPECT_EQ(ToText(def.node(def.node_size() - 1)),
            "name: \"sum\"\nop: \"TestAdd\"\n"
            "input: \"parts:1\"\ninput: \"parts:1\"\ninput: \"^a\"\ndevice: \"/cpu:0\"\n"
            "attr {\n  key: \"T\"\n  value {\n    type: DT_FLOAT\n  }\n}\n");
}

TEST(GraphDef, DefaultsAreWritten) {
  Graph graph;
  AddOp(&graph, "TestState", "state");
  EXPECT_EQ(DefOf(graph).node(0).attr().at("start").f(), 0);
}

TEST(GraphDef, ShapesAreWrittenIfAskedFor) {
  Graph graph;
  Feed(&graph, "x", PartialShape{2, PartialShape::kUnknown});
  EXPECT_FALSE(DefOf(graph).node(0).attr().contains("_output_shapes"));
  const auto def = DefOf(graph, {0, true});
  const auto& shapes = def.node(0).attr().at("_output_shapes").list().shape();
  ASSERT_EQ(shapes.size(), 1);
  EXPECT_EQ(shapes[0].dim(0).size(), 2);
  EXPECT_EQ(shapes[0].dim(1).size(), -1);
}

TEST(GraphDef, TheFirstNodesCanBeLeftOut) {
  Graph graph;
  Source(&graph, 1, "a");
  Source(&graph, 2, "b");
  const auto def = DefOf(graph, {1, false});
  ASSERT_EQ(def.node_size(), 1);
  EXPECT_EQ(def.node(0).name(), "b");
}

// Every kind of attribute, through bytes, text and a second graph.
TEST(GraphDef, BytesAndTextGiveTheSameGraphAgain) {
  Graph graph;
  const Output a = Source(&graph, 0.1F, "a");
  AddOp(&graph, "TestAdd", "sum", {a, a},
        {{"_bool", true},
         {"_int", int64_t{-3}},
         {"_text", std::string("\0\xff", 2)},
         {"_type", DType::kBfloat16},
         {"_shape", PartialShape{1, PartialShape::kUnknown}},
         {"_no_shape", PartialShape()},
         {"_tensor", Tensor::Of<double>({2}, {1.5, 0.1})},
         {"_bools", std::vector<bool>{true, false}},
         {"_ints", std::vector<int64_t>{1, -2}},
         {"_floats", std::vector<float>{0.1F}},
         {"_texts", std::vector<std::string>{"a", ""}},
         {"_types", std::vector<DType>{DType::kInt64}},
         {"_shapes", std::vector<PartialShape>{PartialShape(), PartialShape{3}}}});
  const std::string bytes = ToBytes(DefOf(graph));
  proto::GraphDef from_bytes;
  FromBytes(bytes, "test", &from_bytes);
  proto::GraphDef from_text;
  FromText(ToText(from_bytes), "test", &from_text);
  Graph again;
  ImportGraphDef(from_text, {}, &again);
  EXPECT_EQ(ToBytes(DefOf(again)), bytes);
  for (const auto& [name, value] : graph.FindNode("sum")->attrs()) {
    const AttrValue* const other = again.FindNode("sum")->attrs().Find(name);
    ASSERT_NE(other, nullptr) << name;
    EXPECT_TRUE(AttrEquals(value, *other)) << name;
  }
}

TEST(GraphDef, WhatIsNoMessageIsRefused) {
  proto::GraphDef def;
  EXPECT_EQ(MessageOf([&] { FromBytes("\x0a\xff", "f.pb", &def); }),
            "f.pb: these 2 bytes are no GraphDef");
  EXPECT_EQ(MessageOf([&] { FromText("node {\n  nme: 'a' }", "f.pbtxt", &def); }),
            "f.pbtxt:2:6: Message type \"minitf.proto.NodeDef\" has no field named "
            "\"nme\".");
}

// A function as an attribute of a function, as an attribute of a function, ...
TEST(GraphDef, DeepNestingIsRefused) {
  proto::AttrValue innermost;
  innermost.set_b(true);
  std::string bytes = innermost.SerializeAsString();
  for (int depth = 0; depth < 300; ++depth) {
    proto::NameAttrList function;
    (*function.mutable_attr())["f"];
    std::string entry =
        "\x0a\x01"
        "f\x12";
    const auto append_size = [](size_t size, std::string* to) {
      for (; size >= 128; size >>= 7) to->push_back(static_cast<char>(size | 128));
      to->push_back(static_cast<char>(size));
    };
    append_size(bytes.size(), &entry);
    entry += bytes;
    std::string list = "\x12";
    append_size(entry.size(), &list);
    list += entry;
    bytes = "\x52";  // AttrValue.func
    append_size(list.size(), &bytes);
    bytes += list;
  }
  proto::AttrValue value;
  EXPECT_NE(MessageOf([&] { FromBytes(bytes, "deep", &value); }), "");
}

}  // namespace
}  // namespace minitf
