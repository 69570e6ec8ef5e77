// Facts of ops that nothing but this file knows: passes, memory plan and placer treat
// them by what they say of themselves.

#include "minitf/framework/op_facts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/framework/elementwise.h"
#include "minitf/framework/op.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/memory_plan.h"
#include "minitf/runtime/devices/local_devices.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// Registers an op of one float tensor to another, with a kernel that copies it.
class CopyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, ctx->input(0).Clone());
  }
};

OpDefBuilder Unary(const std::string& name) {
  RegisterKernel<CopyOp>(Kernel(name).On(Device::kCpu));
  OpDefBuilder builder(name);
  builder.Input("x: float").Output("y: float").SetShapeFn(UnchangedShape).Doc("x.");
  return builder;
}

const OpRegistrar kOps[] = {
    Unary("TestFactNone"),
    Unary("TestFactIdentity").SetIsIdentity(),
    Unary("TestFactHandsOn").SetHandsOnInput(),
    Unary("TestFactLends").SetLendsOutputs(),
    Unary("TestFactFresh").SetHasFreshOutputs(),
    Unary("TestFactForwards").SetForwardsInputs(1).SetHasFreshOutputs(),
    Unary("TestFactReads").SetIsStateful(StateUse::kReads),
    Unary("TestFactChanges").SetIsStateful(),
    Unary("TestFactReleases").SetIsStateful().SetReleasesInputs(),
    Unary("TestFactOutside").SetDependsOnOutside(),
    Unary("TestFactHost").SetIsHostOnly(),
    Unary("TestFactShape").SetReadsShapesOnly(),
};

Output Fact(Graph* graph, const std::string& op, const Output& x,
            const std::string& name) {
  return AddOp(graph, op, name, {x})->output(0);
}

TEST(OpFacts, AnOpThatSaysNothingIsTreatedWithCare) {
  const OpFacts& facts = FindOp("TestFactNone").facts;
  EXPECT_EQ(facts.role, OpRole::kKernel);
  EXPECT_EQ(facts.state, StateUse::kNone);
  EXPECT_FALSE(facts.is_control_flow());
  EXPECT_FALSE(facts.hands_on_input || facts.has_fresh_outputs || facts.is_identity);
  EXPECT_EQ(facts.num_forwarded_inputs, 0);
  EXPECT_FALSE(FindOp("TestFactNone").is_stateful());
}

TEST(OpFacts, AnIdentityGoes) {
  Graph graph;
  const Output x = Feed(&graph, "x");
  for (const std::string op : {"TestFactIdentity", "TestFactHandsOn", "TestFactNone"}) {
    const Output y = Fact(&graph, "Neg", Fact(&graph, op, x, op), "neg_" + op);
    StepGraph step = StepFor({y}, {x});
    RunPasses(&step, Only("prune"));
    EXPECT_EQ(step.graph->FindNode(op) == nullptr, op == "TestFactIdentity") << op;
  }
}

// Which of two equal calls are left after all passes.
std::vector<std::string> LeftOf(const std::string& op) {
  Graph graph;
  const Output x = Source(&graph, 3);
  const Output a = Fact(&graph, op, x, "a");
  const Output b = Fact(&graph, op, x, "b");
  StepGraph step = StepFor({Add(&graph, a, b, "y")});
  RunPasses(&step, OptionsOf());
  std::vector<std::string> left;
  for (const char* name : {"a", "b"}) {
    if (step.graph->FindNode(name) != nullptr) left.emplace_back(name);
  }
  return left;
}

TEST(OpFacts, CallsOfAPureOpBecomeOne) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(LeftOf("TestFactNone"), Names{"a"});
  EXPECT_EQ(LeftOf("TestFactReads"), (Names{"a", "b"}));
  EXPECT_EQ(LeftOf("TestFactChanges"), (Names{"a", "b"}));
  EXPECT_EQ(LeftOf("TestFactOutside"), (Names{"a", "b"}));
}

TEST(OpFacts, WhatChangesStateStaysThoughNobodyUsesIt) {
  for (const std::string op :
       {"TestFactNone", "TestFactReads", "TestFactOutside", "TestFactChanges"}) {
    Graph graph;
    StepGraph step = StepFor({Source(&graph, 3)});
    GraphEditor editor(&step);
    NodeSpec spec;
    spec.op = op;
    spec.name = "unused";
    spec.inputs = {step.retvals[0]->inputs()[0]};
    const int id = editor.Add(std::move(spec))->id();
    editor.RemoveIfUseless(id);
    EXPECT_EQ(editor.node(id) != nullptr, op == "TestFactChanges") << op;
  }
}

// The lives of x -> square -> y, where `op` makes y, which is fetched.
PlannedStep LivesWith(const std::string& op) {
  Graph graph;
  const Output x = Feed(&graph, "x", PartialShape({4}));
  const Output square = Fact(&graph, "MatrixDiag", x, "square");
  return LivesOf(StepFor({Fact(&graph, op, square, "y")}, {x}));
}

