// Pruning: what goes, and what has to stay.

#include <vector>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"

namespace minitf::testing {
namespace {

int NumNodes(const StepGraph& step) {
  return static_cast<int>(step.graph->nodes().size());
}

TEST(Prune, RemovesIdentitiesInARow) {
  Graph graph;
  const Output x = Source(&graph, 3);
  const Output copy = Call(&graph, "Identity", {Call(&graph, "StopGradient", {x})});
  StepGraph step = StepFor({Call(&graph, "Neg", {copy}, {}, "y")});
  EXPECT_EQ(NumNodes(step), 5);
  RunPasses(&step, Only("prune"));
  EXPECT_EQ(NumNodes(step), 3);  // the source, y and its _Retval
  EXPECT_EQ(Find(step, "y")->inputs()[0].node, Find(step, "source"));
  EXPECT_EQ(Number(StepRunner(step).Run({})[0]), -3);
}

TEST(Prune, KeepsAnIdentityThatCopiesToAnotherDevice) {
  Graph graph;
  const Output x = Source(&graph, 3);
  const Output copy = Call(&graph, "Identity", {x}, {}, "copy");
  graph.SetDevice(copy.node, "/cpu:1");
  StepGraph step = StepFor({copy});
  RunPasses(&step, Only("prune"));
  EXPECT_EQ(Find(step, "copy")->device(), "/cpu:1");
}

TEST(Prune, KeepsATargetThoughItDoesNothing) {
  Graph graph;
  const Output copy = Call(&graph, "Identity", {Source(&graph, 3)}, {}, "copy");
  StepGraph step = StepFor({}, {}, {copy.node});
  RunPasses(&step, Only("prune"));
  EXPECT_EQ(step.targets, std::vector<Node*>{Find(step, "copy")});
}

TEST(Prune, KeepsWhatHasEffectsWhenItsReaderGoes) {
  Graph graph;
  const Output printed = Record(&graph, Source(&graph, 3), "printed");
  // The shape is known without it; it shall be recorded all the same.
  StepGraph step = StepFor({Call(&graph, "Rank", {printed}, {}, "rank")});
  RunPasses(&step, OptionsOf());
  EXPECT_EQ(Find(step, "rank")->type(), "Const");
  TakeRecordedRuns();
  EXPECT_EQ(StepRunner(step).Run({})[0].scalar<int32_t>(), 0);
  EXPECT_EQ(TakeRecordedRuns(), std::vector<std::string>{"printed"});
}

TEST(Prune, KeepsWhatHasEffectsThoughNobodyNeedsIt) {
  Graph graph;
  StepGraph step = StepFor({Source(&graph, 3)});
  AddOp(step.graph.get(), "TestRecord", "alone", {Find(step, "source")->output(0)});
  AddOp(step.graph.get(), "Neg", "useless", {Find(step, "source")->output(0)});
  RunPasses(&step, OptionsOf());
  EXPECT_NE(step.graph->FindNode("alone"), nullptr);
  EXPECT_EQ(step.graph->FindNode("useless"), nullptr);
}

TEST(Prune, LetsOthersWaitForWhatANoOpWaitedFor) {
  Graph graph;
  Node* first = Record(&graph, Source(&graph, 1), "first").node;
  Node* barrier = AddOp(&graph, "NoOp", "barrier", {}, {}, {first});
  const Output x = Source(&graph, 2, "x");
  Node* last = AddOp(&graph, "TestRecord", "last", {x}, {}, {barrier});
  StepGraph step = StepFor({last->output(0)});
  RunPasses(&step, Only("prune"));
  EXPECT_EQ(step.graph->FindNode("barrier"), nullptr);
  EXPECT_EQ(Find(step, "last")->control_inputs(),
            std::vector<Node*>{Find(step, "first")});
}

TEST(Prune, KeepsANoOpThatSavesEdges) {
  Graph graph;
  std::vector<Node*> many;
  for (int i = 0; i < 3; ++i) {
    many.push_back(Record(&graph, Source(&graph, 1), "before").node);
  }
  Node* barrier = AddOp(&graph, "NoOp", "barrier", {}, {}, many);
  std::vector<Output> fetches;
  for (int i = 0; i < 3; ++i) {
    fetches.push_back(
        AddOp(&graph, "TestRecord", "after", {Source(&graph, 1)}, {}, {barrier})
            ->output(0));
  }
  StepGraph step = StepFor(fetches);
  RunPasses(&step, Only("prune"));
  EXPECT_EQ(Find(step, "barrier")->control_inputs().size(), 3u);
}

TEST(Prune, DropsTheWaitForATensorThatIsTakenAnyway) {
  Graph graph;
  const Output x = Source(&graph, 2, "x");
  Node* y = AddOp(&graph, "Neg", "y", {x}, {}, {x.node, Floats(&graph, {}, {1}).node});
  StepGraph step = StepFor({y->output(0)});
  RunPasses(&step, Only("prune"));
  EXPECT_TRUE(Find(step, "y")->control_inputs().empty());
  EXPECT_EQ(CountOf(step, "Const"), 0);
}

}  // namespace
}  // namespace minitf::testing
