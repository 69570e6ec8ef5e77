// Tests of Graph: names, checks at the time of adding, changes.

#include "minitf/graph/graph.h"

#include <chrono>

#include "gtest/gtest.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::Feed;
using testing::MessageOf;
using testing::Source;

std::string NameGiven(Graph* graph, const std::string& name) {
  return AddOp(graph, "TestSource", name, {}, {{"value", 1.0F}})->name();
}

TEST(GraphNames, ANodeWithoutANameIsCalledAsItsOp) {
  Graph graph;
  EXPECT_EQ(NameGiven(&graph, ""), "TestSource");
  EXPECT_EQ(NameGiven(&graph, ""), "TestSource_1");
  EXPECT_EQ(NameGiven(&graph, ""), "TestSource_2");
}

TEST(GraphNames, ANumberThatIsTakenIsSkipped) {
  Graph graph;
  EXPECT_EQ(NameGiven(&graph, "a"), "a");
  EXPECT_EQ(NameGiven(&graph, "a_1"), "a_1");
  EXPECT_EQ(NameGiven(&graph, "a"), "a_2");
  EXPECT_EQ(NameGiven(&graph, "a_1"), "a_1_1");
  EXPECT_EQ(NameGiven(&graph, "a"), "a_3");
}

TEST(GraphNames, CaseDoesNotMakeNamesDifferentButIsKept) {
  Graph graph;
  EXPECT_EQ(NameGiven(&graph, "Dense"), "Dense");
  EXPECT_EQ(NameGiven(&graph, "dense"), "dense_1");
  EXPECT_EQ(NameGiven(&graph, "DENSE"), "DENSE_2");
}

TEST(GraphNames, AScopeTakesANameOfItsOwn) {
  Graph graph;
  EXPECT_EQ(graph.UniqueName("layer"), "layer");
  EXPECT_EQ(graph.UniqueName("layer"), "layer_1");
  EXPECT_EQ(NameGiven(&graph, "layer/w"), "layer/w");
  EXPECT_EQ(NameGiven(&graph, "layer"), "layer_2");
  // With a slash at the end it is the scope's own name.
  EXPECT_EQ(NameGiven(&graph, "layer/"), "layer");
  EXPECT_EQ(MessageOf([&] { NameGiven(&graph, "layer/"); }),
            "there is a node 'layer' already");
}

TEST(GraphNames, ANameThatIsNotTakenUpStaysFree) {
  Graph graph;
  EXPECT_EQ(graph.UniqueName("a", /*mark_as_used=*/false), "a");
  EXPECT_EQ(graph.UniqueName("a", /*mark_as_used=*/false), "a");
  EXPECT_EQ(NameGiven(&graph, "a"), "a");
  EXPECT_EQ(graph.UniqueName("a", /*mark_as_used=*/false), "a_1");
}

TEST(GraphNames, OnlyCertainLettersMakeAName) {
  Graph graph;
  for (const char* good : {"a", "A.b-c_d/e\\f", ".x", "7"}) {
    EXPECT_EQ(NameGiven(&graph, good), good);
  }
  for (const char* bad : {"_a", "/a", "-a", "a b", "a:0", "^a", "\xc3\xa4", "a\n", "/"}) {
    EXPECT_EQ(MessageOf([&] { NameGiven(&graph, bad); }),
              StrCat("'", bad, "' is not a valid node name"));
  }
}

TEST(GraphNames, TheLastOf50000OfOneNameCostsNoMoreThanTheFirst) {
  Graph graph;
  Output x = Source(&graph, 1, "x");
  const auto seconds_for_2000 = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 2000; ++i) x = Add(&graph, x, x);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
        .count();
  };
  const double first = seconds_for_2000();
  double last = 0;
  for (int i = 1; i < 25; ++i) last = seconds_for_2000();
  EXPECT_EQ(x.node->name(), "add_49999");
  // If each tried all the names before it, this would be 25 times or more.
  EXPECT_LT(last, 15 * first);
}

