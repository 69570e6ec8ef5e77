// Lab 04, public cases: gradient functions against values that can be checked by hand and
// against finite differences; AddGradients on graphs.
//
// Shapes go from small to large, and a case stops at the first that fails: that is the
// smallest one, and the report shows it. No two sizes of a shape are equal by accident.

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/framework/attrs.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/gradients/add_gradients.h"
#include "minitf/graph/graph.h"
#include "minitf/graph/graph_gradients.h"
#include "minitf/runtime/session.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

Tensor Ints(const std::vector<int32_t>& values) {
  return Tensor::Of(Shape{static_cast<int64_t>(values.size())}, values);
}

// A graph, its gradients, and a session to run both.
class TestGraph {
 public:
  Output Constant(const Tensor& value) { return graph_->AddConstant(value)->output(0); }

  Output Placeholder(const PartialShape& shape) {
    return Op("Placeholder", {}, {{"dtype", DType::kFloat64}, {"shape", shape}});
  }

  Output Op(const std::string& op, const std::vector<Output>& inputs,
            const Attrs& attrs = {}) {
    NodeSpec spec;
    spec.op = op;
    spec.inputs = inputs;
    spec.attrs = attrs;
    return graph_->AddNode(spec)->output(0);
  }

  std::vector<std::optional<Output>> Gradients(const std::vector<Output>& ys,
                                               const std::vector<Output>& xs,
                                               const std::vector<Output>& stop = {}) {
    return GraphGradients(graph_.get(), ys, xs, {}, stop, "gradients");
  }

  // dy/dx, which must exist.
  Output Gradient(Output y, Output x) { return Gradients({y}, {x})[0].value(); }

  Tensor Run(Output fetch, const std::vector<Output>& feeds = {},
             const std::vector<Tensor>& values = {}) {
    Session session(graph_, SessionOptions{1, 1});
    return session.Run(RunRequest{feeds, {fetch}, {}}, values)[0];
  }

  // How many nodes of type `op` there are.
  int Count(const std::string& op) const {
    int count = 0;
    for (const Node* node : graph_->nodes()) count += node->type() == op;
    return count;
  }

