// Element-wise fusion: the trees that are found, and the kernel that runs them.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/framework/elementwise.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

TEST(ElementwiseFusion, MakesOneNodeOfAChainWithNumbers) {
  Graph graph;
  const Output x = Input(&graph, {-1, 3});
  const Output doubled = Call(&graph, "Mul", {x, Floats(&graph, {}, {2})});
  const Output sum = Call(&graph, "AddV2", {Floats(&graph, {}, {1}), doubled});
  StepGraph step = StepFor({Call(&graph, "Square", {sum}, {}, "y")}, {x});
  RunPasses(&step, Only("elementwise_fusion"));
  EXPECT_EQ(Find(step, "y")->type(), "_FusedElementwise");
  EXPECT_EQ(Find(step, "y")->attrs().Get<std::vector<std::string>>("ops"),
            (std::vector<std::string>{"Mul", "AddV2", "Square"}));
  const Tensor feed = Tensor::Of<float>({1, 3}, {1, 2, 3});
  EXPECT_TRUE(
      AllClose(StepRunner(step).Run({feed})[0], Tensor::Of<float>({1, 3}, {9, 25, 49})));
}

TEST(ElementwiseFusion, TakesInATreeWhoseBranchesJoin) {
  Graph graph;
  const Output x = Input(&graph, {4});
  const Output y = Input(&graph, {4});
  const Output a = Call(&graph, "Neg", {x});
  const Output b = Call(&graph, "Mul", {a, y});
  StepGraph step = StepFor({Call(&graph, "Sub", {b, a}, {}, "z")}, {x, y});
  RunPasses(&step, Only("elementwise_fusion"));
  EXPECT_EQ(step.graph->nodes().size(), 4u);
  const Tensor result = StepRunner(step).Run(
      {Tensor::Of<float>({4}, {1, 2, 3, 4}), Tensor::Of<float>({4}, {5, 6, 7, 8})})[0];
  EXPECT_EQ(AsDoubles(result), (std::vector<double>{-4, -10, -18, -28}));
}

TEST(ElementwiseFusion, LeavesWhatOthersUse) {
  Graph graph;
  const Output x = Input(&graph, {4});
  const Output inner = Call(&graph, "Exp", {x}, {}, "inner");
  StepGraph step = StepFor({Call(&graph, "Neg", {inner}, {}, "y"), inner}, {x});
  RunPasses(&step, Only("elementwise_fusion"));
  EXPECT_EQ(Find(step, "y")->type(), "Neg");
}

// Of shapes beside [-1,2,4]: those that are read over and over, and those that are not.
TEST(ElementwiseFusion, TakesRowsAndNoOthersThatStretch) {
  const auto type_beside = [](const PartialShape& shape, const PartialShape& beside) {
    Graph graph;
    const Output x = Input(&graph, shape);
    const Output other = Input(&graph, beside);
    const Output sum = Call(&graph, "AddV2", {x, other});
    StepGraph step = StepFor({Call(&graph, "Neg", {sum}, {}, "y")}, {x, other});
    RunPasses(&step, Only("elementwise_fusion"));
    return Find(step, "y")->type();
  };
  const PartialShape shape = {-1, 2, 4};
  for (const PartialShape& row :
       {PartialShape{4}, {1, 4}, {2, 4}, {1, 2, 4}, {1, 1, 4}}) {
    EXPECT_EQ(type_beside(shape, row), "_FusedElementwise") << row;
  }
  for (const PartialShape& other : {PartialShape{2, 1}, {-1}, {3, 1, 4}, {-1, 2, 1}}) {
    EXPECT_EQ(type_beside(shape, other), "Neg") << other;
  }
  EXPECT_EQ(type_beside({2, -1}, {4}), "Neg");
  EXPECT_EQ(type_beside(PartialShape(), {4}), "Neg");
}

// A library of kernels for another device brings loops and the kernel that calls them.
// Until both are there, nothing is fused on that device.
TEST(ElementwiseFusion, AsksForTheLoopsOfTheDevice) {
  class NoKernel final : public OpKernel {
   public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext*) override {}
  };
  PassOptions options = Only("elementwise_fusion");
  options.kernels = {{"card", Device::kGpu}};
  const auto type_on = [&](const char* device) {
    Graph graph;
    const Output x = Input(&graph, {4});
    const Output floor = Call(&graph, "Floor", {x}, {}, "floor");
    const Output y = Call(&graph, "Rint", {floor}, {}, "y");
    for (const Output& output : {floor, y}) graph.SetDevice(output.node, device);
    StepGraph step = StepFor({y}, {x});
    RunPasses(&step, options);
    return Find(step, "y")->type();
  };
  EXPECT_EQ(type_on("other"), "_FusedElementwise");
  EXPECT_EQ(type_on("card"), "Rint");
  for (const char* op : {"Floor", "Rint"}) {
    EXPECT_EQ(FindElementwiseLoop(Device::kGpu, op, DType::kFloat32), nullptr);
    AddElementwiseLoop(Device::kGpu, op, DType::kFloat32,
                       {.unary = [](const void*, void*, int64_t) {}});
  }
  EXPECT_EQ(type_on("card"), "Rint");
  RegisterKernel<NoKernel>(Kernel("_FusedElementwise").On(Device::kGpu).Type<float>("T"));
  EXPECT_EQ(type_on("card"), "_FusedElementwise");
}

