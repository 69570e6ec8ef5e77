// The placer: what was asked for, what must be together, what is there; and its messages.

#include "minitf/runtime/placer.h"

#include "gtest/gtest.h"
#include "minitf/runtime/devices/local_devices.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::Feed;
using testing::MessageOf;
using testing::Source;

using Classes = std::vector<std::string>;

DeviceOptions TwoCpusAndTwoGpus() {
  DeviceOptions options;
  options.device_count = {{"CPU", 2}, {"GPU", 2}};
  options.visible_device_list = "";
  return options;
}

constexpr auto kAllDevices =
    "/job:localhost/replica:0/task:0/device:CPU:0, "
    "/job:localhost/replica:0/task:0/device:CPU:1, "
    "/job:localhost/replica:0/task:0/device:GPU:0, "
    "/job:localhost/replica:0/task:0/device:GPU:1";

class PlacerTest : public ::testing::Test {
 protected:
  // Adds an op that asks for `device`.
  Output On(const std::string& device, Output output) {
    graph_.SetDevice(output.node, device);
    return output;
  }
  Node* Variable(const std::string& name, const std::string& device = "") {
    Node* node = AddOp(&graph_, "VarHandleOp", name, {},
                       {{"dtype", DType::kFloat32}, {"shape", PartialShape({})}});
    graph_.SetDevice(node, device);
    return node;
  }

  // Places what `fetches` and `targets` need.
  bool Place(const std::vector<Output>& fetches, const std::vector<Node*>& targets = {},
             bool soft = false) {
    step_ = MakeStepGraph({{feeds_}, fetches, targets});
    PlacerOptions options;
    options.allow_soft_placement = soft;
    return PlaceNodes(&step_, devices_->set(), options);
  }

  // Where the node is, without what all names start with: "GPU:1".
  std::string DeviceOf(const std::string& name) const {
    const std::string start = "/job:localhost/replica:0/task:0/device:";
    const std::string& device = step_.graph->FindNode(name)->device();
    EXPECT_TRUE(device.starts_with(start)) << device;
    return device.substr(start.size());
  }

  Graph graph_;
  std::vector<Output> feeds_;
  StepGraph step_;
  std::unique_ptr<LocalDevices> devices_ =
      (unsetenv("CUDA_VISIBLE_DEVICES"),
       std::make_unique<LocalDevices>(TwoCpusAndTwoGpus()));
};

// ---- What was asked for ---------------------------------------------------------------

TEST_F(PlacerTest, WhatAsksForNothingGoesToTheCpu) {
  const Output y = Add(&graph_, Source(&graph_, 1, "x"), Source(&graph_, 2), "y");
  EXPECT_TRUE(Place({y}));
  EXPECT_EQ(DeviceOf("x"), "CPU:0");
  EXPECT_EQ(DeviceOf("y"), "CPU:0");
}

TEST_F(PlacerTest, OrToTheFirstGpuIfThatIsPreferred) {
  DeviceOptions options = TwoCpusAndTwoGpus();
  options.prefer_emulated_gpus = true;
  devices_ = std::make_unique<LocalDevices>(options);
  EXPECT_FALSE(Place({Add(&graph_, Source(&graph_, 1), Source(&graph_, 2), "y")}));
  EXPECT_EQ(DeviceOf("y"), "GPU:0");
  EXPECT_EQ(DeviceOf("fetch/y_0"), "CPU:0");
}

TEST_F(PlacerTest, ANameInFullAndInPart) {
  const Output a =
      On("/gpu:1", Add(&graph_, Source(&graph_, 1), Source(&graph_, 2), "a"));
  const Output b = On("/device:GPU:*", Add(&graph_, a, a, "b"));
  const Output c =
      On("/job:localhost/replica:0/task:0/device:CPU:1", Add(&graph_, b, b, "c"));
  const Output d = On("/job:localhost", Add(&graph_, c, c, "d"));
  EXPECT_FALSE(Place({d}));
  EXPECT_EQ(DeviceOf("a"), "GPU:1");
  EXPECT_EQ(DeviceOf("b"), "GPU:0");
  EXPECT_EQ(DeviceOf("c"), "CPU:1");
  EXPECT_EQ(DeviceOf("d"), "CPU:0");
}

TEST_F(PlacerTest, TheUsersGraphKeepsItsText) {
  const Output a = On("/gpu:1", Source(&graph_, 1, "a"));
  Place({a});
  EXPECT_EQ(a.node->device(), "/gpu:1");
}

TEST_F(PlacerTest, FeedsAndFetchesAreAtTheHost) {
  const Output x = Feed(&graph_, "x");
  feeds_ = {x};
  Place({On("/gpu:1", Add(&graph_, x, x, "y"))});
  EXPECT_EQ(DeviceOf("feed/x_0"), "CPU:0");
  EXPECT_EQ(DeviceOf("y"), "GPU:1");
  EXPECT_EQ(DeviceOf("fetch/y_0"), "CPU:0");
}

