// Fusion: which nodes join, which stay apart, and that the numbers stay the same.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

constexpr double kClose = 1e-5;

std::vector<std::string> FusedOpsOf(const Node* node) {
  return node->attrs().Get<std::vector<std::string>>("fused_ops");
}

// Runs `step` before and after the passes; they must give the same.
void ExpectSameAfter(StepGraph* step, const PassOptions& options,
                     const std::vector<Tensor>& feeds) {
  const Tensor before = StepRunner(*step).Run(feeds)[0];
  RunPasses(step, options);
  EXPECT_TRUE(AllClose(StepRunner(*step).Run(feeds)[0], before, kClose));
}

Output Conv(Graph* graph, Output x, Output w, std::string format = "NHWC") {
  return Call(graph, "Conv2D", {x, w},
              {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
               {"padding", std::string("SAME")},
               {"data_format", std::move(format)}},
              "conv");
}

TEST(Fusion, MakesOneNodeOfADenseLayer) {
  Graph graph;
  const Output x = Input(&graph, {-1, 3});
  const Output w = Const(&graph, RandomFloats({3, 5}, 2), "w");
  const Output b = Const(&graph, RandomFloats({5}, 3), "b");
  const Output product = Call(&graph, "MatMul", {x, w}, {}, "product");
  const Output sum = Call(&graph, "AddV2", {b, product}, {}, "sum");
  StepGraph step = StepFor({Call(&graph, "Relu", {sum}, {}, "layer")}, {x});
  ExpectSameAfter(&step, Only("fusion"), {RandomFloats({4, 3}, 1)});
  EXPECT_EQ(step.graph->nodes().size(), 5u);  // x, w, b, layer, fetch
  EXPECT_EQ(Find(step, "layer")->type(), "_FusedMatMul");
  EXPECT_EQ(FusedOpsOf(Find(step, "layer")),
            (std::vector<std::string>{"BiasAdd", "Relu"}));
}

TEST(Fusion, MakesOneNodeOfAConvolutionInBothLayouts) {
  for (const std::string format : {"NHWC", "NCHW"}) {
    Graph graph;
    const Output x = Input(&graph, {2, 4, 4, 4});
    const Output y =
        Conv(&graph, x, Const(&graph, RandomFloats({3, 3, 4, 5}, 2)), format);
    const Output sum = Call(&graph, "BiasAdd", {y, Const(&graph, RandomFloats({5}, 3))},
                            {{"data_format", format}});
    StepGraph step = StepFor({Call(&graph, "Elu", {sum}, {}, "layer")}, {x});
    ExpectSameAfter(&step, Only("fusion"), {RandomFloats({2, 4, 4, 4}, 1)});
    EXPECT_EQ(Find(step, "layer")->type(), "_FusedConv2D") << format;
    EXPECT_EQ(CountOf(step, "Elu") + CountOf(step, "BiasAdd"), 0);
  }
}

TEST(Fusion, LeavesAProductThatOthersSee) {
  Graph graph;
  const Output x = Input(&graph, {2, 2});
  const Output product = Call(&graph, "MatMul", {x, x});
  const Output y = Call(&graph, "BiasAdd", {product, Floats(&graph, {2}, {1, 2})});
  StepGraph step = StepFor({y, product}, {x});
  RunPasses(&step, Only("fusion"));
  EXPECT_EQ(CountOf(step, "BiasAdd"), 1);
}

TEST(Fusion, LeavesWhatIsOnAnotherDevice) {
  Graph graph;
  const Output x = Input(&graph, {2, 2});
  const Output y = Call(&graph, "BiasAdd",
                        {Call(&graph, "MatMul", {x, x}), Floats(&graph, {2}, {1, 2})});
  graph.SetDevice(y.node, "/cpu:1");
  StepGraph step = StepFor({y}, {x});
  RunPasses(&step, Only("fusion"));
  EXPECT_EQ(CountOf(step, "BiasAdd"), 1);
}

TEST(Fusion, LeavesASumThatStretchesTheProduct) {
  Graph graph;
  const Output x = Input(&graph, {3, 1});
  const Output product = Call(&graph, "MatMul", {x, Floats(&graph, {1, 1}, {2})});
  const Output wide = Floats(&graph, {4}, {1, 2, 3, 4});
  StepGraph step = StepFor({Call(&graph, "AddV2", {product, wide}, {}, "sum")}, {x});
  RunPasses(&step, Only("fusion"));
  EXPECT_EQ(Find(step, "sum")->type(), "AddV2");
}

TEST(Fusion, LeavesAnActivationWithoutBias) {
  Graph graph;
  const Output x = Input(&graph, {2, 2});
  const Output product = Call(&graph, "MatMul", {x, x}, {}, "product");
  StepGraph step = StepFor({Call(&graph, "Relu", {product})}, {x});
  RunPasses(&step, Only("fusion"));
  EXPECT_EQ(Find(step, "product")->type(), "MatMul");
}

TEST(Fusion, KeepsControlInputsOfAllItsParts) {
  Graph graph;
  const Output x = Input(&graph, {2, 2});
  Node* first = Record(&graph, Source(&graph, 1), "first").node;
  Node* second = Record(&graph, Source(&graph, 1), "second").node;
  Node* product = AddOp(&graph, "MatMul", "product", {x, x}, {}, {first});
  const Output bias = Floats(&graph, {2}, {1, 2});
  Node* y = AddOp(&graph, "BiasAdd", "y", {product->output(0), bias}, {}, {second});
  StepGraph step = StepFor({y->output(0)}, {x});
  RunPasses(&step, Only("fusion"));
  EXPECT_EQ(Find(step, "y")->control_inputs(),
            (std::vector<Node*>{Find(step, "first"), Find(step, "second")}));
}

