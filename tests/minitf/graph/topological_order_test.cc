// Tests of orders, cycles and ancestors.

#include "minitf/graph/topological_order.h"

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

std::vector<std::string> NamesOf(const std::vector<Node*>& nodes) {
  std::vector<std::string> names;
  for (const Node* node : nodes) names.push_back(node->name());
  return names;
}

using Names = std::vector<std::string>;

TEST(TopologicalOrder, NodesThatMayComeInAnyOrderComeById) {
  Graph graph;
  const Output a = Source(&graph, 1, "a");
  const Output b = Source(&graph, 2, "b");
  const Output c = Add(&graph, a, b, "c");
  const Output d = Source(&graph, 3, "d");
  EXPECT_EQ(NamesOf(TopologicalOrder({d.node, c.node, b.node, a.node})),
            (Names{"a", "b", "c", "d"}));
}

TEST(TopologicalOrder, AControlInputComesFirst) {
  Graph graph;
  const Output a = Source(&graph, 1, "a");
  const Output b = Source(&graph, 2, "b");
  graph.AddControlInput(a.node, b.node);
  EXPECT_EQ(NamesOf(TopologicalOrder(graph.nodes())), (Names{"b", "a"}));
}

TEST(TopologicalOrder, EdgesFromOutsideDoNotCount) {
  Graph graph;
  const Output a = Source(&graph, 1, "a");
  const Output b = Add(&graph, a, a, "b");
  EXPECT_EQ(NamesOf(TopologicalOrder({b.node})), Names{"b"});
  EXPECT_TRUE(TopologicalOrder({}).empty());
}

TEST(TopologicalOrder, ACycleIsNamedInItsDirection) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  const Output a = Add(&graph, x, x, "a");
  const Output b = Add(&graph, a, x, "b");
  const Output c = Add(&graph, b, x, "c");
  Add(&graph, c, x, "after");
  graph.UpdateInput(a.node, 1, c);
  EXPECT_EQ(MessageOf([&] { TopologicalOrder(graph.nodes()); }),
            "the graph has a cycle: a -> b -> c -> a");
}

TEST(TopologicalOrder, ANodeMayBeACycleOfItsOwn) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  const Output a = Add(&graph, x, x, "a");
  graph.AddControlInput(a.node, a.node);
  EXPECT_EQ(MessageOf([&] { TopologicalOrder(graph.nodes()); }),
            "the graph has a cycle: a -> a");
}

TEST(TopologicalOrder, TheMiddleOfALongCycleIsLeftOut) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  const Output first = Add(&graph, x, x, "n");
  Output last = first;
  for (int i = 1; i < 25; ++i) last = Add(&graph, last, x, "n");
  graph.UpdateInput(first.node, 0, last);
  const std::string message = MessageOf([&] { TopologicalOrder(graph.nodes()); });
  EXPECT_NE(message.find("n_19 -> (5 more) -> n"), std::string::npos) << message;
}

TEST(TopologicalOrder, AVeryLongChainNeedsNoStack) {
  Graph graph;
  Output x = Source(&graph, 1, "x");
  std::vector<Node*> nodes = {x.node};
  for (int i = 0; i < 200'000; ++i) nodes.push_back((x = Add(&graph, x, x)).node);
  std::vector<Node*> backwards(nodes.rbegin(), nodes.rend());
  EXPECT_EQ(TopologicalOrder(backwards), nodes);
  EXPECT_EQ(Ancestors({x.node}, {}), nodes);
}

TEST(Ancestors, AreFoundUpToWhatIsFed) {
  Graph graph;
  const Output a = Source(&graph, 1, "a");
  const Output b = Add(&graph, a, a, "b");
  const Output c = Add(&graph, b, b, "c");
  Source(&graph, 4, "other");
  EXPECT_EQ(NamesOf(Ancestors({c.node}, {})), (Names{"a", "b", "c"}));
  EXPECT_EQ(NamesOf(Ancestors({c.node}, {b})), Names{"c"});
  EXPECT_EQ(NamesOf(Ancestors({c.node, b.node}, {b})), (Names{"a", "b", "c"}));
  EXPECT_TRUE(Ancestors({}, {}).empty());
}

TEST(Ancestors, APlaceholderThatIsFedIsNotWaitedFor) {
  Graph graph;
  const Output x = Feed(&graph, "x");
  const Output effect = testing::Record(&graph, Source(&graph, 1, "s"), "effect");
  Node* y =
      AddOp(&graph, "TestSource", "y", {}, {{"value", 1.0F}}, {x.node, effect.node});
  EXPECT_EQ(NamesOf(Ancestors({y}, {x, effect})), (Names{"s", "effect", "y"}));
  EXPECT_EQ(NamesOf(Ancestors({y}, {})), (Names{"x", "s", "effect", "y"}));
}

TEST(Ancestors, WhatAFedPlaceholderWaitsForIsNotNeeded) {
  Graph graph;
  const Output s = Source(&graph, 1, "s");
  const Attrs attrs = {{"dtype", DType::kFloat32}};
  Node* x = AddOp(&graph, "Placeholder", "x", {}, attrs, {s.node});
  Node* waits = AddOp(&graph, "TestSource", "waits", {}, {{"value", 1.0F}}, {s.node});
  Node* y = AddOp(&graph, "TestSource", "y", {}, {{"value", 1.0F}}, {x, waits});
  const Output fed_x = x->output(0);
  EXPECT_EQ(NamesOf(Ancestors({y}, {fed_x})), (Names{"s", "waits", "y"}));
  EXPECT_EQ(NamesOf(Ancestors({y}, {fed_x, waits->output(0)})),
            (Names{"s", "waits", "y"}));
  EXPECT_EQ(NamesOf(Ancestors({y}, {})), (Names{"s", "x", "waits", "y"}));
}

}  // namespace
}  // namespace minitf
