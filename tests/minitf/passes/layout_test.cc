// Layout: chains of NCHW nodes are turned once at each end.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

const std::string kNchw = "NCHW";

Output Conv(Graph* graph, Output x, int64_t channels, int64_t k) {
  const Output w = Const(graph, RandomFloats({2, 3, channels, k}, 7));
  return Call(graph, "Conv2D", {x, w},
              {{"strides", std::vector<int64_t>{1, 1, 1, 2}},
               {"padding", std::string("EXPLICIT")},
               {"explicit_paddings", std::vector<int64_t>{0, 0, 0, 0, 1, 0, 2, 1}},
               {"data_format", kNchw}});
}

Output Pool(Graph* graph, Output x) {
  const std::vector<int64_t> window = {1, 1, 2, 1};
  return Call(graph, "MaxPool", {x},
              {{"ksize", window},
               {"strides", window},
               {"padding", std::string("VALID")},
               {"data_format", kNchw}});
}

PassOptions LayoutAndRewrites() {
  return OptionsOf("all=off,layout=on,rewrite=on,prune=on");
}

TEST(Layout, TurnsAChainOnceAtEachEnd) {
  Graph graph;
  const Output x = Input(&graph, {2, 3, 6, 8});
  const Output a =
      Call(&graph, "BiasAdd", {Conv(&graph, x, 3, 4), Floats(&graph, {4}, {1, 2, 3, 4})},
           {{"data_format", kNchw}});
  const Output b = Conv(&graph, Pool(&graph, Call(&graph, "Relu", {a})), 4, 5);
  StepGraph step = StepFor({Call(&graph, "Tanh", {b}, {}, "y")}, {x});
  const Tensor feed = RandomFloats({2, 3, 6, 8}, 1);
  const Tensor before = StepRunner(step).Run({feed})[0];
  RunPasses(&step, LayoutAndRewrites());
  EXPECT_EQ(CountOf(step, "Transpose"), 2);
  EXPECT_EQ(Find(step, "y")->type(), "Transpose");  // back to what the user asked for
  EXPECT_TRUE(AllClose(StepRunner(step).Run({feed})[0], before, 1e-6));
}

TEST(Layout, TurnsANormalizationAndLeavesItsMoments) {
  Graph graph;
  const Output x = Input(&graph, {2, 3, 6, 8});
  const Output four = Const(&graph, RandomFloats({4}, 3));
  const Output none = Const(&graph, Tensor(DType::kFloat32, Shape{0}));
  const Output normalized =
      Call(&graph, "FusedBatchNormV3", {Conv(&graph, x, 3, 4), four, four, none, none},
           {{"data_format", kNchw}});
  const Output b = Conv(&graph, Call(&graph, "Relu", {normalized}), 4, 5);
  const Output mean = {normalized.node, 1};
  StepGraph step = StepFor(
      {Call(&graph, "Tanh", {b}, {}, "y"), Call(&graph, "Square", {mean}, {}, "mean")},
      {x});
  const Tensor feed = RandomFloats({2, 3, 6, 8}, 1);
  const auto before = StepRunner(step).Run({feed});
  RunPasses(&step, LayoutAndRewrites());
  EXPECT_EQ(CountOf(step, "Transpose"), 2);
  EXPECT_EQ(CountOf(step, "FusedBatchNormV3"), 1);
  const auto after = StepRunner(step).Run({feed});
  EXPECT_TRUE(AllClose(after[0], before[0], 1e-5));
  EXPECT_TRUE(AllClose(after[1], before[1], 1e-6));
}

TEST(Layout, LeavesANodeThatStandsAlone) {
  Graph graph;
  const Output x = Input(&graph, {2, 3, 6, 8});
  StepGraph step = StepFor({Call(&graph, "Relu", {Conv(&graph, x, 3, 4)})}, {x});
  RunPasses(&step, LayoutAndRewrites());
  EXPECT_EQ(CountOf(step, "Transpose"), 0);
}

TEST(Layout, LeavesAGraphThatTrains) {
  Graph graph;
  const Output x = Input(&graph, {2, 3, 6, 8});
  const Output y = Pool(&graph, Conv(&graph, x, 3, 4));
  const Output grad = Call(&graph, "BiasAddGrad", {y}, {{"data_format", kNchw}});
  StepGraph step = StepFor({y, grad}, {x});
  RunPasses(&step, LayoutAndRewrites());
  EXPECT_EQ(CountOf(step, "Transpose"), 0);
}

}  // namespace
}  // namespace minitf::testing