 private:
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

using ShapePair = std::pair<Shape, Shape>;

// Pairs that broadcast, small ones first.
const std::vector<ShapePair>& BroadcastPairs() {
  static const std::vector<ShapePair> pairs = {{Shape{}, Shape{}},
                                               {Shape{2}, Shape{}},
                                               {Shape{}, Shape{2}},
                                               {Shape{1}, Shape{3}},
                                               {Shape{3}, Shape{3}},
                                               {Shape{2, 3}, Shape{3}},
                                               {Shape{3}, Shape{2, 3}},
                                               {Shape{2, 1}, Shape{1, 3}},
                                               {Shape{2, 3}, Shape{2, 1}},
                                               {Shape{2, 3, 4}, Shape{3, 1}},
                                               {Shape{1, 3, 1}, Shape{2, 1, 4}}};
  return pairs;
}

// Whether the gradient of a binary op agrees with finite differences for all pairs.
// Numbers are between 0.5 and 1.5: far enough from a division by zero.
::testing::AssertionResult AgreesForAllPairs(const std::string& op) {
  unsigned seed = 1;
  for (const auto& [a, b] : BroadcastPairs()) {
    const Tensor x = RandomTensor(a, seed++, 0.5, 1.5);
    const Tensor y = RandomTensor(b, seed++, 0.5, 1.5);
    if (auto agrees = GradientAgrees(op, {x, y}); !agrees) {
      return agrees << ", for " << op << " of " << a << " and " << b;
    }
  }
  return ::testing::AssertionSuccess();
}

// ---- 04.1 ---------------------------------------------------------------------------

TEST(Unbroadcast, AddsUpOverTheRowsThatShareAnInput) {
  const Tensor dy = Numbers({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto dx =
      RegisteredGradient("Add", {RandomTensor({2, 3}), RandomTensor({3})}, {}, dy);
  EXPECT_TRUE(AllClose(dx[1], Numbers({3}, {11, 22, 33})));
}

TEST(Unbroadcast, KeepsAnAxisOfSizeOne) {
  const Tensor dy = Numbers({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto dx =
      RegisteredGradient("Add", {RandomTensor({2, 3}), RandomTensor({2, 1})}, {}, dy);
  EXPECT_TRUE(AllClose(dx[1], Numbers({2, 1}, {6, 60})));
}

TEST(Unbroadcast, GivesAScalarTheSumOfEverything) {
  const Tensor dy = Numbers({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto dx =
      RegisteredGradient("Add", {RandomTensor({}), RandomTensor({2, 3})}, {}, dy);
  EXPECT_TRUE(AllClose(dx[0], Numbers({}, {66})));
}

TEST(Unbroadcast, LeavesAGradientOfTheRightShapeAsItIs) {
  const Tensor dy = Numbers({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto dx =
      RegisteredGradient("Add", {RandomTensor({2, 3}), RandomTensor({2, 3})}, {}, dy);
  EXPECT_TRUE(AllClose(dx[0], dy));
  EXPECT_TRUE(AllClose(dx[1], dy));
}

TEST(Unbroadcast, AgreesWithFiniteDifferencesForSumsAndDifferences) {
  EXPECT_TRUE(AgreesForAllPairs("Add"));
  EXPECT_TRUE(AgreesForAllPairs("Sub"));
}

// ---- 04.2 ---------------------------------------------------------------------------

Tensor OneGradient(const std::string& op, const Tensor& x, const Tensor& dy,
                   const Attrs& attrs = {}) {
  return RegisteredGradient(op, {x}, attrs, dy)[0];
}

TEST(SinGrad, IsTheCosineAtTheInput) {
  const double pi = std::acos(-1);
  const Tensor x = Numbers({3}, {0, pi / 2, pi});
  EXPECT_TRUE(AllClose(OneGradient("Sin", x, Numbers({3}, {1, 10, 100})),
                       Numbers({3}, {1, 0, -100})));
}

TEST(ExpGrad, IsTheOutputItself) {
  const Tensor x = Numbers({3}, {0, std::log(2), std::log(5)});
  EXPECT_TRUE(AllClose(OneGradient("Exp", x, Numbers({3}, {1, 10, 100})),
                       Numbers({3}, {1, 20, 500})));
}

TEST(LogGrad, IsOneOverTheInput) {
  const Tensor x = Numbers({3}, {1, 2, 5});
  EXPECT_TRUE(AllClose(OneGradient("Log", x, Numbers({3}, {1, 10, 100})),
                       Numbers({3}, {1, 5, 20})));
}

class UnaryGrad : public ::testing::TestWithParam<const char*> {};

TEST_P(UnaryGrad, AgreesWithFiniteDifferences) {
  for (const Shape& shape : {Shape{}, Shape{2}, Shape{2, 3}, Shape{2, 3, 4}}) {
    EXPECT_TRUE(GradientAgrees(GetParam(), {RandomTensor(shape, 5, 0.5, 3)}));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, UnaryGrad, ::testing::Values("Sin", "Exp", "Log"));

// ---- 04.3 ---------------------------------------------------------------------------

TEST(MulGrad, TakesTheOtherFactor) {
  const auto dx = RegisteredGradient("Mul", {Numbers({2}, {2, 3}), Numbers({2}, {5, 7})},
                                     {}, Numbers({2}, {1, 10}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2}, {5, 70})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({2}, {2, 30})));
}

TEST(MulGrad, AgreesWithFiniteDifferencesWhenBroadcast) {
  EXPECT_TRUE(AgreesForAllPairs("Mul"));
}

TEST(DivGrad, OfTheDivisorIsNegativeOverItsSquare) {
  const auto dx = RegisteredGradient(
      "RealDiv", {Numbers({2}, {6, 3}), Numbers({2}, {2, 5})}, {}, Numbers({2}, {1, 10}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2}, {0.5, 2})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({2}, {-1.5, -1.2})));
}

TEST(DivGrad, AgreesWithFiniteDifferencesWhenBroadcast) {
  EXPECT_TRUE(AgreesForAllPairs("RealDiv"));
  EXPECT_TRUE(AgreesForAllPairs("Div"));
}

// ---- 04.4 ---------------------------------------------------------------------------

TEST(MatMulGrad, OfAPlainProductIsWhatTheFormulaSays) {
  const Tensor a = Numbers({1, 2}, {2, 3});
  const Tensor b = Numbers({2, 1}, {5, 7});
  const auto dx = RegisteredGradient("MatMul", {a, b}, {}, Numbers({1, 1}, {10}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({1, 2}, {50, 70})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({2, 1}, {20, 30})));
}

class MatMulGradTransposed : public ::testing::TestWithParam<std::pair<bool, bool>> {};

TEST_P(MatMulGradTransposed, AgreesWithFiniteDifferences) {
  const auto [transpose_a, transpose_b] = GetParam();
  const Attrs attrs = {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}};
  const std::vector<std::vector<int64_t>> sizes = {{1, 1, 1}, {2, 3, 4}, {5, 2, 3}};
  for (const auto& mkn : sizes) {
    const int64_t m = mkn[0];
    const int64_t k = mkn[1];
    const int64_t n = mkn[2];
    const Tensor a = RandomTensor(transpose_a ? Shape{k, m} : Shape{m, k}, 1);
    const Tensor b = RandomTensor(transpose_b ? Shape{n, k} : Shape{k, n}, 2);
    EXPECT_TRUE(GradientAgrees("MatMul", {a, b}, attrs));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Transposes, MatMulGradTransposed,
                         ::testing::Values(std::pair(false, false),
                                           std::pair(false, true), std::pair(true, false),
                                           std::pair(true, true)));

// ---- 04.5 ---------------------------------------------------------------------------

TEST(SumGrad, RepeatsAlongTheAxisThatWasSummed) {
  const auto dx = RegisteredGradient("Sum", {RandomTensor({2, 3}), Ints({0})}, {},
                                     Numbers({3}, {1, 10, 100}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2, 3}, {1, 10, 100, 1, 10, 100})));
}

TEST(MeanGrad, DividesByHowManyWereAveraged) {
  const auto dx = RegisteredGradient("Mean", {RandomTensor({2, 4}), Ints({1})}, {},
                                     Numbers({2}, {4, 40}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2, 4}, {1, 1, 1, 1, 10, 10, 10, 10})));
}

TEST(SumGrad, GivesNoGradientToTheAxes) {
  const auto dx = RegisteredGradient("Sum", {RandomTensor({2, 3}), Ints({0})}, {},
                                     Numbers({3}, {1, 10, 100}));
  ASSERT_EQ(dx.size(), 2U);
  EXPECT_FALSE(dx[1].has_value());
}

class ReductionGrad : public ::testing::TestWithParam<const char*> {};

TEST_P(ReductionGrad, AgreesWithFiniteDifferences) {
  struct Case {
    Shape shape;
    std::vector<int32_t> axes;
  };
  const std::vector<Case> all = {
      {{2}, {0}},          {{2, 3}, {0}},        {{2, 3}, {1}},    {{2, 3}, {-1}},
      {{2, 3}, {0, 1}},    {{2, 3}, {}},         {{2, 3, 4}, {1}}, {{2, 3, 4}, {0, 2}},
      {{2, 3, 4}, {2, 0}}, {{2, 3, 4}, {-2, 0}}, {{2, 1, 4}, {1}}};
  for (const Case& c : all) {
    for (const bool keep_dims : {false, true}) {
      EXPECT_TRUE(GradientAgrees(GetParam(), {RandomTensor(c.shape), Ints(c.axes)},
                                 {{"keep_dims", keep_dims}}))
          << "shape " << c.shape << ", axes [" << Join(c.axes, ",") << "], keep_dims "
          << keep_dims;
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, ReductionGrad, ::testing::Values("Sum", "Mean"));

// ---- 04.6 ---------------------------------------------------------------------------

TEST(ReshapeGrad, GivesTheGradientTheShapeOfTheInput) {
  const auto dx = RegisteredGradient("Reshape", {RandomTensor({2, 3}), Ints({3, -1})}, {},
                                     Numbers({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_FALSE(dx[1].has_value());
}

TEST(SelectGrad, GoesWhereTheElementCameFrom) {
  const Tensor condition = Tensor::Of(Shape{3}, std::vector<bool>{true, false, true});
  const auto dx = RegisteredGradient(
      "Select", {condition, RandomTensor({3}, 1), RandomTensor({3}, 2)}, {},
      Numbers({3}, {1, 10, 100}));
  EXPECT_FALSE(dx[0].has_value());
  EXPECT_TRUE(AllClose(dx[1], Numbers({3}, {1, 0, 100})));
  EXPECT_TRUE(AllClose(dx[2], Numbers({3}, {0, 10, 0})));
}

TEST(SelectGrad, TakesWholeRowsWhenTheConditionIsAVector) {
  const Tensor condition = Tensor::Of(Shape{2}, std::vector<bool>{false, true});
  EXPECT_TRUE(GradientAgrees(
      "Select", {condition, RandomTensor({2, 3}, 1), RandomTensor({2, 3}, 2)}));
}

TEST(BiasAddGrad, OfTheBiasIsTheSumOverAllPlaces) {
  const auto dx = RegisteredGradient("BiasAdd", {RandomTensor({2, 3}), RandomTensor({3})},
                                     {}, Numbers({2, 3}, {1, 2, 3, 10, 20, 30}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2, 3}, {1, 2, 3, 10, 20, 30})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({3}, {11, 22, 33})));
}

TEST(BiasAddGrad, AgreesWithFiniteDifferencesInBothLayouts) {
  EXPECT_TRUE(GradientAgrees("BiasAdd", {RandomTensor({2, 3, 4, 5}), RandomTensor({5})}));
  EXPECT_TRUE(GradientAgrees("BiasAdd", {RandomTensor({2, 3, 4, 5}), RandomTensor({3})},
                             {{"data_format", std::string("NCHW")}}));
}

// ---- 04.7 ---------------------------------------------------------------------------

TEST(DependsOn, WhatDoesNotReachYHasNoGradient) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {2}));
  const Output other = g.Constant(Numbers({}, {3}));
  const Output y = g.Op("Square", {x});
  const auto dx = g.Gradients({y}, {x, other});
  EXPECT_FALSE(dx[1].has_value());
  EXPECT_TRUE(AllClose(g.Run(*dx[0]), Numbers({}, {4})));
}

TEST(DependsOn, AStoppedValueIsAConstant) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {2}));
  const Output square = g.Op("Square", {x});
  const Output y = g.Op("Mul", {square, x});
  const auto dx = g.Gradients({y}, {x}, {square});
  EXPECT_TRUE(AllClose(g.Run(dx[0].value()), Numbers({}, {4})));
}

