// Arithmetic rewrites: each rule, and the case that looks like it and is not.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// The graph of `y`, rewritten and pruned.
StepGraph Rewritten(const Output& y, const std::vector<Output>& feeds) {
  StepGraph step = StepFor({y}, feeds);
  RunPasses(&step, OptionsOf("all=off,rewrite=on,prune=on"));
  return step;
}

// Whether what is fetched is the feed itself.
bool IsFeed(const StepGraph& step) {
  return step.retvals[0]->inputs()[0].node == step.args[0];
}

TEST(Rewrite, DropsNeutralElements) {
  Graph graph;
  const Output x = Input(&graph, {2, 3});
  const Output one = Floats(&graph, {}, {1});
  const Output zeros = Floats(&graph, {3}, {0, 0, 0});
  const Output minus_zeros = Floats(&graph, {3}, {-0.0F, -0.0F, -0.0F});
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "Mul", {x, one}), {x})));
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "Mul", {one, x}), {x})));
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "AddV2", {minus_zeros, x}), {x})));
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "Sub", {x, zeros}), {x})));
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "RealDiv", {x, one}), {x})));
}

TEST(Rewrite, KeepsWhatOnlyLooksNeutral) {
  Graph graph;
  const Output x = Input(&graph, {3});
  const Output one = Floats(&graph, {}, {1});
  const Output zero = Floats(&graph, {}, {0});
  const Output column = Floats(&graph, {2, 1}, {1, 1});
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Mul", {x, column}), {x})));  // [2,3]
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "RealDiv", {one, x}), {x})));
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Sub", {zero, x}), {x})));
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Mul", {x, zero}), {x})));
  // -0 + 0 is 0, and so is -0 - (-0).
  const Output minus_zero = Floats(&graph, {}, {-0.0F});
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "AddV2", {x, zero}), {x})));
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Sub", {x, minus_zero}), {x})));
  // Of a shape that is not known, [1] may stretch a scalar.
  const Output any = Input(&graph, {});
  const Output unknown = Input(&graph, PartialShape());
  const Output ones = Floats(&graph, {1}, {1});
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Mul", {any, ones}), {any})));
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Mul", {unknown, ones}), {unknown})));
}

TEST(Rewrite, DropsTwoNegations) {
  Graph graph;
  const Output x = Input(&graph, {3});
  const Output y = Call(&graph, "Neg", {Call(&graph, "Neg", {x})});
  EXPECT_TRUE(IsFeed(Rewritten(y, {x})));
}

TEST(Rewrite, CancelsATransposeAndItsInverse) {
  Graph graph;
  const Output x = Input(&graph, {2, 3, 4});
  const Output y = Call(&graph, "Transpose", {x, Ints(&graph, {1, 2, 0})});
  EXPECT_TRUE(
      IsFeed(Rewritten(Call(&graph, "Transpose", {y, Ints(&graph, {2, 0, 1})}), {x})));
  // The same permutation again is not its inverse.
  const StepGraph step =
      Rewritten(Call(&graph, "Transpose", {y, Ints(&graph, {1, 2, 0})}), {x});
  EXPECT_EQ(CountOf(step, "Transpose"), 1);
  Tensor feed(DType::kFloat32, {2, 3, 4});
  for (int i = 0; i < 24; ++i) feed.mutable_flat<float>()[i] = static_cast<float>(i);
  const Tensor result = StepRunner(step).Run({feed})[0];  // (i,j,k) is feed's (j,k,i)
  EXPECT_EQ(result.shape(), Shape({4, 2, 3}));
  EXPECT_EQ(result.flat<float>()[(3 * 2 + 1) * 3 + 2], (1 * 3 + 2) * 4 + 3);
}

TEST(Rewrite, JoinsReshapes) {
  Graph graph;
  const Output x = Input(&graph, {2, 6});
  const Output flat = Call(&graph, "Reshape", {x, Ints(&graph, {-1})});
  const StepGraph step =
      Rewritten(Call(&graph, "Reshape", {flat, Ints(&graph, {3, 4})}, {}, "y"), {x});
  EXPECT_EQ(CountOf(step, "Reshape"), 1);
  EXPECT_TRUE(
      IsFeed(Rewritten(Call(&graph, "Reshape", {flat, Ints(&graph, {2, 6})}), {x})));
}

TEST(Rewrite, DropsTheReshapeOfABatchToItself) {
  Graph graph;
  const Output x = Input(&graph, {-1, 6});
  EXPECT_TRUE(
      IsFeed(Rewritten(Call(&graph, "Reshape", {x, Ints(&graph, {-1, 6})}), {x})));
  EXPECT_FALSE(
      IsFeed(Rewritten(Call(&graph, "Reshape", {x, Ints(&graph, {-1, 3})}), {x})));
  const Output empty = Input(&graph, {-1, 0});
  EXPECT_FALSE(IsFeed(
      Rewritten(Call(&graph, "Reshape", {empty, Ints(&graph, {-1, 0})}), {empty})));
}

TEST(Rewrite, DropsWhatKeepsTheShape) {
  Graph graph;
  const Output x = Input(&graph, {2, 1});
  const Attrs keep = {{"keep_dims", true}};
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "Sum", {x, Ints(&graph, {1})}, keep), {x})));
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Sum", {x, Ints(&graph, {0})}, keep), {x})));
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "Tile", {x, Ints(&graph, {1, 1})}), {x})));
  EXPECT_TRUE(IsFeed(Rewritten(Call(&graph, "AddN", {x}), {x})));
}

TEST(Rewrite, FoldsTransposesIntoAProduct) {
  Graph graph;
  const Output a = Input(&graph, {3, 2}, "a");
  const Output b = Input(&graph, {4, 3}, "b");
  const Output swap = Ints(&graph, {1, 0});
  const Output y = Call(&graph, "MatMul", {Call(&graph, "Transpose", {a, swap}), b},
                        {{"transpose_b", true}}, "y");
  const StepGraph step = Rewritten(y, {a, b});
  EXPECT_EQ(CountOf(step, "Transpose"), 0);
  EXPECT_TRUE(Find(step, "y")->attrs().Get<bool>("transpose_a"));
  EXPECT_TRUE(Find(step, "y")->attrs().Get<bool>("transpose_b"));
}

TEST(Rewrite, WaitsForTheShapeThatIsDropped) {
  Graph graph;
  const Output x = Input(&graph, {2, 3});
  Node* before = Record(&graph, Source(&graph, 1), "before").node;
  const Output sizes = Ints(&graph, {2, 3});
  graph.AddControlInput(sizes.node, before);
  // Who takes the result relies on `before` having run.
  EXPECT_FALSE(IsFeed(Rewritten(Call(&graph, "Reshape", {x, sizes}), {x})));
}

TEST(Rewrite, MakesASquareOfAProductWithItself) {
  Graph graph;
  const Output x = Input(&graph, {3});
  const StepGraph step = Rewritten(Call(&graph, "Mul", {x, x}, {}, "y"), {x});
  EXPECT_EQ(Find(step, "y")->type(), "Square");
}

}  // namespace
}  // namespace minitf::testing
