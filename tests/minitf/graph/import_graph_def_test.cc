// Tests of ImportGraphDef: names, order, replaced inputs, loops, and files that lie.

#include "minitf/graph/import_graph_def.h"

#include <random>

#include "gtest/gtest.h"
#include "minitf/graph/graph_def.h"
#include "minitf/protos/graph.pb.h"
#include "tests/minitf/graph/graph_def_testing.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::DefOf;
using testing::MessageOf;
using testing::Source;

proto::GraphDef GraphDefOf(const std::string& text) {
  proto::GraphDef def;
  FromText(text, "test", &def);
  return def;
}

const std::string kSource =
    "op: 'TestSource' attr { key: 'value' value { f: 1 } }";  // NOLINT

std::string ImportError(const std::string& text) {
  Graph graph;
  const std::string message =
      MessageOf([&] { ImportGraphDef(GraphDefOf(text), {}, &graph); });
  EXPECT_EQ(graph.num_nodes(), 0) << "a graph must be as it was";
  return message;
}

TEST(ImportGraphDef, NamesGetThePrefix) {
  const auto def =
      GraphDefOf("node { name: 'a' " + kSource +
                 " }"
                 "node { name: 'b' op: 'TestAdd' input: ['a', 'a:0', '^a']"
                 "  attr { key: '_class' value { list { s: 'loc:@a' } } } }");
  Graph graph;
  ImportOptions options;
  options.prefix = "import";
  options.return_tensors = {{"b", 0}};
  options.return_nodes = {"a"};
  const ImportResult result = ImportGraphDef(def, options, &graph);
  const Node* const b = graph.FindNode("import/b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->inputs()[1].name(), "import/a:0");
  EXPECT_EQ(b->control_inputs()[0]->name(), "import/a");
  EXPECT_EQ(b->attrs().Get<DType>("T"), DType::kFloat32);  // not in the file
  EXPECT_EQ(b->attrs().Get<std::vector<std::string>>("_class"),
            std::vector<std::string>{"loc:@import/a"});
  EXPECT_EQ(result.tensors[0].name(), "import/b:0");
  EXPECT_EQ(result.nodes[0]->name(), "import/a");
}

TEST(ImportGraphDef, ANameThatIsTakenGetsANumberThatNoOtherNodeHas) {
  Graph graph;
  Source(&graph, 1, "a");
  const auto def = GraphDefOf("node { name: 'a' " + kSource +
                              " }"
                              "node { name: 'a_1' " +
                              kSource +
                              " }"
                              "node { name: 'sum' op: 'TestAdd' input: ['a', 'a_1'] }");
  ImportGraphDef(def, {}, &graph);
  const Node* const sum = graph.FindNode("sum");
  EXPECT_EQ(sum->inputs()[0].name(), "a_2:0");
  EXPECT_EQ(sum->inputs()[1].name(), "a_1:0");
}

TEST(ImportGraphDef, ANodeMayComeBeforeItsInputs) {
  const auto def = GraphDefOf(
      "node { name: 'c' op: 'TestAdd' input: ['b', 'a'] }"
      "node { name: 'b' op: 'TestAdd' input: ['a', 'a'] }"
      "node { name: 'a' " +
      kSource + " }");
  Graph graph;
  ImportGraphDef(def, {}, &graph);
  EXPECT_EQ(graph.node(0)->name(), "a");
  EXPECT_EQ(graph.FindNode("c")->inputs()[0].name(), "b:0");
}

TEST(ImportGraphDef, MappedTensorsReplaceInputs) {
  Graph graph;
  const Output mine = Source(&graph, 5, "mine");
  const auto def =
      GraphDefOf("node { name: 'a' " + kSource +
                 " }"
                 "node { name: 'b' op: 'TestAdd' input: ['a', 'gone', '^a'] }");
  ImportOptions options;
  options.input_map = {{{"a", 0}, mine}, {{"gone", 0}, mine}, {{"typo", 0}, mine}};
  options.return_tensors = {{"a", 0}};
  const ImportResult result = ImportGraphDef(def, options, &graph);
  EXPECT_EQ(graph.FindNode("b")->inputs()[0], mine);
  EXPECT_EQ(graph.FindNode("b")->inputs()[1], mine);
  EXPECT_EQ(graph.FindNode("b")->control_inputs()[0]->name(), "a");  // not the tensor
  EXPECT_EQ(result.tensors[0], mine);
  ASSERT_EQ(result.missing_keys.size(), 1U);  // an input mentions 'gone'
  EXPECT_EQ(result.missing_keys[0].node, "typo");
}

TEST(ImportGraphDef, AFileThatLiesIsRefusedByName) {
  const std::string a = "node { name: 'a' " + kSource + " } ";
  EXPECT_EQ(ImportError(a + a), "Node 'a' is not unique");
  EXPECT_EQ(ImportError("node { op: 'NoOp' }"),
            "node number 0 of the GraphDef has no name");
  EXPECT_EQ(ImportError("node { name: 'a b' op: 'NoOp' }"),
            "'a b' is not a valid node name");
  EXPECT_EQ(ImportError(a + "node { name: 'b' op: 'TestAd' input: 'a' }"),
            "Op type not registered 'TestAd', of node 'b'; did you mean 'TestAdd'?");
  EXPECT_EQ(ImportError(a + "node { name: 'b' op: 'TestAdd' input: ['a', 'x:1'] }"),
            "Node 'b': Unknown input node 'x:1'");
  EXPECT_EQ(ImportError(a + "node { name: 'b' op: 'TestAdd' input: ['a', 'a:1'] }"),
            "Node 'b': Connecting to invalid output 1 of source node a which has 1 "
            "outputs.");
  EXPECT_EQ(ImportError(a + "node { name: 'b' op: 'TestAdd' input: ['^a', 'a', 'a'] }"),
            "Node 'b': Control dependencies must come after regular dependencies");
  EXPECT_EQ(ImportError(a + "node { name: 'b' op: 'TestAdd' input: ['a', 'a'] "
                            "attr { key: 'T' value { type: DT_INT32 } } }"),
            "Node 'b' (TestAdd): input 'x' makes attribute 'T' float32, but it is int32");
  EXPECT_EQ(ImportError("node { name: 'a' op: 'TestSource' }"),
            "Node 'a' (TestSource): attribute 'value' is not set");
  EXPECT_EQ(ImportError("node { name: 'a' op: 'NoOp' "
                        "attr { key: 'x' value { i: 1 } } }"),
            "Node 'a' (NoOp): has no attribute 'x'");
  EXPECT_EQ(ImportError("node { name: 'a' op: 'NoOp' attr { key: '_x' value { } } }"),
            "Node 'a' (NoOp): attribute '_x': has no value");
  EXPECT_EQ(ImportError("node { name: 'a' op: 'NoOp' "
                        "attr { key: '_x' value { list { i: 1 f: 2 } } } }"),
            "Node 'a' (NoOp): attribute '_x': is a list of elements of 2 kinds");
  EXPECT_EQ(ImportError("versions { min_consumer: 1000 }"),
            "GraphDef min consumer version 1000 above current version 134 for minitf. "
            "Please upgrade minitf.");
}

TEST(ImportGraphDef, ACycleIsShown) {
  EXPECT_EQ(ImportError("node { name: 'a' op: 'TestAdd' input: ['c', 'c'] }"
                        "node { name: 'b' op: 'TestAdd' input: ['a', 'a'] }"
                        "node { name: 'c' op: 'NoOp' input: '^b' }"
                        "node { name: 'd' op: 'NoOp' input: '^c' }"),
            "The GraphDef has a cycle of 3 nodes: 'a' <- 'c' <- 'b'");
  EXPECT_EQ(ImportError("node { name: 'a' op: 'NoOp' input: '^a' }"),
            "The GraphDef has a cycle of 1 nodes: 'a'");
}

const std::string kLoop =  // NOLINT
    "node { name: 'a' " + kSource +
    " }"
    "node { name: 'enter' op: 'Enter' input: 'a' attr { key: 'frame_name' value { s: 'f' "
    "}"
    " } }"
    "node { name: 'merge' op: 'Merge' input: ['enter', 'next'] }"
    "node { name: 'next' op: 'NextIteration' input: 'merge' }";

TEST(ImportGraphDef, ANextIterationMayCloseALoop) {
  Graph graph;
  ImportGraphDef(GraphDefOf(kLoop), {}, &graph);
  const Node* const merge = graph.FindNode("merge");
  EXPECT_EQ(merge->inputs()[0].name(), "enter:0");
  EXPECT_EQ(merge->inputs()[1].name(), "next:0");
  EXPECT_EQ(ImportError("node { name: 'merge' op: 'Merge' input: 'next' }"
                        "node { name: 'next' op: 'NextIteration' input: 'merge' }"),
            "Node 'merge' has no input from outside of its loop");
}

TEST(ImportGraphDef, ABackEdgeMustExistAndHaveTheLoopsType) {
  std::string text = kLoop;
  text.replace(text.find("'next'"), 6, "'next:3'");
  EXPECT_EQ(ImportError(text), "node 'next' (NextIteration) has no output 3, it has 1");
  EXPECT_EQ(ImportError("node { name: 'a' " + kSource +
                        " } node { name: 'b' op: 'TestInt' }"
                        "node { name: 'merge' op: 'Merge' input: ['a', 'next'] }"
                        "node { name: 'next' op: 'NextIteration' input: 'b' }"),
            "Node 'merge' (Merge): input 1 is float32, cannot come from next:0, which is "
            "int32");
}

TEST(ImportGraphDef, AGraphIsAsItWasAfterAnError) {
  Graph graph;
  const Output mine = Source(&graph, 5, "A");
  const auto def = GraphDefOf("node { name: 'a' " + kSource + " } node { name: 'b' " +
                              kSource + " } node { name: 'c' op: 'Missing' }");
  EXPECT_NE(MessageOf([&] { ImportGraphDef(def, {}, &graph); }), "");
  EXPECT_EQ(graph.num_nodes(), 1);
  EXPECT_EQ(graph.FindNode("b"), nullptr);
  EXPECT_EQ(Source(&graph, 1, "b").name(), "b:0");    // the name is free again
  EXPECT_EQ(Source(&graph, 1, "a").name(), "a_1:0");  // and this one is still taken
  EXPECT_EQ(mine.name(), "A:0");
}

TEST(ImportGraphDef, ConstantsTakeNoMoreMemoryThanTheFileMayAskFor) {
  const std::string huge =
      " op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' "
      "value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 40000000 } } "
      "float_val: 1 } } } ";
  const std::string message =
      ImportError("node { name: 'a' " + huge + "} node { name: 'b' " + huge + '}');
  EXPECT_NE(message.find("Node 'b' (Const): attribute 'value': a tensor claims 39999999 "
                         "elements more than its message holds"),
            std::string::npos)
      << message;
}

// A graph of a little of everything.
std::string SomeGraph() {
  Graph graph;
  const Output a = Source(&graph, 1, "a");
  const Output b =
      graph.AddConstant(Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), "b")->output(0);
  const Output c = graph.AddConstant(Tensor::Scalar<std::string>("text"), "c")->output(0);
  const Output product =
      AddOp(&graph, "MatMul", "d", {b, b}, {{"transpose_b", true}})->output(0);
  AddOp(&graph, "TestAdd", "e", {product, product}, {{"_n", int64_t{3}}}, {c.node});
  AddOp(&graph, "Pack", "f", {a, a, a}, {{"axis", int64_t{0}}});
  AddOp(&graph, "Reshape", "g",
        {b, graph.AddConstant(Tensor::Of<int32_t>({2}, {3, -1}), "h")->output(0)});
  return ToBytes(DefOf(graph));
}

