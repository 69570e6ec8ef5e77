// Lab 04, public cases: gradient functions against values that can be checked by hand and
// against finite differences; AddGradients on graphs.
//
// Shapes go from small to large, and a case stops at the first that fails: that is the
// smallest one, and the report shows it. No two sizes of a shape are equal by accident.

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/base/status.h"
#include "minitf/framework/attrs.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/gradients/add_gradients.h"
#include "minitf/graph/gradients/graph_gradients.h"
#include "minitf/graph/graph.h"
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
    return FirstParts(GraphGradients(graph_.get(), ys, xs, {}, stop));
  }

  // dy/dx, which must exist.
  Output Gradient(Output y, Output x) {
    const std::optional<Output> dx = Gradients({y}, {x})[0];
    Require(dx.has_value(), "there is no gradient, expected one");
    return *dx;
  }

  // The value of `fetch`, which must exist.
  Tensor Run(std::optional<Output> fetch, const std::vector<Output>& feeds = {},
             const std::vector<Tensor>& values = {}) {
    Require(fetch.has_value(), "there is no gradient, expected one");
    Session session(graph_, SessionOptions{1, 1});
    return session.Run(RunRequest{feeds, {*fetch}, {}}, values)[0];
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

// The registered gradients of `op`, of which there must be one for each input.
std::vector<Tensor> GradientsOf(const std::string& op, const std::vector<Tensor>& inputs,
                                const Attrs& attrs, const Tensor& dy) {
  std::vector<Tensor> gradients = RegisteredGradient(op, inputs, attrs, dy);
  Require(gradients.size() == inputs.size(), op, "Grad returns ", gradients.size(),
          " values, expected ", inputs.size(), ", one for each input");
  return gradients;
}

// Whether the registered gradient of `op` agrees with finite differences.
::testing::AssertionResult Agrees(const std::string& op,
                                  const std::vector<Tensor>& inputs,
                                  const Attrs& attrs = {}) {
  GradientsOf(op, inputs, attrs, RandomTensor(RunOp(op, inputs, attrs)[0].shape()));
  return GradientAgrees(op, inputs, attrs);
}

struct ShapePair {
  Shape a;
  Shape b;
};

// Whether the gradient of a binary op agrees with finite differences for pairs of shapes
// that broadcast. Numbers are between 0.5 and 1.5: far enough from a division by zero.
::testing::AssertionResult AgreesForAllPairs(const std::string& op) {
  const std::vector<ShapePair> pairs = {{{}, {}},
                                        {{2}, {}},
                                        {{}, {2}},
                                        {{1}, {3}},
                                        {{3}, {3}},
                                        {{2, 3}, {3}},
                                        {{3}, {2, 3}},
                                        {{2, 1}, {1, 3}},
                                        {{2, 3}, {2, 1}},
                                        {{2, 3, 4}, {3, 1}},
                                        {{1, 3, 1}, {2, 1, 4}}};
  unsigned seed = 1;
  for (const auto& [a, b] : pairs) {
    const Tensor x = RandomTensor(a, seed++, 0.5, 1.5);
    const Tensor y = RandomTensor(b, seed++, 0.5, 1.5);
    if (auto agrees = Agrees(op, {x, y}); !agrees) {
      return agrees << ", for " << op << " of " << a << " and " << b;
    }
  }
  return ::testing::AssertionSuccess();
}

// The end of the name of a case whose parameter is an op.
std::string NameOfOp(const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}

// ---- 04.1 -----------------------------------------------------------------------------

// The gradients of a + b, where dL/d(a + b) is (1,2,3; 10,20,30).
std::vector<Tensor> GradientsOfSum(const Shape& a, const Shape& b) {
  const Tensor dy = Numbers({2, 3}, {1, 2, 3, 10, 20, 30});
  return GradientsOf("Add", {RandomTensor(a), RandomTensor(b)}, {}, dy);
}

TEST(Unbroadcast, AddsUpOverTheRowsThatShareAnInput) {
  EXPECT_TRUE(AllClose(GradientsOfSum({2, 3}, {3})[1], Numbers({3}, {11, 22, 33})));
}

TEST(Unbroadcast, KeepsAnAxisOfSizeOne) {
  EXPECT_TRUE(AllClose(GradientsOfSum({2, 3}, {2, 1})[1], Numbers({2, 1}, {6, 60})));
}

TEST(Unbroadcast, GivesAScalarTheSumOfEverything) {
  EXPECT_TRUE(AllClose(GradientsOfSum({}, {2, 3})[0], Numbers({}, {66})));
}

TEST(Unbroadcast, LeavesAGradientOfTheRightShapeAsItIs) {
  const Tensor dy = Numbers({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto dx = GradientsOfSum({2, 3}, {2, 3});
  ASSERT_TRUE(AllClose(dx[0], dy));
  EXPECT_TRUE(AllClose(dx[1], dy));
}

TEST(Unbroadcast, AgreesWithFiniteDifferencesForSumsAndDifferences) {
  ASSERT_TRUE(AgreesForAllPairs("Add"));
  EXPECT_TRUE(AgreesForAllPairs("Sub"));
}

// ---- 04.2 -----------------------------------------------------------------------------

// dL/dx for z = op(x) and dL/dz = (1,10,100).
Tensor GradientAt(const std::string& op, const std::vector<double>& x) {
  return GradientsOf(op, {Numbers({3}, x)}, {}, Numbers({3}, {1, 10, 100}))[0];
}

TEST(SinGrad, IsTheCosineAtTheInput) {
  const double pi = std::acos(-1);
  EXPECT_TRUE(AllClose(GradientAt("Sin", {0, pi / 2, pi}), Numbers({3}, {1, 0, -100})));
}

TEST(ExpGrad, IsTheOutputItself) {
  EXPECT_TRUE(AllClose(GradientAt("Exp", {0, std::log(2), std::log(5)}),
                       Numbers({3}, {1, 20, 500})));
}

TEST(LogGrad, IsOneOverTheInput) {
  EXPECT_TRUE(AllClose(GradientAt("Log", {1, 2, 5}), Numbers({3}, {1, 5, 20})));
}

class UnaryGrad : public ::testing::TestWithParam<const char*> {};

TEST_P(UnaryGrad, AgreesWithFiniteDifferences) {
  for (const Shape& shape : {Shape{}, Shape{2}, Shape{2, 3}, Shape{2, 3, 4}}) {
    ASSERT_TRUE(Agrees(GetParam(), {RandomTensor(shape, 5, 0.5, 3)}));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, UnaryGrad, ::testing::Values("Sin", "Exp", "Log"),
                         NameOfOp);

// ---- 04.3 -----------------------------------------------------------------------------

TEST(MulGrad, TakesTheOtherFactor) {
  const auto dx = GradientsOf("Mul", {Numbers({2}, {2, 3}), Numbers({2}, {5, 7})}, {},
                              Numbers({2}, {1, 10}));
  ASSERT_TRUE(AllClose(dx[0], Numbers({2}, {5, 70})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({2}, {2, 30})));
}

TEST(MulGrad, AgreesWithFiniteDifferencesWhenBroadcast) {
  EXPECT_TRUE(AgreesForAllPairs("Mul"));
}

TEST(DivGrad, OfTheDivisorIsNegativeOverItsSquare) {
  const auto dx = GradientsOf("RealDiv", {Numbers({2}, {6, 3}), Numbers({2}, {2, 5})}, {},
                              Numbers({2}, {1, 10}));
  ASSERT_TRUE(AllClose(dx[0], Numbers({2}, {0.5, 2})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({2}, {-1.5, -1.2})));
}

TEST(DivGrad, AgreesWithFiniteDifferencesWhenBroadcast) {
  ASSERT_TRUE(AgreesForAllPairs("RealDiv"));
  EXPECT_TRUE(AgreesForAllPairs("Div"));
}

// ---- 04.4 -----------------------------------------------------------------------------

TEST(MatMulGrad, OfAPlainProductIsWhatTheFormulaSays) {
  const Tensor a = Numbers({1, 2}, {2, 3});
  const Tensor b = Numbers({2, 1}, {5, 7});
  const auto dx = GradientsOf("MatMul", {a, b}, {}, Numbers({1, 1}, {10}));
  ASSERT_TRUE(AllClose(dx[0], Numbers({1, 2}, {50, 70})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({2, 1}, {20, 30})));
}

class MatMulGradTransposed : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(MatMulGradTransposed, AgreesWithFiniteDifferences) {
  const auto [transpose_a, transpose_b] = GetParam();
  const Attrs attrs = {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}};
  const std::vector<std::array<int64_t, 3>> sizes = {{1, 1, 1}, {2, 3, 4}, {5, 2, 3}};
  for (const auto& [m, k, n] : sizes) {
    const Tensor a = RandomTensor(transpose_a ? Shape{k, m} : Shape{m, k}, 1);
    const Tensor b = RandomTensor(transpose_b ? Shape{n, k} : Shape{k, n}, 2);
    ASSERT_TRUE(Agrees("MatMul", {a, b}, attrs));
  }
}

std::string NameOfTransposes(
    const ::testing::TestParamInfo<std::tuple<bool, bool>>& info) {
  const auto [transpose_a, transpose_b] = info.param;
  return StrCat(transpose_a ? "Transposed" : "Plain", "Times",
                transpose_b ? "Transposed" : "Plain");
}

INSTANTIATE_TEST_SUITE_P(Transposes, MatMulGradTransposed,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()),
                         NameOfTransposes);

// ---- 04.5 -----------------------------------------------------------------------------

TEST(SumGrad, RepeatsAlongTheAxisThatWasSummed) {
  const auto dx = GradientsOf("Sum", {RandomTensor({2, 3}), Ints({0})}, {},
                              Numbers({3}, {1, 10, 100}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2, 3}, {1, 10, 100, 1, 10, 100})));
}

