// Common subexpressions: which nodes are the same.

#include <string>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

int CountAfter(StepGraph step, std::string_view type) {
  RunPasses(&step, Only("common_subexpression"));
  return CountOf(step, type);
}

TEST(CommonSubexpression, MakesOneOfTwoEqualProducts) {
  Graph graph;
  const Output x = Input(&graph, {2, 2});
  const Output w = Floats(&graph, {2, 2}, {1, 2, 3, 4});
  const Output same_w = Floats(&graph, {2, 2}, {1, 2, 3, 4});
  StepGraph step = StepFor({Call(&graph, "MatMul", {x, w}, {}, "a"),
                            Call(&graph, "MatMul", {x, same_w}, {}, "b")},
                           {x});
  RunPasses(&step, Only("common_subexpression"));
  EXPECT_EQ(CountOf(step, "MatMul"), 1);
  EXPECT_EQ(CountOf(step, "Const"), 1);
  EXPECT_EQ(step.retvals[1]->inputs()[0].node, Find(step, "a"));
}

TEST(CommonSubexpression, ComparesAttributes) {
  Graph graph;
  const Output x = Input(&graph, {2, 2});
  EXPECT_EQ(CountAfter(StepFor({Call(&graph, "MatMul", {x, x}),
                                Call(&graph, "MatMul", {x, x}, {{"transpose_a", true}})},
                               {x}),
                       "MatMul"),
            2);
}

TEST(CommonSubexpression, ComparesConstantsInFull) {
  Graph graph;
  Tensor zeros(DType::kFloat32, {1000});
  std::ranges::fill(zeros.mutable_flat<float>(), 0.0f);
  Tensor with_one = zeros.Clone();
  with_one.mutable_flat<float>()[500] = 1;
  EXPECT_EQ(CountAfter(StepFor({Const(&graph, zeros), Const(&graph, with_one)}), "Const"),
            2);
}

TEST(CommonSubexpression, SortsTheInputsOfCommutativeOpsOnly) {
  Graph graph;
  const Output x = Input(&graph, {}, "x");
  const Output y = Input(&graph, {}, "y");
  EXPECT_EQ(CountAfter(StepFor({Call(&graph, "Mul", {x, y}), Call(&graph, "Mul", {y, x})},
                               {x, y}),
                       "Mul"),
            1);
  EXPECT_EQ(CountAfter(StepFor({Call(&graph, "Sub", {x, y}), Call(&graph, "Sub", {y, x})},
                               {x, y}),
                       "Sub"),
            2);
}

TEST(CommonSubexpression, ComparesDevicesAndControlInputs) {
  Graph graph;
  const Output x = Input(&graph, {});
  Node* barrier = Record(&graph, Source(&graph, 1), "barrier").node;
  const Output plain = Call(&graph, "Neg", {x});
  const Output elsewhere = Call(&graph, "Neg", {x});
  graph.SetDevice(elsewhere.node, "/cpu:1");
  const Output later = AddOp(&graph, "Neg", "later", {x}, {}, {barrier})->output(0);
  EXPECT_EQ(CountAfter(StepFor({plain, elsewhere, later}, {x}), "Neg"), 3);
}

TEST(CommonSubexpression, KeepsTwoRandomNumbersApart) {
  Graph graph;
  const Output shape = Ints(&graph, {3});
  const Attrs attrs = {{"dtype", DType::kFloat32}};
  EXPECT_EQ(CountAfter(StepFor({Call(&graph, "RandomUniform", {shape}, attrs),
                                Call(&graph, "RandomUniform", {shape}, attrs)}),
                       "RandomUniform"),
            2);
}

TEST(CommonSubexpression, MergesAWholeTreeInOneVisit) {
  Graph graph;
  const Output x = Input(&graph, {3});
  const auto tree = [&] {
    const Output a = Call(&graph, "Exp", {Call(&graph, "Neg", {x})});
    return Call(&graph, "Tanh", {Call(&graph, "AddV2", {a, x})});
  };
  StepGraph step = StepFor({Call(&graph, "Mul", {tree(), tree()}, {}, "product")}, {x});
  RunPasses(&step, Only("common_subexpression"));
  EXPECT_EQ(step.graph->nodes().size(), 7u);
  const Node* product = Find(step, "product");
  EXPECT_EQ(product->inputs()[0], product->inputs()[1]);
}

}  // namespace
}  // namespace minitf::testing
