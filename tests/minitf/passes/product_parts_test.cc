// Parts of products: which are computed alone, which stay, and that the numbers do not
// change.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// The columns of a product of [3,4] and [4,5] in pieces, by default of 2 and 3.
struct Pieces {
  explicit Pieces(bool transpose_b = true, std::vector<int32_t> sizes = {2, 3},
                  int32_t axis = 1, const PartialShape& of_a = {3, 4}) {
    const Shape b = transpose_b ? Shape{5, 4} : Shape{4, 5};
    xs = {Input(&graph, of_a), Input(&graph, {b.dim(0), b.dim(1)})};
    feeds = {RandomFloats({3, 4}, 1), RandomFloats(b, 2)};
    product = Call(&graph, "MatMul", xs, {{"transpose_b", transpose_b}});
    const auto count = static_cast<int64_t>(sizes.size());
    const Output lengths = Const(&graph, Tensor::Of(Shape{count}, sizes));
    const Output along = Const(&graph, Tensor::Scalar(axis));
    split =
        Call(&graph, "SplitV", {product, lengths, along}, {{"num_split", count}}).node;
  }

  // The number of nodes of `type` after the pass, which must not change `used`.
  int CountAfter(const std::string& type, const std::vector<Output>& used) {
    std::vector<Output> fetches;
    for (const Output& x : used) fetches.push_back(Call(&graph, "Neg", {x}));
    StepGraph step = StepFor(fetches, xs);
    const std::vector<Tensor> before = StepRunner(step).Run(feeds);
    RunPasses(&step, Only("product_parts"));
    const std::vector<Tensor> after = StepRunner(step).Run(feeds);
    for (size_t i = 0; i < used.size(); ++i) {
      EXPECT_TRUE(AllClose(after[i], before[i], 1e-5));
    }
    return CountOf(step, type);
  }

  Graph graph;
  std::vector<Output> xs;
  std::vector<Tensor> feeds;
  Output product;
  Node* split = nullptr;
};

TEST(ProductParts, AreComputedAlone) {
  for (const int piece : {0, 1}) {
    Pieces pieces;
    EXPECT_EQ(pieces.CountAfter("SplitV", {pieces.split->output(piece)}), 0);
  }
}

TEST(ProductParts, AreTakenFromRowsOfTheSecondFactor) {
  Pieces pieces;
  EXPECT_EQ(pieces.CountAfter("Slice", {pieces.split->output(1)}), 1);
}

TEST(ProductParts, MayBeEmpty) {
  Pieces pieces(true, {0, 4, 1});
  EXPECT_EQ(pieces.CountAfter("SplitV", {pieces.split->output(0)}), 0);
}

TEST(ProductParts, MayBeUsedTwiceAndCountTheAxisFromTheEnd) {
  Pieces pieces(true, {1, 2, 2}, -1);
  const Output piece = pieces.split->output(1);
  EXPECT_EQ(pieces.CountAfter("SplitV", {piece, piece}), 0);
}

TEST(ProductParts, MayHaveAnyNumberOfRows) {
  Pieces pieces(true, {2, 3}, 1, {-1, 4});
  EXPECT_EQ(pieces.CountAfter("SplitV", {pieces.split->output(0)}), 0);
}

TEST(ProductParts, StayIfSeveralAreUsed) {
  Pieces pieces;
  const std::vector<Output> both = {pieces.split->output(0), pieces.split->output(1)};
  EXPECT_EQ(pieces.CountAfter("SplitV", both), 1);
}

TEST(ProductParts, StayIfTheProductIsSeenByOthers) {
  Pieces pieces;
  EXPECT_EQ(pieces.CountAfter("SplitV", {pieces.split->output(0), pieces.product}), 1);
}

TEST(ProductParts, StayIfRowsWouldHaveToBeCopied) {
  Pieces pieces(false);
  EXPECT_EQ(pieces.CountAfter("SplitV", {pieces.split->output(0)}), 1);
}

TEST(ProductParts, StayIfRowsOfTheProductAreSplit) {
  Pieces pieces(true, {1, 2}, 0);
  EXPECT_EQ(pieces.CountAfter("SplitV", {pieces.split->output(0)}), 1);
}

TEST(ProductParts, StayIfASizeIsLeftToTheKernel) {
  Pieces pieces(true, {-1, 3});
  EXPECT_EQ(pieces.CountAfter("SplitV", {pieces.split->output(0)}), 1);
}

TEST(ProductParts, StayIfTheProductIsComputedByALabel) {
  Pieces pieces;
  const Attrs attrs = {{"transpose_b", true}, {"_kernel", std::string("naive")}};
  const Output labelled = Call(&pieces.graph, "MatMul", pieces.xs, attrs);
  std::vector<Output> inputs = pieces.split->inputs();
  inputs[0] = labelled;
  Node* const split =
      Call(&pieces.graph, "SplitV", inputs, {{"num_split", int64_t{2}}}).node;
  EXPECT_EQ(pieces.CountAfter("SplitV", {split->output(1)}), 1);
}

}  // namespace
}  // namespace minitf::testing
