// Random graphs, 2,000 of them, give the same results with every subset of the passes.

#include "tests/minitf/passes/random_graph.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/graph/graph_text.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

constexpr int kNumSteps = 2;
constexpr double kTolerance = 1e-5;

struct Results {
  std::vector<Tensor> fetches;        // of all steps
  std::vector<std::string> recorded;  // which nodes with effects have run, sorted
};

Results RunSteps(const StepGraph& step, const RandomGraph& graph) {
  Results results;
  StepRunner runner(step);
  TakeRecordedRuns();
  for (int i = 0; i < kNumSteps; ++i) {
    for (Tensor& fetch : runner.Run(graph.Feeds(i))) {
      results.fetches.push_back(std::move(fetch));
    }
  }
  results.recorded = TakeRecordedRuns();
  std::ranges::sort(results.recorded);
  return results;
}

std::string RandomSubset(std::mt19937* random) {
  std::string text = "all=off";
  for (const Pass& pass : Passes()) {
    if ((*random)() % 3 != 0) text += ',' + std::string(pass.name) + "=on";
  }
  return text;
}

void ExpectSame(const Results& actual, const Results& expected) {
  ASSERT_EQ(actual.fetches.size(), expected.fetches.size());
  for (size_t i = 0; i < actual.fetches.size(); ++i) {
    EXPECT_EQ(actual.fetches[i].dtype(), expected.fetches[i].dtype());
    EXPECT_TRUE(AllClose(actual.fetches[i], expected.fetches[i], kTolerance));
  }
  EXPECT_EQ(actual.recorded, expected.recorded);
}

void ExpectDevicesKept(const StepGraph& after, const StepGraph& before) {
  for (const Node* node : after.graph->nodes()) {
    const Node* origin = before.graph->FindNode(node->name());
    if (origin == nullptr) continue;
    EXPECT_EQ(node->device(), origin->device()) << node->name();
  }
}

void CheckGraph(unsigned seed, const std::string& passes) {
  SCOPED_TRACE(StrCat("seed ", seed, ", passes ", passes));
  const RandomGraph graph(seed);
  const StepGraph plain = MakeStepGraph(graph.request());
  StepGraph optimized = MakeStepGraph(graph.request());
  const PassOptions options = OptionsOf(passes);
  RunPasses(&optimized, options);
  const std::string text = GraphText(*optimized.graph);
  const std::string texts = GraphText(*plain.graph) + "----\n" + text;
  Results expected;
  try {
    expected = RunSteps(plain, graph);
  } catch (const Error&) {  // sizes that are not known before the step do not fit
    EXPECT_THROW(RunSteps(optimized, graph), Error) << texts;
    return;
  }
  ASSERT_NO_THROW({ ExpectSame(RunSteps(optimized, graph), expected); }) << texts;
  ExpectDevicesKept(optimized, plain);

  for (const PassReport& report : RunPasses(&optimized, options)) {
    EXPECT_EQ(report.num_changes, 0) << report.pass << " found more the second time";
  }
  EXPECT_EQ(GraphText(*optimized.graph), text);
  if (::testing::Test::HasFailure()) {
    ADD_FAILURE() << texts;
  }
}

TEST(RandomGraphs, GiveTheSameResultsWithAllPasses) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    CheckGraph(seed, "all=on");
    if (HasFailure()) return;
  }
}

TEST(RandomGraphs, GiveTheSameResultsWithAnySubsetOfPasses) {
  std::mt19937 random(5);
  for (unsigned seed = 1000; seed < 2000; ++seed) {
    CheckGraph(seed, RandomSubset(&random));
    if (HasFailure()) return;
  }
}

// A generator that makes nothing to optimise would prove nothing.
TEST(RandomGraphs, GiveEachPassSomethingToDo) {
  for (const Pass& pass : Passes()) {
    int num_changes = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      const RandomGraph graph(seed);
      StepGraph step = MakeStepGraph(graph.request());
      num_changes += RunPasses(&step, Only(pass.name))[0].num_changes;
    }
    EXPECT_GE(num_changes, 10) << pass.name;
  }
}

}  // namespace
}  // namespace minitf::testing