TEST(Graph, AnOpThatIsNotRegisteredIsNotFound) {
  Graph graph;
  EXPECT_EQ(MessageOf([&] { AddOp(&graph, "Foo", ""); }).substr(0, 28),
            "Op type not registered 'Foo'");
  EXPECT_EQ(graph.num_nodes(), 0);
}

TEST(Graph, AnInputOfAnotherTypeIsNamedWithBothTypes) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  const Output n{AddOp(&graph, "TestInt", "n")};
  EXPECT_EQ(MessageOf([&] { Add(&graph, x, n, "b"); }),
            "Node 'b' (TestAdd): input 'y' makes attribute 'T' int32, but it is float32");
  EXPECT_EQ(MessageOf([&] { testing::Sleep(&graph, n, 0, "s"); }),
            "Node 's' (TestSleep): input 'x' must be float32, is int32");
  EXPECT_EQ(graph.num_nodes(), 2);
  EXPECT_EQ(Add(&graph, x, x, "b").node->name(), "b");  // the failures took no name
}

TEST(Graph, ShapesThatDoNotFitAreReportedWhenTheNodeIsAdded) {
  Graph graph;
  const Output a = Feed(&graph, "a", {2, 3});
  const Output b = Feed(&graph, "b", {4, 5});
  EXPECT_EQ(MessageOf([&] { Add(&graph, a, b, "sum"); }),
            "Node 'sum' (TestAdd): shapes [2,3] and [4,5] differ");
  EXPECT_EQ(Add(&graph, a, Feed(&graph, "c", {2, -1})).shape(), PartialShape({2, 3}));
}

TEST(Graph, ANodeOfAnotherGraphIsRefused) {
  Graph graph;
  Graph other;
  const Output x = Source(&graph, 1, "x");
  const Output y = Source(&other, 1, "y");
  EXPECT_EQ(MessageOf([&] { Add(&graph, x, y); }),
            "Node 'add' (TestAdd): node 'y' (TestSource) belongs to another graph");
  EXPECT_EQ(MessageOf([&] { graph.AddControlInput(x.node, y.node); }),
            "node 'y' (TestSource) belongs to another graph");
  EXPECT_EQ(MessageOf([&] {
              Add(&graph, x, {x.node, 1});
            }),
            "Node 'add' (TestAdd): node 'x' (TestSource) has no output 1, it has 1");
  EXPECT_EQ(MessageOf([&] { Add(&graph, x, {}); }),
            "Node 'add' (TestAdd): a node is missing");
}

TEST(Graph, NodesAreFoundByNameAndId) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  EXPECT_EQ(graph.FindNode("x"), x.node);
  EXPECT_EQ(graph.FindNode("X"), nullptr);
  EXPECT_EQ(graph.node(0), x.node);
  EXPECT_EQ(graph.nodes(), std::vector<Node*>{x.node});
  EXPECT_EQ(x.name(), "x:0");
}

TEST(Graph, ControlInputsAreKeptOnce) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  Node* y = AddOp(&graph, "TestSource", "y", {}, {{"value", 2.0F}}, {x.node, x.node});
  EXPECT_EQ(y->control_inputs(), std::vector<Node*>{x.node});
  graph.AddControlInput(y, x.node);
  EXPECT_EQ(y->control_inputs().size(), 1U);
}

TEST(Graph, AFinalizedGraphTakesNoNodesAndNoChanges) {
  Graph graph;
  const Output x = Feed(&graph, "x");
  const Output y = testing::Sleep(&graph, x, 0);
  graph.Finalize();
  const std::string message = "Graph is finalized and cannot be modified.";
  EXPECT_EQ(MessageOf([&] { Source(&graph, 1); }), message);
  EXPECT_EQ(MessageOf([&] { graph.AddControlInput(y.node, x.node); }), message);
  EXPECT_EQ(MessageOf([&] { graph.UpdateInput(y.node, 0, x); }), message);
  EXPECT_EQ(MessageOf([&] { graph.SetAttr(y.node, "ms", int64_t{1}); }), message);
  EXPECT_EQ(MessageOf([&] { graph.SetDevice(y.node, "/gpu:0"); }), message);
  graph.MergeOutputShape(x, {7});
  EXPECT_EQ(x.shape(), PartialShape({7}));
}