// What a tree of ops gives one by one, all in one, for sizes around those of a block.
TEST(FusedElementwise, GivesWhatTheOpsGiveOneByOne) {
  // Tanh((x + y) * x) - Exp(y)
  const Attrs program = {
      {"ops", std::vector<std::string>{"AddV2", "Mul", "Tanh", "Exp", "Sub"}},
      {"arguments", std::vector<int64_t>{0, 1, 2, 0, 3, -1, 1, -1, 4, 5}}};
  for (const int64_t size : {0, 1, 63, 64, 65, 1000, 20'011}) {
    const Tensor x = RandomTensor({size}, 1);
    const Tensor y = RandomTensor({size}, 2);
    const Tensor product = RunOp("Mul", {RunOp("AddV2", {x, y})[0], x})[0];
    const Tensor expected =
        RunOp("Sub", {RunOp("Tanh", {product})[0], RunOp("Exp", {y})[0]})[0];
    EXPECT_TRUE(AllClose(RunOp("_FusedElementwise", {x, y}, program)[0], expected, 1e-12))
        << size;
  }
}

// Rows that fit into a block often, seldom and not at all, two of them beside each other.
TEST(FusedElementwise, ReadsRowsOverAndOver) {
  const Attrs program = {{"ops", std::vector<std::string>{"Sub", "Mul", "AddV2"}},
                         {"arguments", std::vector<int64_t>{1, 0, 3, 2, 4, 1}}};
  for (const int64_t size : {2, 3, 50, 64, 100, 1000, 5000}) {
    for (const int64_t rows : {1, 2, 7, 400}) {
      const Tensor x = RandomTensor({rows, 2, size}, 1);
      const Tensor short_row = RandomTensor({1, size}, 2);
      const Tensor long_row = RandomTensor({2, size}, 3);
      const Tensor product = RunOp("Mul", {RunOp("Sub", {x, short_row})[0], long_row})[0];
      const Tensor expected = RunOp("AddV2", {product, x})[0];
      const Tensor found =
          RunOp("_FusedElementwise", {short_row, x, long_row}, program)[0];
      EXPECT_EQ(found.shape(), x.shape());
      EXPECT_EQ(AsDoubles(found), AsDoubles(expected)) << size << " x 2 x " << rows;
    }
  }
}

TEST(FusedElementwise, StretchesInputsOfOtherShapes) {
  const Attrs program = {{"ops", std::vector<std::string>{"Sub", "Neg"}},
                         {"arguments", std::vector<int64_t>{0, 1, 2, -1}}};
  const Tensor row = Numbers({3}, {1, 2, 3});
  const Tensor column = Numbers({2, 1}, {10, 20});
  EXPECT_TRUE(AllClose(RunOp("_FusedElementwise", {row, column}, program)[0],
                       Numbers({2, 3}, {9, 8, 7, 19, 18, 17})));
}

TEST(FusedElementwise, WorksOutANumberOnce) {
  const Attrs program = {{"ops", std::vector<std::string>{"Exp", "Mul", "ReluGrad"}},
                         {"arguments", std::vector<int64_t>{1, -1, 0, 2, 3, 1}}};
  const Tensor x = Numbers({3}, {1, 2, 3});
  const Tensor zero = Numbers({}, {0});
  // ReluGrad(x * exp(0), 0) is 0 everywhere: nothing flows where the feature is 0.
  EXPECT_TRUE(AllClose(RunOp("_FusedElementwise", {x, zero}, program)[0],
                       Numbers({3}, {0, 0, 0})));
}

TEST(FusedElementwise, RefusesProgramsThatMakeNoSense) {
  const auto run = [](std::vector<std::string> ops, std::vector<int64_t> arguments) {
    return MessageOf([&] {
      RunOp("_FusedElementwise", {Numbers({1}, {1})},
            {{"ops", std::move(ops)}, {"arguments", std::move(arguments)}});
    });
  };
  EXPECT_NE(run({"Neg"}, {1, -1}).find("step 0, Neg, has arguments 1 and -1"),
            std::string::npos);
  EXPECT_NE(run({"Neg"}, {0, 0}).find("step 0, Neg, has arguments 0 and 0"),
            std::string::npos);
  EXPECT_NE(run({"Add"}, {0, -1}).find("has arguments 0 and -1"), std::string::npos);
  EXPECT_NE(run({"Add"}, {0}).find("two arguments for each op"), std::string::npos);
  EXPECT_NE(run({"MatMul"}, {0, 0}).find("no element-wise loop for MatMul"),
            std::string::npos);
  // A comparison gives bool, and LeakyRelu has a setting.
  EXPECT_EQ(FindElementwiseLoop(Device::kCpu, "Less", DType::kFloat32), nullptr);
  EXPECT_EQ(FindElementwiseLoop(Device::kCpu, "LeakyRelu", DType::kFloat32), nullptr);
  EXPECT_EQ(FindElementwiseLoop(Device::kCpu, "FloorDiv", DType::kInt32), nullptr);
}

}  // namespace
}  // namespace minitf::testing
