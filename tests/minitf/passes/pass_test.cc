// The list of passes, its switches, and what holds for all of them together.

#include "minitf/passes/pass.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/graph/graph_text.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

std::vector<std::string> PassesThatAreOn(const PassOptions& options) {
  std::vector<std::string> names;
  for (const Pass& pass : Passes()) {
    if (IsOn(pass, options)) names.emplace_back(pass.name);
  }
  return names;
}

TEST(PassOptions, SwitchesPassesByTheirNamesAndByTensorFlows) {
  EXPECT_EQ(PassesThatAreOn(ParsePassOptions("")).size(), Passes().size());
  EXPECT_EQ(PassesThatAreOn(ParsePassOptions("all=off")), std::vector<std::string>{});
  EXPECT_EQ(PassesThatAreOn(ParsePassOptions("all=off, prune=on")),
            std::vector<std::string>{"prune"});
  EXPECT_EQ(PassesThatAreOn(ParsePassOptions("all=off,arithmetic_optimization=ON")),
            std::vector<std::string>{"rewrite"});
  EXPECT_EQ(PassesThatAreOn(ParsePassOptions("all=off,pruning=on")),
            std::vector<std::string>{"prune"});
  EXPECT_EQ(PassesThatAreOn(ParsePassOptions("prune=off,prune=default")).size(),
            Passes().size() - 1);
  PassOptions options;
  options.enabled = false;
  EXPECT_EQ(PassesThatAreOn(options), std::vector<std::string>{});
}

TEST(PassOptions, SaysWhatIsWrong) {
  EXPECT_NE(MessageOf([] { ParsePassOptions("prun=on"); }).find("did you mean 'prune'"),
            std::string::npos);
  EXPECT_EQ(MessageOf([] { ParsePassOptions("prune=maybe"); }),
            "pass 'prune' is switched on, off or default, not 'maybe'");
  EXPECT_EQ(MessageOf([] { ParsePassOptions("prune"); }),
            "expected pass=on, pass=off or pass=default, got 'prune'");
}

TEST(Passes, ReportWhatTheyDid) {
  Graph graph;
  const Output x = Input(&graph, {});
  StepGraph step = StepFor({Call(&graph, "Identity", {Call(&graph, "Neg", {x})})}, {x});
  const auto reports = RunPasses(&step, Only("prune"));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].pass, "prune");
  EXPECT_EQ(reports[0].num_nodes_before, 4);
  EXPECT_EQ(reports[0].num_nodes_after, 3);
}

TEST(Passes, LeaveTheUsersGraphAsItIs) {
  Graph graph;
  const Output y = Call(&graph, "Neg", {Floats(&graph, {}, {1})});
  const std::string before = GraphText(graph);
  StepGraph step = StepFor({y});
  RunPasses(&step, OptionsOf());
  EXPECT_EQ(GraphText(graph), before);
}

// A fed tensor does not have the value of the node that it stands for.
TEST(Passes, DoNotTrustShapesThatComeFromAValueThatIsFed) {
  Graph graph;
  const Output sizes = Ints(&graph, {2, 3});
  const Output x = Input(&graph, {2, 3});
  const Output y = Call(&graph, "Reshape", {x, sizes});
  StepGraph step = StepFor({y, Call(&graph, "Shape", {y})}, {x, sizes});
  RunPasses(&step, OptionsOf());
  const Tensor feed = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto results = StepRunner(step).Run({feed, Tensor::Of<int32_t>({2}, {3, 2})});
  EXPECT_EQ(results[0].shape(), Shape({3, 2}));
  EXPECT_EQ(AsDoubles(results[1]), (std::vector<double>{3, 2}));
}

TEST(Passes, FetchOfAFeedIsTheFeed) {
  Graph graph;
  const Output x = Input(&graph, {});
  StepGraph step = StepFor({x}, {x});
  RunPasses(&step, OptionsOf());
  EXPECT_EQ(Number(StepRunner(step).Run({Tensor::Scalar(4.0f)})[0]), 4);
}

TEST(Passes, TakeALongChainWithoutRecursion) {
  Graph graph;
  Output y = Input(&graph, {2});
  const Output x = y;
  const Output one = Floats(&graph, {}, {1});
  for (int i = 0; i < 20'000; ++i) y = Call(&graph, i % 2 ? "Mul" : "AddV2", {y, one});
  StepGraph step = StepFor({y}, {x});
  RunPasses(&step, OptionsOf());
  EXPECT_EQ(CountOf(step, "Mul"), 0);
  EXPECT_LE(CountOf(step, "_FusedElementwise"), 10'000 / 60);
  for (const PassReport& report : RunPasses(&step, OptionsOf())) {
    EXPECT_EQ(report.num_changes, 0) << report.pass;
  }
}

TEST(GraphText, ShowsNodesEdgesAndDevices) {
  Graph graph;
  const Output x = Input(&graph, {2, -1}, "x");
  Node* y = AddOp(&graph, "Neg", "y", {x}, {}, {x.node});
  graph.SetDevice(y, "/cpu:1");
  EXPECT_NE(GraphText(graph).find("y = Neg[T=float32](x, ^x) -> float32 [2,?] @ /cpu:1"),
            std::string::npos)
      << GraphText(graph);
  const std::string dot = GraphDot(graph);
  EXPECT_NE(dot.find("\"x\" -> \"y\" [label=\"[2,?]\"]"), std::string::npos) << dot;
  EXPECT_NE(dot.find("\"x\" -> \"y\" [style=dashed]"), std::string::npos);
  EXPECT_NE(dot.find("fillcolor=\"/pastel19/1\""), std::string::npos);
}

}  // namespace
}  // namespace minitf::testing
