// Sessions that run by a memory plan: they give what they give without one, and whoever
// keeps a tensor keeps it whole.

#include "minitf/runtime/executor/step_memory.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/runtime/executor/step_observer.h"
#include "minitf/runtime/session.h"
#include "tests/minitf/passes/random_graph.h"
#include "tests/minitf/passes/sample_nets.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// A session on a graph that somebody else owns.
std::unique_ptr<Session> NewSession(Graph* graph, MemoryPlanMode mode) {
  SessionOptions options;
  options.intra_op_threads = 2;
  options.inter_op_threads = 2;
  options.allow_soft_placement = true;  // some graphs ask for a second CPU
  options.memory_plan = mode;
  return std::make_unique<Session>(std::shared_ptr<Graph>(std::shared_ptr<void>(), graph),
                                   options);
}

// Where the outputs of nodes lie.
class Addresses final : public StepObserver {
 public:
  void NodeStarts(const Node&, std::span<const Tensor>) override {}
  void NodeEnds(const NodeRun& run) override {
    if (!run.outputs.empty()) of_[run.node.name()] = run.outputs[0].data();
  }
  const void* Of(const std::string& name) const { return of_.at(name); }

 private:
  std::map<std::string, const void*> of_;
};

TEST(StepMemory, RandomGraphsGiveTheSameByAPlan) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph graph(seed);
    const RunRequest& request = graph.request();
    auto* owner = &request.fetches[0].node->graph();
    const auto plain = NewSession(owner, MemoryPlanMode::kOff);
    const auto checked = NewSession(owner, MemoryPlanMode::kChecked);
    for (int step = 0; step < 2; ++step) {
      const auto expected = plain->Run(request, graph.Feeds(step));
      const auto results = checked->Run(request, graph.Feeds(step));
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(AllClose(results[i], expected[i], 1e-6)) << "fetch " << i;
      }
    }
    if (HasFailure()) return;
  }
}

TEST(StepMemory, LeNetLearnsTheSameByAPlan) {
  SampleNet net;
  BuildLeNetTraining(&net);
  std::vector<std::vector<float>> losses;
  for (const auto mode : {MemoryPlanMode::kOff, MemoryPlanMode::kChecked}) {
    const auto session = NewSession(&net.graph, mode);
    session->Run({{}, {}, net.initializers}, {});
    auto& of_mode = losses.emplace_back();
    for (int step = 0; step < 4; ++step) {
      of_mode.push_back(Number(session->Run(net.request, net.feeds)[0]));
    }
    EXPECT_LT(of_mode[3], of_mode[0]);
  }
  for (int step = 0; step < 4; ++step) {
    EXPECT_NEAR(losses[0][step], losses[1][step], 1e-5) << "step " << step;
  }
}

// a and c have one place, since a is dead when c is made; b has another.
TEST(StepMemory, DeadTensorsGiveTheirPlaceToOthers) {
  Graph graph;
  const Output x = Feed(&graph, "x", PartialShape(Shape{64, 64}));
  const auto product = [&](Output y, const std::string& name) {
    return Output{AddOp(&graph, "MatMul", name, {y, y}), 0};
  };
  const Output d = product(product(product(product(x, "a"), "b"), "c"), "d");
  const Tensor ones = RandomFloats({64, 64}, 1);
  for (const auto mode : {MemoryPlanMode::kOn, MemoryPlanMode::kChecked}) {
    const auto session = NewSession(&graph, mode);
    Addresses addresses;
    RunOptions options;
    options.observer = &addresses;
    session->Run(*session->Prepare({{x}, {d}, {}}), std::vector{ones}, options);
    EXPECT_EQ(addresses.Of("a"), addresses.Of("c"));
    EXPECT_NE(addresses.Of("a"), addresses.Of("b"));
    EXPECT_NE(addresses.Of("d"), addresses.Of("b")) << "a fetch is the caller's";
  }
}

TEST(StepMemory, AVariableKeepsWhatItIsAssigned) {
  Graph graph;
  const Output x = Feed(&graph, "x", PartialShape(Shape{16}));
  const Output variable = {
      AddOp(&graph, "VarHandleOp", "v", {},
            {{"dtype", DType::kFloat32}, {"shape", PartialShape(Shape{16})}}),
      0};
  const Output twice = Add(&graph, x, x);
  Node* assign = AddOp(&graph, "AssignVariableOp", "assign", {variable, twice});
  const Output value = {
      AddOp(&graph, "ReadVariableOp", "read", {variable}, {{"dtype", DType::kFloat32}}),
      0};
  const auto session = NewSession(&graph, MemoryPlanMode::kChecked);
  const Tensor one = RandomFloats({16}, 1);
  session->Run({{x}, {}, {assign}}, std::vector{one});
  session->Run({{x}, {Add(&graph, x, x, "other")}, {}}, std::vector{one});
  const Tensor kept = session->Run({{}, {value}, {}}, {})[0];
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(kept.flat<float>()[i], 2 * one.flat<float>()[i]);
  }
}

TEST(StepMemory, AnErrorLeavesTheSessionUsable) {
  Graph graph;
  const Output x = Feed(&graph, "x", PartialShape(Shape{}));
  const Output good = Add(&graph, x, x);
  const Output bad = Fail(&graph, good, "error");
  const auto session = NewSession(&graph, MemoryPlanMode::kChecked);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(MessageOf([&] {
                session->Run({{x}, {bad}, {}}, std::vector{Scalar(1)});
              }),
              "");
    EXPECT_EQ(Number(session->Run({{x}, {good}, {}}, std::vector{Scalar(2)})[0]), 4);
  }
}

TEST(PlannedArena, StaysAsLongAsATensorInIt) {
  auto* arena = new PlannedArena(64, /*poisons=*/true);
  arena->Expect(0, 4);
  auto* inside = static_cast<float*>(arena->Allocate(4));
  auto* outside = static_cast<float*>(arena->Allocate(4));
  *inside = 3;
  *outside = 4;
  arena->Release();
  EXPECT_EQ(*inside, 3);
  EXPECT_EQ(*outside, 4);
  arena->Free(inside, 4);
  EXPECT_EQ(*outside, 4);
  arena->Free(outside, 4);  // and with it the arena: the address sanitizer would see it
}

}  // namespace
}  // namespace minitf::testing
