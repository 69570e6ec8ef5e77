// LoopFrames: which nodes are in which loop.

#include "minitf/graph/loop_frames.h"

#include "gtest/gtest.h"
#include "tests/test_ops.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::Source;

// A loop around `start` whose round is what `body` makes of the value; the last value.
template <typename Body>
Output Loop(Graph* graph, const std::string& name, Output start, Body body) {
  const Output enter =
      AddOp(graph, "Enter", name + "/enter", {start}, {{"frame_name", name}})->output(0);
  Node* merge = AddOp(graph, "Merge", name + "/merge", {enter, enter});
  Node* is_less =
      AddOp(graph, "Less", name + "/less", {merge->output(0), merge->output(0)});
  Node* branch =
      AddOp(graph, "Switch", name + "/switch", {merge->output(0), is_less->output(0)});
  Node* next = AddOp(graph, "NextIteration", name + "/next", {body(branch->output(1))});
  graph->UpdateInput(merge, 1, next->output(0));
  return AddOp(graph, "Exit", name + "/exit", {branch->output(0)})->output(0);
}

class LoopFramesTest : public ::testing::Test {
 protected:
  // The name of the outermost loop that the node is in, and of that of its outputs.
  std::pair<std::string, std::string> LoopsOf(const std::string& name) {
    const LoopFrames loops(graph_);
    const Node* node = graph_.FindNode(name);
    const auto name_of = [&](int loop) {
      return loop == LoopFrames::kNoLoop ? "" : loops.NameOf(loop);
    };
    return {name_of(loops.LoopOf(node)), name_of(loops.LoopOfOutputs(node))};
  }

  Graph graph_;
};

using Pair = std::pair<std::string, std::string>;

TEST_F(LoopFramesTest, AGraphWithoutLoops) {
  Add(&graph_, Source(&graph_, 1), Source(&graph_, 2), "y");
  EXPECT_FALSE(LoopFrames(graph_).has_loops());
  EXPECT_EQ(LoopsOf("y"), (Pair{"", ""}));
}

TEST_F(LoopFramesTest, ALoopReachesFromEnterToExit) {
  const Output start = Source(&graph_, 1, "start");
  const Output end = Loop(&graph_, "a", start, [&](Output i) {
    Node* constant =
        AddOp(&graph_, "TestSource", "constant", {}, {{"value", 1.0F}}, {i.node});
    return Add(&graph_, i, constant->output(0), "body");
  });
  Add(&graph_, end, start, "after");
  for (const auto* name :
       {"a/enter", "a/merge", "a/less", "a/switch", "a/next", "constant", "body"}) {
    EXPECT_EQ(LoopsOf(name), (Pair{"a", "a"})) << name;
  }
  EXPECT_EQ(LoopsOf("a/exit"), (Pair{"a", ""}));
  EXPECT_EQ(LoopsOf("start"), (Pair{"", ""}));
  EXPECT_EQ(LoopsOf("after"), (Pair{"", ""}));
}

TEST_F(LoopFramesTest, OfLoopsWithinLoopsTheOutermostCounts) {
  const Output middle = Loop(&graph_, "outer", Source(&graph_, 1), [&](Output i) {
    return Loop(&graph_, "inner", i,
                [&](Output j) { return Add(&graph_, j, i, "body"); });
  });
  Loop(&graph_, "second", middle, [&](Output i) { return Add(&graph_, i, i, "other"); });
  EXPECT_EQ(LoopsOf("body"), (Pair{"outer", "outer"}));
  EXPECT_EQ(LoopsOf("inner/exit"), (Pair{"outer", "outer"}));
  EXPECT_EQ(LoopsOf("outer/exit"), (Pair{"outer", ""}));
  EXPECT_EQ(LoopsOf("other"), (Pair{"second", "second"}));
}

}  // namespace
}  // namespace minitf