TEST(DependsOn, AnOpWithoutAGradientIsNoMatterAsideOfThePath) {
  TestGraph g;
  const Output x = g.Constant(Numbers({3}, {1, 5, 2}));
  // ArgMax of a constant: no path from x to y goes through it.
  const Output c = g.Constant(Numbers({3}, {7, 9, 8}));
  const Output largest = g.Op("ArgMax", {c, g.Constant(Tensor::Scalar<int32_t>(0))});
  const Output factor = g.Op("Cast", {largest}, {{"DstT", DType::kFloat64}});
  const Output y = g.Op("Mul", {x, factor});
  EXPECT_TRUE(AllClose(g.Run(g.Gradient(y, x)), Numbers({3}, {1, 1, 1})));
}

// ---- 04.8 ---------------------------------------------------------------------------

TEST(Total, ThreeUsesOfAValueAreAddedUp) {
  TestGraph g;
  const Output x = g.Constant(Numbers({2}, {2, 3}));
  const Output a = g.Op("Square", {x});
  const Output b = g.Op("Mul", {a, x});
  const Output y = g.Op("Add", {b, x});
  // y = x^3 + x
  EXPECT_TRUE(AllClose(g.Run(g.Gradient(y, x)), Numbers({2}, {13, 28})));
}

TEST(Total, FourUsesMakeOneAddN) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {3}));
  std::vector<Output> ys;
  for (int i = 0; i < 4; ++i) ys.push_back(g.Op("Square", {x}));
  const auto dx = g.Gradients(ys, {x});
  EXPECT_EQ(g.Count("AddN"), 1);
  EXPECT_TRUE(AllClose(g.Run(dx[0].value()), Numbers({}, {24})));
}

