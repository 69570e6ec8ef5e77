// UseTable: the same uses as a list would have, however many there are.

#include "minitf/passes/use_table.h"

#include <set>
#include <utility>

#include "gtest/gtest.h"
#include "tests/minitf/passes/step_runner.h"

namespace minitf::testing {
namespace {

// By consumer and input.
std::set<std::pair<const Node*, int>> UsesOf(const UseTable& table, const Node* node) {
  std::set<std::pair<const Node*, int>> uses;
  for (const Use& use : table.Of(node)) uses.emplace(use.consumer, use.input);
  EXPECT_EQ(uses.size(), table.Of(node).size());
  return uses;
}

TEST(UseTable, ForgetsOneOfManyUses) {
  Graph graph;
  const Output x = Source(&graph, 3);
  std::vector<Node*> consumers;
  for (int i = 0; i < 300; ++i) consumers.push_back(Call(&graph, "Neg", {x}).node);
  UseTable table;
  table.Grow(graph.num_nodes());
  std::set<std::pair<const Node*, int>> expected;
  for (Node* consumer : consumers) {
    table.Add(x.node, {consumer, 0, 0});
    table.Add(x.node, {consumer, Use::kControl, Use::kControl});
    expected.insert({{consumer, 0}, {consumer, Use::kControl}});
  }
  EXPECT_EQ(UsesOf(table, x.node), expected);

  for (int i = 0; i < 300; i += 3) {
    table.Remove(x.node, {consumers[i], 0, 0});
    table.Remove(x.node, {consumers[i], 0, 0});  // nothing is left to remove
    expected.erase({consumers[i], 0});
  }
  EXPECT_EQ(UsesOf(table, x.node), expected);
  for (Node* consumer : consumers) {
    table.Remove(x.node, {consumer, 0, 0});
    table.Remove(x.node, {consumer, Use::kControl, Use::kControl});
  }
  EXPECT_TRUE(table.Of(x.node).empty());
  table.Add(x.node, {consumers[1], 0, 0});
  EXPECT_EQ(table.Of(x.node).size(), 1U);
}

}  // namespace
}  // namespace minitf::testing