TEST(OpFacts, TheMemoryPlanAsks) {
  EXPECT_EQ(LivesWith("TestFactFresh").buffers.size(), 2);  // of square and of y
  EXPECT_EQ(LivesWith("TestFactForwards").buffers.size(),
            1);  // y takes over that of square
  EXPECT_EQ(LivesWith("TestFactHandsOn").buffers.size(), 1);
  EXPECT_EQ(LivesWith("TestFactIdentity").buffers.size(), 1);
  EXPECT_EQ(LivesWith("TestFactLends").buffers.size(), 1);  // no place is planned for y

  // Until y is fetched, square has to stay where y may lie in its memory.
  const PlannedStep fresh = LivesWith("TestFactFresh");
  const PlannedStep unknown = LivesWith("TestFactNone");
  EXPECT_EQ(unknown.buffers.size(), 2);
  EXPECT_LT(fresh.buffers[0].last_use, static_cast<int>(fresh.order.size()));
  EXPECT_EQ(unknown.buffers[0].last_use, static_cast<int>(unknown.order.size()));
}

// Whether the buffer that `op` reads is never free again in the step.
bool IsKeptToTheEnd(const std::string& op) {
  Graph graph;
  const Output x = Feed(&graph, "x", PartialShape({4}));
  const Output square = Fact(&graph, "MatrixDiag", x, "square");
  const Output y = Fact(&graph, op, square, "y");
  const StepGraph step = StepFor({Fact(&graph, "Rank", y, "rank")}, {x});
  const PlannedStep lives = LivesOf(step);
  for (const auto& [tensor, buffer] : lives.tensors) {
    if (tensor.node->name() != "square") continue;
    return lives.buffers[buffer].last_use == static_cast<int>(lives.order.size());
  }
  ADD_FAILURE() << "no buffer of 'square'";
  return false;
}

TEST(OpFacts, WhatChangesStateMayKeepItsInputs) {
  EXPECT_TRUE(IsKeptToTheEnd("TestFactChanges"));
  EXPECT_TRUE(IsKeptToTheEnd("TestFactReads"));
  EXPECT_FALSE(IsKeptToTheEnd("TestFactReleases"));
  EXPECT_FALSE(IsKeptToTheEnd("TestFactNone"));
}

TEST(OpFacts, TheEmulatedGpuLeavesOpsToTheHost) {
  DeviceOptions options;
  options.device_count = {{"CPU", 1}, {"GPU", 1}};
  options.visible_device_list = "";
  const LocalDevices devices(options);
  Graph graph;
  const Output x = Feed(&graph, "x");
  for (const auto& device : devices.devices()) {
    for (const std::string op : {"TestFactNone", "TestFactHost", "TestFactShape"}) {
      const Node& node = *Fact(&graph, op, x, op).node;
      EXPECT_EQ(device->HasKernel(node.op(), node.attrs(), node.signature()),
                device->is_cpu() || op != "TestFactHost")
          << op << " on " << device->name();
    }
  }
}

// Every op of the library whose facts contradict each other.
TEST(OpFacts, TheLibrarysFactsAgree) {
  for (const std::string& name : Ops().Keys()) {
    const OpDef& op = *Ops().Find(name);
    const OpFacts& facts = op.facts;
    EXPECT_FALSE(facts.hands_on_input && facts.has_fresh_outputs) << name;
    EXPECT_FALSE(facts.is_identity && op.is_stateful()) << name;
    EXPECT_FALSE(facts.is_identity && op.inputs.size() != 1) << name;
    EXPECT_FALSE(facts.releases_inputs && !op.is_stateful()) << name;
    EXPECT_LE(facts.num_forwarded_inputs > 0 ? op.outputs.size() : 1, 1) << name;
    EXPECT_FALSE(facts.is_control_flow() && op.is_stateful()) << name;
  }
}

// In the memory of which input `op` leaves its only output, if no one else needs the
// inputs, which are float tensors [2,3]; -1 if it is in none. Throws if the op takes
// others.
int InputThatHoldsTheOutput(const OpDef& op) {
  std::vector<Tensor> inputs;
  std::vector<const void*> places;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    inputs.push_back(Tensor::Of(Shape{2, 3}, std::vector<float>(6, 0.5F)));
    places.push_back(inputs.back().data());
  }
  Attrs attrs;
  const std::vector<DType> types(inputs.size(), DType::kFloat32);
  const Signature signature = CompleteAttrs(op, types, &attrs);
  const auto kernel =
      MakeKernel("node", op, attrs, signature, Device::kCpu, EagerDevice());
  std::vector<Tensor> outputs(1);
  OpKernelContext ctx(inputs, outputs, signature.output_types, EagerDevice());
  kernel->Compute(&ctx);
  if (!ctx.status().ok()) return -1;
  const auto found = std::ranges::find(places, outputs[0].data());
  return found == places.end() ? -1 : static_cast<int>(found - places.begin());
}

TEST(OpFacts, FreshOutputsLieInNoInputThatIsNotDeclared) {
  int num_found = 0;
  for (const std::string& name : OpsWithKernels()) {
    const OpDef* op = Ops().Find(name);
    if (op == nullptr || !op->facts.has_fresh_outputs || op->outputs.size() != 1)
      continue;
    int input = -1;
    const std::string problem = MessageOf([&] { input = InputThatHoldsTheOutput(*op); });
    if (!problem.empty() || input < 0) continue;
    ++num_found;
    EXPECT_TRUE(input < op->facts.num_forwarded_inputs ||
                FindElementwiseLoop(Device::kCpu, name, DType::kFloat32) != nullptr)
        << name << " writes into its input " << input;
  }
  EXPECT_GE(num_found, 2) << "ZerosLike and OnesLike do";
}

}  // namespace
}  // namespace minitf::testing