TEST(MeanGrad, DividesByHowManyWereAveraged) {
  const auto dx =
      GradientsOf("Mean", {RandomTensor({2, 4}), Ints({1})}, {}, Numbers({2}, {4, 40}));
  EXPECT_TRUE(AllClose(dx[0], Numbers({2, 4}, {1, 1, 1, 1, 10, 10, 10, 10})));
}

TEST(SumGrad, GivesNoGradientToTheAxes) {
  const auto dx = GradientsOf("Sum", {RandomTensor({2, 3}), Ints({0})}, {},
                              Numbers({3}, {1, 10, 100}));
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
      ASSERT_TRUE(Agrees(GetParam(), {RandomTensor(c.shape), Ints(c.axes)},
                         {{"keep_dims", keep_dims}}))
          << "shape " << c.shape << ", axes [" << Join(c.axes, ",") << "], keep_dims "
          << keep_dims;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, ReductionGrad, ::testing::Values("Sum", "Mean"), NameOfOp);

// ---- 04.6 -----------------------------------------------------------------------------

TEST(ReshapeGrad, GivesTheGradientTheShapeOfTheInput) {
  const auto dx = GradientsOf("Reshape", {RandomTensor({2, 3}), Ints({3, -1})}, {},
                              Numbers({3, 2}, {1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(AllClose(dx[0], Numbers({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_FALSE(dx[1].has_value());
}

TEST(SelectGrad, GoesWhereTheElementCameFrom) {
  const Tensor condition = Tensor::Of(Shape{3}, std::vector<bool>{true, false, true});
  const auto dx =
      GradientsOf("Select", {condition, RandomTensor({3}, 1), RandomTensor({3}, 2)}, {},
                  Numbers({3}, {1, 10, 100}));
  ASSERT_FALSE(dx[0].has_value());
  ASSERT_TRUE(AllClose(dx[1], Numbers({3}, {1, 0, 100})));
  EXPECT_TRUE(AllClose(dx[2], Numbers({3}, {0, 10, 0})));
}

TEST(SelectGrad, TakesWholeRowsWhenTheConditionIsAVector) {
  const Tensor condition = Tensor::Of(Shape{2}, std::vector<bool>{false, true});
  EXPECT_TRUE(
      Agrees("Select", {condition, RandomTensor({2, 3}, 1), RandomTensor({2, 3}, 2)}));
}

TEST(BiasAddGrad, OfTheBiasIsTheSumOverAllPlaces) {
  const auto dx = GradientsOf("BiasAdd", {RandomTensor({2, 3}), RandomTensor({3})}, {},
                              Numbers({2, 3}, {1, 2, 3, 10, 20, 30}));
  ASSERT_TRUE(AllClose(dx[0], Numbers({2, 3}, {1, 2, 3, 10, 20, 30})));
  EXPECT_TRUE(AllClose(dx[1], Numbers({3}, {11, 22, 33})));
}

TEST(BiasAddGrad, AgreesWithFiniteDifferencesInBothLayouts) {
  ASSERT_TRUE(Agrees("BiasAdd", {RandomTensor({2, 3, 4, 5}), RandomTensor({5})}));
  EXPECT_TRUE(Agrees("BiasAdd", {RandomTensor({2, 3, 4, 5}), RandomTensor({3})},
                     {{"data_format", std::string("NCHW")}}));
}

// ---- 04.7 -----------------------------------------------------------------------------

REGISTER_OP("LabWithoutGradient")
    .Input("x: double")
    .Output("y: double")
    .SetShapeFn(UnchangedShape)
    .Doc("An op of this test: no gradient function, no kernel.");

TEST(DependsOn, WhatDoesNotReachYHasNoGradient) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {2}));
  const Output other = g.Constant(Numbers({}, {3}));
  const Output y = g.Op("Square", {x});
  const auto dx = g.Gradients({y}, {x, other});
  ASSERT_FALSE(dx[1].has_value());
  EXPECT_TRUE(AllClose(g.Run(dx[0]), Numbers({}, {4})));
}

TEST(DependsOn, AStoppedValueIsAConstant) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {2}));
  const Output square = g.Op("Square", {x});
  const Output y = g.Op("Add", {square, x});
  const auto dx = g.Gradients({y}, {x}, {square});
  EXPECT_TRUE(AllClose(g.Run(dx[0]), Numbers({}, {1})));
}

TEST(DependsOn, AnIntegerEndsThePath) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {2}));
  const Output whole = g.Op("Cast", {x}, {{"DstT", DType::kInt32}});
  const Output number = g.Op("Cast", {whole}, {{"DstT", DType::kFloat64}});
  const Output y = g.Op("Add", {x, g.Op("LabWithoutGradient", {number})});
  EXPECT_TRUE(g.Gradients({y}, {x})[0].has_value());
}