TEST(Graph, ADeviceIsKeptAsItWasGiven) {
  Graph graph;
  const Output x = Source(&graph, 1);
  graph.SetDevice(x.node, "/gpu:0");
  EXPECT_EQ(x.node->device(), "/gpu:0");
}

TEST(Graph, AnInputChangesOnlyToOneOfItsType) {
  Graph graph;
  const Output a = Feed(&graph, "a", {2});
  const Output b = Feed(&graph, "b", {-1});
  const Output c = Feed(&graph, "c", {3});
  const Output n{AddOp(&graph, "TestInt", "n")};
  const Output sum = Add(&graph, b, a, "sum");
  EXPECT_EQ(MessageOf([&] { graph.UpdateInput(sum.node, 0, n); }),
            "Node 'sum' (TestAdd): input 0 is float32, cannot come from n:0, which is "
            "int32");
  EXPECT_EQ(MessageOf([&] { graph.UpdateInput(sum.node, 2, a); }),
            "Node 'sum' (TestAdd): has no input 2, it has 2");
  EXPECT_EQ(MessageOf([&] { graph.UpdateInput(sum.node, 0, c); }),
            "Node 'sum' (TestAdd): shapes [3] and [2] differ");
  EXPECT_EQ(sum.node->inputs()[0], b);
  graph.UpdateInput(sum.node, 1, c);
  EXPECT_EQ(sum.node->inputs()[1], c);
  EXPECT_EQ(sum.shape(), PartialShape({3}));
}

TEST(Graph, AnAttributeChangesWithinWhatTheOpAllows) {
  Graph graph;
  const Output x = Source(&graph, 1);
  const Output sum = Add(&graph, x, x, "sum");
  const Output fail = testing::Fail(&graph, x, "error");
  graph.SetAttr(x.node, "value", 4.0F);
  EXPECT_EQ(x.node->attrs().Get<float>("value"), 4.0F);
  graph.SetAttr(x.node, "_mine", int64_t{9});
  EXPECT_EQ(x.node->attrs().Get<int64_t>("_mine"), 9);
  EXPECT_NE(MessageOf([&] { graph.SetAttr(x.node, "volume", 4.0F); }), "");
  EXPECT_NE(MessageOf([&] { graph.SetAttr(fail.node, "how", std::string("so")); }), "");
  EXPECT_NE(MessageOf([&] { graph.SetAttr(sum.node, "T", DType::kInt32); }), "");
  EXPECT_EQ(sum.node->attrs().Get<DType>("T"), DType::kFloat32);
}

TEST(Graph, ShapesThatAreMergedKnowWhatBothKnew) {
  Graph graph;
  const Output x = Feed(&graph, "x", {-1, 3});
  graph.MergeOutputShape(x, {2, -1});
  EXPECT_EQ(x.shape(), PartialShape({2, 3}));
  EXPECT_EQ(MessageOf([&] {
              graph.MergeOutputShape(x, {5, 3});
            }),
            "Node 'x' (TestFeed): shapes [2,3] and [5,3] differ");
}

TEST(Graph, TheVersionTellsWhetherAnythingHasChanged) {
  Graph graph;
  const int64_t empty = graph.version();
  const Output x = Source(&graph, 1);
  const int64_t one = graph.version();
  EXPECT_NE(one, empty);
  EXPECT_EQ(graph.num_edits(), 0);
  graph.SetDevice(x.node, "/cpu:0");
  EXPECT_NE(graph.version(), one);
  EXPECT_EQ(graph.num_edits(), 1);
}

}  // namespace
}  // namespace minitf
