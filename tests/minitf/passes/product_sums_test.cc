// Sums of products: which become one product, which stay, and that the numbers do not
// change.

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// A sum of products a'b, a of [k,6] and b of [k,5], one for each k.
struct ProductSum {
  explicit ProductSum(const std::vector<int64_t>& ks, bool transpose_a = true) {
    for (const int64_t k : ks) {
      const Shape a = transpose_a ? Shape{k, 6} : Shape{6, k};
      const Shape b = {k, 5};
      xs.push_back(Input(&graph, {a.dim(0), a.dim(1)}));
      xs.push_back(Input(&graph, {k, 5}));
      feeds.push_back(RandomFloats(a, static_cast<int>(xs.size())));
      feeds.push_back(RandomFloats(b, static_cast<int>(xs.size()) + 100));
      products.push_back(Call(&graph, "MatMul", {xs[xs.size() - 2], xs.back()},
                              {{"transpose_a", transpose_a}}));
    }
    sum = Call(&graph, "AddN", products, {}, "sum");
  }

  // The number of nodes of `type` after the pass, which must not change the result.
  int CountAfter(const std::string& type, const std::vector<Output>& more = {}) {
    std::vector<Output> fetches = {Call(&graph, "Neg", {sum})};
    fetches.insert(fetches.end(), more.begin(), more.end());
    StepGraph step = StepFor(fetches, xs);
    const Tensor before = StepRunner(step).Run(feeds)[0];
    RunPasses(&step, Only("product_sums"));
    EXPECT_TRUE(AllClose(StepRunner(step).Run(feeds)[0], before, 1e-5));
    return CountOf(step, type);
  }

  Graph graph;
  std::vector<Output> xs, products;
  std::vector<Tensor> feeds;
  Output sum;
};

TEST(ProductSums, BecomeOneProduct) {
  ProductSum four({2, 2, 2, 2});
  EXPECT_EQ(four.CountAfter("MatMul"), 1);
}

TEST(ProductSums, MayHaveFactorsOfDifferentLengths) {
  ProductSum four({1, 2, 3, 4});
  EXPECT_EQ(four.CountAfter("AddN"), 0);
}

TEST(ProductSums, StayWhereFactorsAreLargerThanProducts) {
  ProductSum four({20, 20, 20, 20});  // 440 numbers to copy, 30 to add
  EXPECT_EQ(four.CountAfter("MatMul"), 4);
}

TEST(ProductSums, StayWhereThereAreFew) {
  EXPECT_EQ(ProductSum({2, 2, 2}).CountAfter("MatMul"), 3);
}

TEST(ProductSums, StayIfTheFirstFactorsAreNotTransposed) {
  EXPECT_EQ(ProductSum({2, 2, 2, 2}, false).CountAfter("MatMul"), 4);
}

TEST(ProductSums, StayIfAProductIsSeenByOthers) {
  ProductSum four({2, 2, 2, 2});
  EXPECT_EQ(four.CountAfter("MatMul", {Call(&four.graph, "Exp", {four.products[2]})}), 4);
}

TEST(ProductSums, StayIfAProductIsOnAnotherDevice) {
  ProductSum four({2, 2, 2, 2});
  four.graph.SetDevice(four.products[1].node, "/cpu:1");
  EXPECT_EQ(four.CountAfter("MatMul"), 4);
}

TEST(ProductSums, StayIfAProductIsComputedByALabel) {
  ProductSum four({2, 2, 2, 2});
  four.products[3] = Call(&four.graph, "MatMul", {four.xs[6], four.xs[7]},
                          {{"transpose_a", true}, {"_kernel", std::string("naive")}});
  four.sum = Call(&four.graph, "AddN", four.products);
  EXPECT_EQ(four.CountAfter("MatMul"), 4);
}

TEST(ProductSums, StayIfTheSecondFactorsAreTransposed) {
  ProductSum four({5, 5, 5, 5});
  for (Output& product : four.products) {
    const Output b = product.node->inputs()[1];  // [5,5]
    product = Call(&four.graph, "MatMul", {product.node->inputs()[0], b},
                   {{"transpose_a", true}, {"transpose_b", true}});
  }
  four.sum = Call(&four.graph, "AddN", four.products);
  EXPECT_EQ(four.CountAfter("MatMul"), 4);
}

TEST(ProductSums, StayIfAProductIsFetched) {
  ProductSum four({2, 2, 2, 2});
  EXPECT_EQ(four.CountAfter("MatMul", {four.products[0]}), 4);
}

TEST(ProductSums, StayIfAProductWaits) {
  ProductSum four({2, 2, 2, 2});
  NodeSpec spec;
  spec.op = "MatMul";
  spec.inputs = {four.xs[0], four.xs[1]};
  spec.control_inputs = {four.products[1].node};
  spec.attrs.Set("transpose_a", true);
  four.products[0] = four.graph.AddNode(std::move(spec))->output(0);
  four.sum = Call(&four.graph, "AddN", four.products);
  EXPECT_EQ(four.CountAfter("MatMul"), 4);
}

// With rows 2, 2, 2, 2 in the first factors and 1, 3, 2, 2 in the second ones the joined
// factors would fit, and the products do not.
TEST(ProductSums, StayIfTheRowsOfAFactorAreNotKnown) {
  ProductSum four({2, 2, 2, 2});
  four.xs[1] = Input(&four.graph, {-1, 5});
  four.products[0] =
      Call(&four.graph, "MatMul", {four.xs[0], four.xs[1]}, {{"transpose_a", true}});
  four.sum = Call(&four.graph, "AddN", four.products);
  EXPECT_EQ(four.CountAfter("MatMul"), 4);
}

TEST(ProductSums, StayIfSomeOtherTensorIsAdded) {
  ProductSum four({2, 2, 2, 2});
  std::vector<Output> terms = four.products;
  terms.push_back(Const(&four.graph, RandomFloats({6, 5}, 7)));
  four.sum = Call(&four.graph, "AddN", terms);
  EXPECT_EQ(four.CountAfter("MatMul"), 4);
}

}  // namespace
}  // namespace minitf::testing