TEST(Total, BothInputsOfOneCallMayBeTheSameValue) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {3}));
  const Output y = g.Op("Mul", {x, x});
  EXPECT_TRUE(AllClose(g.Run(g.Gradient(y, x)), Numbers({}, {6})));
}

TEST(Total, OfAValueInTheMiddleIsMadeOnce) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {3}));
  const Output s = g.Op("Sin", {x});
  const Output y = g.Op("Mul", {s, s});
  const auto dx = g.Gradients({y}, {x, s});
  EXPECT_EQ(g.Count("AddN"), 1);
  EXPECT_TRUE(AllClose(g.Run(dx[1].value()), Numbers({}, {2 * std::sin(3)})));
}

// ---- 04.9 ---------------------------------------------------------------------------

TEST(AddGradients, FollowsAChainBackwards) {
  TestGraph g;
  const Output x = g.Constant(Numbers({2}, {0.5, 2}));
  const Output y = g.Op("Exp", {g.Op("Log", {g.Op("Square", {x})})});
  EXPECT_TRUE(AllClose(g.Run(g.Gradient(y, x)), Numbers({2}, {1, 4})));
}

TEST(AddGradients, ACallHasItsTurnAfterAllWhoUseIt) {
  // A diamond: y = e^s * s for s = sin x.
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {0.5}));
  const Output s = g.Op("Sin", {x});
  const Output y = g.Op("Mul", {g.Op("Exp", {s}), s});
  const double sine = std::sin(0.5);
  const double expected = std::exp(sine) * (1 + sine) * std::cos(0.5);
  EXPECT_TRUE(AllClose(g.Run(g.Gradient(y, x)), Numbers({}, {expected})));
  EXPECT_EQ(g.Count("Cos"), 1);
}