TEST_F(PlacerTest, AConstantGoesWhereItsConsumerGoes) {
  const Output x = Source(&graph_, 1, "x");
  const Output shared = Source(&graph_, 2, "shared");
  const Output y = On("/gpu:1", Add(&graph_, x, shared, "y"));
  Place({On("/cpu:1", Add(&graph_, y, shared, "z"))});
  EXPECT_EQ(DeviceOf("x"), "GPU:1");
  EXPECT_EQ(DeviceOf("shared"), "CPU:0");
}

TEST_F(PlacerTest, AConsumerThatIsNotPlacedYetIsNotWhereOthersAre) {
  const Output x = Source(&graph_, 1, "x");
  const Output shape = AddOp(&graph_, "Shape", "shape", {x})->output(0);
  Place({shape, On("/gpu:1", Add(&graph_, x, x, "y"))});
  EXPECT_EQ(DeviceOf("x"), "CPU:0");
  EXPECT_EQ(DeviceOf("shape"), "CPU:0");
}

TEST_F(PlacerTest, TheShapeOfATensorIsTakenWhereItIs) {
  const Output x =
      On("/gpu:1", Add(&graph_, Source(&graph_, 1), Source(&graph_, 2), "x"));
  Place({AddOp(&graph_, "Shape", "shape", {x})->output(0)});
  EXPECT_EQ(DeviceOf("shape"), "GPU:1");
}

// ---- What must be together ------------------------------------------------------------

TEST_F(PlacerTest, NodesOfAClassFollowTheOneThatAsks) {
  Source(&graph_, 1, "a");
  Node* b = AddOp(&graph_, "TestSource", "b", {},
                  {{"value", 1.0F}, {"_class", Classes{"loc:@a"}}});
  Node* c = AddOp(&graph_, "TestSource", "c", {},
                  {{"value", 1.0F}, {"_class", Classes{"loc:@b"}}});
  graph_.SetDevice(c, "/gpu:1");
  Place({}, {graph_.FindNode("a"), b, c});
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(DeviceOf(name), "GPU:1") << name;
}

TEST_F(PlacerTest, AClassWhoseNodeIsNotPartOfTheStepStillHolds) {
  Source(&graph_, 1, "gone");
  const Attrs attrs{{"value", 1.0F}, {"_class", Classes{"loc:@gone"}}};
  Node* b = AddOp(&graph_, "TestSource", "b", {}, attrs);
  Node* c = AddOp(&graph_, "TestSource", "c", {}, attrs);
  graph_.SetDevice(b, "/gpu:1");
  Place({}, {b, c});
  EXPECT_EQ(DeviceOf("c"), "GPU:1");
}

TEST_F(PlacerTest, MembersThatContradictEachOtherAreAllNamed) {
  const Output a = On("/cpu:0", Source(&graph_, 1, "a"));
  const Attrs attrs{{"value", 1.0F}, {"_class", Classes{"loc:@a"}}};
  Node* b = AddOp(&graph_, "TestSource", "b", {}, attrs);
  Node* c = AddOp(&graph_, "TestSource", "c", {}, attrs);
  graph_.SetDevice(c, "/gpu:1");
  EXPECT_EQ(MessageOf([&] {
              Place({a}, {b, c});
            }),
            "Cannot colocate nodes 'a' and 'c', which share the class 'loc:@a': Cannot "
            "merge devices with incompatible types: '/device:CPU:0' and '/device:GPU:1'\n"
            "Colocation group:\n"
            "  a (TestSource) requested '/cpu:0', supported on [CPU, GPU]\n"
            "  b (TestSource) requested '', supported on [CPU, GPU]");
  Place({a}, {b, c}, /*soft=*/true);
  EXPECT_EQ(DeviceOf("a"), DeviceOf("c"));
}

TEST_F(PlacerTest, WhatUsesAVariableGoesWhereItIs) {
  Node* v = Variable("v", "/gpu:1");
  Node* read = AddOp(&graph_, "ReadVariableOp", "read", {v->output(0)},
                     {{"dtype", DType::kFloat32}});
  Node* assign =
      AddOp(&graph_, "AssignVariableOp", "assign",
            {v->output(0), Source(&graph_, 1, "value")}, {{"dtype", DType::kFloat32}});
  // The user's device function sent these elsewhere, and is overruled.
  graph_.SetDevice(assign, "/cpu:0");
  Place({read->output(0)}, {assign});
  EXPECT_EQ(DeviceOf("v"), "GPU:1");
  EXPECT_EQ(DeviceOf("read"), "GPU:1");
  EXPECT_EQ(DeviceOf("assign"), "GPU:1");
}

TEST_F(PlacerTest, AVariableFollowsWhoUsesItIfItDoesNotCare) {
  Node* v = Variable("v");
  Node* read = AddOp(&graph_, "ReadVariableOp", "read", {v->output(0)},
                     {{"dtype", DType::kFloat32}});
  graph_.SetDevice(read, "/gpu:0");
  Place({read->output(0)});
  EXPECT_EQ(DeviceOf("v"), "GPU:0");
}