// Whatever the bytes are, they become a graph or an Error.
void TryImport(const std::string& bytes, int* imported) {
  Graph graph;
  proto::GraphDef def;
  try {
    FromBytes(bytes, "mutated", &def);
    ImportGraphDef(def, {}, &graph);
    ++*imported;
  } catch (const Error& error) {
    EXPECT_FALSE(error.status().message().empty());
    EXPECT_EQ(graph.num_nodes(), 0);
  }
}

TEST(ImportGraphDef, TwoThousandMutatedFilesDoNoHarm) {
  const std::string bytes = SomeGraph();
  std::mt19937 random(7);
  int imported = 0;
  for (int i = 0; i < 1600; ++i) {
    std::string mutated = bytes;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      mutated[random() % mutated.size()] ^= static_cast<char>(1 << random() % 8);
    }
    TryImport(mutated, &imported);
  }
  for (int i = 0; i < 400; ++i) {
    TryImport(bytes.substr(0, random() % bytes.size()), &imported);
  }
  EXPECT_GT(imported, 20);    // the mutations are not so coarse that all are refused
  EXPECT_LT(imported, 1900);  // and not so fine that none is
}

TEST(ImportGraphDef, ALargeGraphComesInQuickly) {
  Graph graph;
  Output last = Source(&graph, 0, "x");
  for (int i = 0; i < 20'000; ++i) last = Add(&graph, last, last, "add");
  const auto def = DefOf(graph);
  Graph again;
  ImportGraphDef(def, {}, &again);
  EXPECT_EQ(again.num_nodes(), 20'001);
  EXPECT_EQ(again.node(20'000)->name(), last.node->name());
}

}  // namespace
}  // namespace minitf