TEST(AddGradients, OfSeveralYsIsThatOfTheirSum) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {3}));
  const Output y1 = g.Op("Square", {x});
  const Output y2 = g.Op("Mul", {y1, x});
  const auto dx = g.Gradients({y1, y2}, {x});
  EXPECT_TRUE(AllClose(g.Run(dx[0].value()), Numbers({}, {33})));
}

TEST(AddGradients, OfXItselfIsOne) {
  TestGraph g;
  const Output x = g.Constant(Numbers({2}, {3, 4}));
  EXPECT_TRUE(AllClose(g.Run(g.Gradient(x, x)), Numbers({2}, {1, 1})));
}

TEST(AddGradients, TheSecondDerivativeOfTheSineIsMinusTheSine) {
  TestGraph g;
  const Output x = g.Constant(Numbers({2}, {0.5, 2}));
  const Output y = g.Op("Sin", {x});
  const Output twice = g.Gradient(g.Gradient(y, x), x);
  EXPECT_TRUE(AllClose(g.Run(twice), Numbers({2}, {-std::sin(0.5), -std::sin(2)})));
}

TEST(AddGradients, WorksWhereSizesAreKnownOnlyWhenTheGraphRuns) {
  TestGraph g;
  const Output x = g.Placeholder(PartialShape{PartialShape::kUnknown, 3});
  const Output b = g.Constant(Numbers({3}, {1, 2, 4}));
  const Output y = g.Op("Mul", {x, b});
  const Output db = g.Gradient(y, b);
  const Tensor value = Numbers({2, 3}, {1, 2, 3, 10, 20, 30});
  EXPECT_TRUE(AllClose(g.Run(db, {x}, {value}), Numbers({3}, {11, 22, 33})));
}

REGISTER_OP("LabWithoutGradient")
    .Input("x: double")
    .Output("y: double")
    .SetShapeFn(UnchangedShape)
    .Doc("An op of this test.");

TEST(AddGradients, NamesAnOpThatHasNoGradient) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {3}));
  const Output y = g.Op("LabWithoutGradient", {x});
  try {
    g.Gradient(y, x);
    FAIL() << "expected an error, got a gradient";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("LabWithoutGradient"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace minitf::testing