// i = 0; while (i < ...) i += i, of which one node is for a GPU.
Output Loop(Graph* graph, const std::string& device, const std::string& other = "") {
  const Output start = Source(graph, 1, "start");
  const Output enter =
      AddOp(graph, "Enter", "enter", {start}, {{"frame_name", std::string("loop")}})
          ->output(0);
  Node* merge = AddOp(graph, "Merge", "merge", {enter, enter});
  Node* is_less = AddOp(graph, "Less", "less", {merge->output(0), merge->output(0)});
  Node* cond = AddOp(graph, "LoopCond", "cond", {is_less->output(0)});
  Node* branch = AddOp(graph, "Switch", "switch", {merge->output(0), cond->output(0)});
  const Output body = Add(graph, branch->output(1), branch->output(1), "body");
  Node* next = AddOp(graph, "NextIteration", "next", {body});
  graph->UpdateInput(merge, 1, next->output(0));
  graph->SetDevice(body.node, device);
  graph->SetDevice(is_less, other);
  return AddOp(graph, "Exit", "exit", {branch->output(0)})->output(0);
}

TEST_F(PlacerTest, ALoopRunsOnOneDevice) {
  Place({Add(&graph_, Loop(&graph_, "/gpu:1"), Source(&graph_, 1), "after")});
  for (const auto* name :
       {"enter", "merge", "less", "cond", "switch", "body", "next", "exit"}) {
    EXPECT_EQ(DeviceOf(name), "GPU:1") << name;
  }
  EXPECT_EQ(DeviceOf("after"), "CPU:0");
}

TEST_F(PlacerTest, ANodeInALoopMayAskForAnotherDevice) {
  Place({Loop(&graph_, "/gpu:1", "/gpu:0")});
  EXPECT_EQ(DeviceOf("less"), "GPU:0");
  EXPECT_EQ(DeviceOf("body"), "GPU:1");
  for (const auto* name : {"merge", "next"}) {
    EXPECT_EQ(DeviceOf(name), DeviceOf("enter")) << name << " is on the way around";
  }
}

// ---- What is there --------------------------------------------------------------------

TEST_F(PlacerTest, ADeviceThatThereIsNot) {
  const Output a = On("/gpu:9", Source(&graph_, 1, "a"));
  EXPECT_EQ(MessageOf([&] { Place({a}); }),
            StrCat("Cannot assign a device for operation a: node a was explicitly "
                   "assigned to /gpu:9 but available devices are [ ",
                   kAllDevices,
                   " ]. Make sure the device specification refers to a valid device."));
  Place({a}, {}, /*soft=*/true);
  EXPECT_EQ(DeviceOf("a"), "CPU:0");
}

TEST_F(PlacerTest, SoftPlacementDoesNotLeaveTheProcess) {
  const Output a = On("/job:ps/gpu:0", Source(&graph_, 1, "a"));
  EXPECT_NE(MessageOf([&] { Place({a}, {}, /*soft=*/true); }), "");
}

TEST_F(PlacerTest, AnOpThatHasNoKernelThere) {
  Node* text = graph_.AddConstant(Tensor::Scalar(std::string("hello")), "text");
  Node* y = AddOp(&graph_, "Identity", "y", {text->output(0)});
  graph_.SetDevice(y, "/gpu:0");
  EXPECT_EQ(MessageOf([&] { Place({y->output(0)}); }),
            "Cannot assign a device for operation y: Could not satisfy explicit device "
            "specification '/gpu:0' because no supported kernel for GPU devices is "
            "available.");
  Place({y->output(0)}, {}, /*soft=*/true);
  EXPECT_EQ(DeviceOf("y"), "CPU:0");
}

TEST_F(PlacerTest, AStringThatIsNoDevice) {
  const Output a = On("gpu zero", Source(&graph_, 1, "a"));
  EXPECT_TRUE(MessageOf([&] {
                Place({a});
              }).starts_with("node a: Malformed device specification 'gpu zero'"));
}

// ---- Seeing it ------------------------------------------------------------------------

TEST_F(PlacerTest, PlacementIsPrintedAsTensorFlowPrintsIt) {
  const Output x = Feed(&graph_, "x");
  feeds_ = {x};
  Place({On("/gpu:1", Add(&graph_, x, x, "y"))});
  EXPECT_EQ(PlacementText(step_),
            "feed/x_0: (_Arg): /job:localhost/replica:0/task:0/device:CPU:0\n"
            "y: (TestAdd): /job:localhost/replica:0/task:0/device:GPU:1\n"
            "fetch/y_0: (_Retval): /job:localhost/replica:0/task:0/device:CPU:0\n");
  EXPECT_EQ(DeviceMappingText(devices_->set()),
            "Device mapping:\n"
            "/job:localhost/replica:0/task:0/device:GPU:0 -> device: 0, name: emulated "
            "on the CPU, card: 0\n"
            "/job:localhost/replica:0/task:0/device:GPU:1 -> device: 1, name: emulated "
            "on the CPU, card: 1\n");
  DeviceOptions options;
  options.device_count = {{"GPU", 0}};
  EXPECT_EQ(DeviceMappingText(LocalDevices(options).set()),
            "Device mapping: no known devices.\n");
}

}  // namespace
}  // namespace minitf
