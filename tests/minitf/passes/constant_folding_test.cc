// Constant folding: what is computed early, and what must not be.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

const Tensor& ValueOf(const StepGraph& step, std::string_view name) {
  return Find(step, name)->attrs().Get<Tensor>("value");
}

TEST(ConstantFolding, ComputesAChainOfConstantsUnderTheNameOfItsEnd) {
  Graph graph;
  const Output product = Call(
      &graph, "Mul", {Floats(&graph, {2}, {2, 3}), Floats(&graph, {}, {5})}, {}, "p");
  const Output sum =
      Call(&graph, "AddV2", {product, Floats(&graph, {2}, {1, 2})}, {}, "sum");
  StepGraph step = StepFor({sum});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(step.graph->nodes().size(), 2u);  // the constant and its _Retval
  EXPECT_EQ(AsDoubles(ValueOf(step, "sum")), (std::vector<double>{11, 17}));
}

TEST(ConstantFolding, TurnsTheShapeOfAFeedIntoAConstant) {
  Graph graph;
  const Output x = Input(&graph, {4, 5});
  StepGraph step = StepFor(
      {Call(&graph, "Shape", {x}, {}, "shape"), Call(&graph, "Size", {x}, {}, "size"),
       Call(&graph, "Rank", {x}, {}, "rank")},
      {x});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(AsDoubles(ValueOf(step, "shape")), (std::vector<double>{4, 5}));
  EXPECT_EQ(AsDoubles(ValueOf(step, "size")), (std::vector<double>{20}));
  EXPECT_EQ(AsDoubles(ValueOf(step, "rank")), (std::vector<double>{2}));
}

TEST(ConstantFolding, LeavesAShapeThatIsNotKnown) {
  Graph graph;
  const Output x = Input(&graph, {-1, 5});
  StepGraph step = StepFor({Call(&graph, "Shape", {x}, {}, "shape")}, {x});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(Find(step, "shape")->type(), "Shape");
}

TEST(ConstantFolding, LeavesRandomNumbers) {
  Graph graph;
  const Output random =
      Call(&graph, "RandomUniform", {Ints(&graph, {3})},
           {{"dtype", DType::kFloat32}, {"seed", int64_t{1}}}, "random");
  StepGraph step = StepFor({random});
  RunPasses(&step, OptionsOf());
  StepRunner runner(step);
  const Tensor first = runner.Run({})[0];
  EXPECT_FALSE(AllClose(runner.Run({})[0], first));
}

TEST(ConstantFolding, LeavesPlaceholdersAndTheirDefaults) {
  Graph graph;
  const Output value = Floats(&graph, {}, {1});
  const Output x = Call(&graph, "PlaceholderWithDefault", {value},
                        {{"shape", PartialShape(Shape{})}}, "x");
  StepGraph step = StepFor({Call(&graph, "Neg", {x}, {}, "y")});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(Find(step, "y")->type(), "Neg");
}

TEST(ConstantFolding, MakesNoLargeConstantFromSmallOnes) {
  Graph graph;
  const Output fill = Call(
      &graph, "Fill", {Ints(&graph, {1000, 1000}), Floats(&graph, {}, {1})}, {}, "fill");
  // What is larger than 100 KB, yet not larger than its inputs, is folded.
  Tensor large(DType::kFloat32, {100, 1000});
  std::ranges::fill(large.mutable_flat<float>(), 2.0f);
  const Output negative = Call(&graph, "Neg", {Const(&graph, large)}, {}, "negative");
  StepGraph step = StepFor({fill, negative});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(Find(step, "fill")->type(), "Fill");
  EXPECT_EQ(Find(step, "negative")->type(), "Const");
}

TEST(ConstantFolding, KeepsToTheLimitOfTheOptions) {
  Graph graph;
  const Output y = Call(&graph, "Neg", {Floats(&graph, {2}, {1, 2})}, {}, "y");
  StepGraph step = StepFor({y});
  PassOptions options = Only("constant_folding");
  options.max_constant_bytes = 7;
  RunPasses(&step, options);
  EXPECT_EQ(Find(step, "y")->type(), "Neg");
}

// The sum of segments 0 .. 10^9 needs 4 GB, which no shape function foretells.
TEST(ConstantFolding, StopsAKernelThatAsksForTooMuch) {
  Graph graph;
  const Output y =
      Call(&graph, "SegmentSum",
           {Floats(&graph, {1}, {1}), Ints(&graph, {1'000'000'000})}, {}, "y");
  StepGraph step = StepFor({y});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(Find(step, "y")->type(), "SegmentSum");
}

TEST(ConstantFolding, LeavesWhatFailsToTheStep) {
  Graph graph;
  const Output quotient =
      Call(&graph, "FloorDiv", {Ints(&graph, {1}), Ints(&graph, {0})}, {}, "quotient");
  StepGraph step = StepFor({quotient});
  RunPasses(&step, OptionsOf());
  EXPECT_EQ(Find(step, "quotient")->type(), "FloorDiv");
  EXPECT_NE(MessageOf([&] { StepRunner(step).Run({}); }).find("quotient"),
            std::string::npos);
}

TEST(ConstantFolding, LetsTheConstantWaitForWhatTheNodeWaitedFor) {
  Graph graph;
  Node* before = Record(&graph, Source(&graph, 1), "before").node;
  const Output one = Floats(&graph, {}, {1}, "one");
  graph.AddControlInput(one.node, before);
  StepGraph step = StepFor({Call(&graph, "Neg", {one}, {}, "y")});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(Find(step, "y")->type(), "Const");
  EXPECT_EQ(Find(step, "y")->control_inputs(), std::vector<Node*>{Find(step, "before")});
}

TEST(ConstantFolding, StaysWithinADevice) {
  Graph graph;
  const Output y = Call(&graph, "Neg", {Floats(&graph, {}, {1})}, {}, "y");
  graph.SetDevice(y.node, "/cpu:1");
  StepGraph step = StepFor({y});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(Find(step, "y")->type(), "Neg");
}

TEST(ConstantFolding, FoldsAnOpWithSeveralOutputs) {
  Graph graph;
  Node* split =
      AddOp(&graph, "Unpack", "split", {Ints(&graph, {3, 4})}, {{"num", int64_t{2}}});
  StepGraph step = StepFor({split->output(1), split->output(0)});
  RunPasses(&step, Only("constant_folding"));
  EXPECT_EQ(CountOf(step, "Unpack"), 0);
  const auto values = StepRunner(step).Run({});
  EXPECT_EQ(values[0].scalar<int32_t>(), 4);
  EXPECT_EQ(values[1].scalar<int32_t>(), 3);
}

// A variable is read when the node runs; a constant is not to stand for it.
TEST(ConstantFolding, LeavesVariables) {
  Graph graph;
  Node* handle = AddOp(&graph, "VarHandleOp", "v", {},
                       {{"dtype", DType::kFloat32}, {"shape", PartialShape(Shape{})}});
  Node* assign = AddOp(&graph, "AssignVariableOp", "assign",
                       {handle->output(0), Floats(&graph, {}, {5})});
  Node* read = AddOp(&graph, "ReadVariableOp", "read", {handle->output(0)},
                     {{"dtype", DType::kFloat32}}, {assign});
  StepGraph step = StepFor({read->output(0)});
  RunPasses(&step, OptionsOf());
  EXPECT_EQ(Find(step, "read")->type(), "ReadVariableOp");
  EXPECT_EQ(Number(StepRunner(step).Run({})[0]), 5);
}

}  // namespace
}  // namespace minitf::testing