TEST(DependsOn, WhatIsMadeOfConstantsNeedsNoGradientFunction) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {2}));
  const Output c = g.Constant(Numbers({}, {3}));
  const Output y = g.Op("Add", {x, g.Op("LabWithoutGradient", {c})});
  EXPECT_TRUE(g.Gradients({y}, {x})[0].has_value());
}

TEST(DependsOn, WhatIsMadeOfAStoppedValueNeedsNoGradientFunction) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {2}));
  const Output square = g.Op("Square", {x});
  const Output y = g.Op("Add", {x, g.Op("LabWithoutGradient", {square})});
  EXPECT_TRUE(g.Gradients({y}, {x}, {square})[0].has_value());
}

// ---- 04.8 -----------------------------------------------------------------------------

TEST(Total, ThreeUsesOfAValueAreAddedUp) {
  TestGraph g;
  const Output x = g.Constant(Numbers({2}, {2, 3}));
  const Output a = g.Op("Square", {x});
  const Output b = g.Op("Add", {a, x});
  const Output y = g.Op("Add", {b, x});
  // y = x^2 + 2 x
  EXPECT_TRUE(AllClose(g.Run(g.Gradient(y, x)), Numbers({2}, {6, 8})));
}

TEST(Total, FourUsesMakeOneAddN) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {3}));
  std::vector<Output> ys;
  for (int i = 0; i < 4; ++i) ys.push_back(g.Op("Square", {x}));
  const auto dx = g.Gradients(ys, {x});
  ASSERT_EQ(g.Count("AddN"), 1);
  EXPECT_TRUE(AllClose(g.Run(dx[0]), Numbers({}, {24})));
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
  ASSERT_EQ(g.Count("AddN"), 1);
  EXPECT_TRUE(AllClose(g.Run(dx[1]), Numbers({}, {2 * std::sin(3)})));
}

// ---- 04.9 -----------------------------------------------------------------------------

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
  ASSERT_TRUE(AllClose(g.Run(g.Gradient(y, x)), Numbers({}, {expected})));
  EXPECT_EQ(g.Count("Cos"), 1);
}

TEST(AddGradients, OfSeveralYsIsThatOfTheirSum) {
  TestGraph g;
  const Output x = g.Constant(Numbers({}, {3}));
  const Output y1 = g.Op("Square", {x});
  const Output y2 = g.Op("Mul", {y1, x});
  const auto dx = g.Gradients({y1, y2}, {x});
  EXPECT_TRUE(AllClose(g.Run(dx[0]), Numbers({}, {33})));
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