// y * scale + offset, as tf.nn.batch_normalization writes it.
TEST(Fusion, FoldsABatchNormalisationIntoTheFilter) {
  for (const std::string format : {"NHWC", "NCHW"}) {
    Graph graph;
    const Output x = Input(&graph, {2, 3, 5, 3});
    const Output w = Const(&graph, RandomFloats({2, 2, 3, 4}, 2));
    const Shape channels = format == "NHWC" ? Shape{4} : Shape{4, 1, 1};
    const Output scale = Const(&graph, RandomFloats(channels, 3));
    const Output offset = Const(&graph, RandomFloats(channels, 4));
    const Output scaled = Call(&graph, "Mul", {Conv(&graph, x, w, format), scale});
    StepGraph step =
        StepFor({Call(&graph, "AddV2", {scaled, offset}, {}, "normed")}, {x});
    ExpectSameAfter(&step, OptionsOf(), {RandomFloats({2, 3, 5, 3}, 1)});
    EXPECT_EQ(CountOf(step, "Mul"), 0) << format;
    EXPECT_EQ(Find(step, "normed")->type(), "_FusedConv2D") << format;
  }
}

// Of [4,4,4,4] images, a [4] scales columns, not the channels of axis 1.
TEST(Fusion, DoesNotTakeColumnsForChannels) {
  Graph graph;
  const Output x = Input(&graph, {4, 4, 4, 4});
  const Output y = Conv(&graph, x, Const(&graph, RandomFloats({1, 1, 4, 4}, 2)), "NCHW");
  const Output scaled = Call(&graph, "Mul", {y, Const(&graph, RandomFloats({4}, 3))});
  const Output sum = Call(&graph, "AddV2", {scaled, Const(&graph, RandomFloats({4}, 4))});
  StepGraph step = StepFor({sum}, {x});
  ExpectSameAfter(&step, OptionsOf(), {RandomFloats({4, 4, 4, 4}, 1)});
}

TEST(Fusion, ScalesTheBiasToo) {
  Graph graph;
  const Output x = Input(&graph, {2, 3});
  const Output product =
      Call(&graph, "MatMul", {x, Const(&graph, RandomFloats({3, 4}, 2))});
  const Output sum =
      Call(&graph, "BiasAdd", {product, Floats(&graph, {4}, {1, 2, 3, 4})});
  const Output scaled = Call(&graph, "Mul", {sum, Floats(&graph, {}, {10})}, {}, "y");
  StepGraph step = StepFor({scaled}, {x});
  ExpectSameAfter(&step, OptionsOf(), {RandomFloats({2, 3}, 1)});
  EXPECT_EQ(Find(step, "y")->type(), "_FusedMatMul");
}

TEST(Fusion, DoesNotScaleBeyondTheLargestNumber) {
  Graph graph;
  const Output x = Input(&graph, {1, 1});
  const Output product = Call(&graph, "MatMul", {x, Floats(&graph, {1, 1}, {1e30f})});
  const Output y = Call(&graph, "Mul", {product, Floats(&graph, {}, {1e30f})}, {}, "y");
  StepGraph step = StepFor({y}, {x});
  RunPasses(&step, OptionsOf());
  // 1e-30 * 1e30 * 1e30, in which no number on the way is too large.
  EXPECT_FLOAT_EQ(Number(StepRunner(step).Run({Tensor::Of<float>({1, 1}, {1e-30f})})[0]),
                  1e30f);
}

TEST(FusedMatMul, WorksInBlocksOfRowsAndOnEmptyOnes) {
  const Attrs attrs = {{"fused_ops", std::vector<std::string>{"BiasAdd", "Tanh"}}};
  for (const int64_t rows : {int64_t{0}, int64_t{1}, int64_t{600}}) {
    const Tensor a = RandomTensor({rows, 7}, 1);
    const Tensor b = RandomTensor({7, 700}, 2);
    const Tensor bias = RandomTensor({700}, 3);
    const Tensor expected =
        RunOp("Tanh", {RunOp("BiasAdd", {RunOp("MatMul", {a, b})[0], bias})[0]})[0];
    EXPECT_TRUE(AllClose(RunOp("_FusedMatMul", {a, b, bias}, attrs)[0], expected));
  }
}

TEST(FusedMatMul, SaysWhatIsWrong) {
  const Tensor a = RandomTensor({2, 3});
  const auto run = [&](const std::vector<Tensor>& inputs, std::vector<std::string> ops) {
    return MessageOf([&] {
      RunOp("_FusedMatMul", inputs, {{"fused_ops", std::move(ops)}});
    });
  };
  const Tensor b = RandomTensor({3, 4});
  EXPECT_NE(run({a, b, RandomTensor({5})}, {"BiasAdd"}).find("[5] vs. 4"),
            std::string::npos);
  EXPECT_NE(run({a, b}, {"BiasAdd"}).find("num_args is 0"), std::string::npos);
  EXPECT_NE(run({a, b}, {"Relu", "Relu"}).find("fused_ops must be"), std::string::npos);
  EXPECT_NE(run({a, b}, {"Softmax"}).find("fused_ops must be"), std::string::npos);
}

}  // namespace
}  // namespace minitf::testing
