// Partitions: what is cut, what travels, and that the parts compute what the whole does.
//
// The parts are run here by a small runner of its own, a thread for each device, which
// goes through the nodes in order and waits for a _Recv where its tensor is needed. So a
// fault of the real executor does not show here.

#include "minitf/runtime/partition.h"

#include <algorithm>
#include <future>
#include <map>
#include <random>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/runtime/intra_process_rendezvous.h"
#include "minitf/runtime/placer.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::Feed;
using testing::MessageOf;
using testing::Number;
using testing::Record;
using testing::Source;
using testing::Sum;
using testing::TakeRecordedRuns;

// ---- Running --------------------------------------------------------------------------

// One node of a part: its kernel and what came out of it.
struct StartedNode {
  std::unique_ptr<OpKernel> kernel;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::unique_ptr<OpKernelContext> ctx;
  std::future<void> done;
};

class PartRun {
 public:
  PartRun(const Partition& part, const LocalDevice& device, Rendezvous* rendezvous)
      : part_(part), device_(device), step_{rendezvous} {}

  void Run(const std::vector<Tensor>& feeds, std::vector<Tensor>* fetches) {
    for (const Node* node : part_.step.graph->nodes()) {
      for (const Node* before : node->control_inputs()) WaitFor(before);
      StartedNode& run = runs_[node];
      for (const Output& input : node->inputs()) {
        run.inputs.push_back(WaitFor(input.node).outputs[input.index]);
      }
      if (node->type() == "_Arg") {
        run.outputs = {feeds[node->attrs().Get<int64_t>("index")]};
      } else if (node->type() == "_Retval") {
        (*fetches)[node->attrs().Get<int64_t>("index")] = run.inputs[0];
      } else {
        Start(*node, &run);
      }
    }
    for (auto& [node, run] : runs_) WaitFor(node);
  }

 private:
  StartedNode& WaitFor(const Node* node) {
    StartedNode& run = runs_.at(node);
    if (run.done.valid()) {
      run.done.get();
      ThrowIfError(run.ctx->status());
    }
    return run;
  }

  // A node with a dead input is dead, but for one that sends.
  void Start(const Node& node, StartedNode* run) {
    const Signature& signature = node.signature();
    run->outputs.resize(signature.output_types.size());
    const bool is_dead = std::ranges::any_of(
        run->inputs, [](const Tensor& input) { return !input.has_value(); });
    if (is_dead && node.role() != OpRole::kSend) return;
    const DeviceContext& device = device_.context();
    run->kernel = MakeKernel(node.name(), node.op(), node.attrs(), signature,
                             device_.kernels(), device);
    run->ctx = std::make_unique<OpKernelContext>(run->inputs, run->outputs,
                                                 signature.output_types, device, step_,
                                                 FrameAndIter{}, is_dead);
    auto done = std::make_shared<std::promise<void>>();
    run->done = done->get_future();
    if (AsyncOpKernel* async = run->kernel->AsAsync()) {
      RunKernelAsync(async, run->ctx.get(), [done] { done->set_value(); });
    } else {
      RunKernel(run->kernel.get(), run->ctx.get());
      done->set_value();
    }
  }

  const Partition& part_;
  const LocalDevice& device_;
  const StepContext step_;
  std::map<const Node*, StartedNode> runs_;
};

class PartitionTest : public ::testing::Test {
 protected:
  PartitionTest() { TakeRecordedRuns(); }

  static DeviceOptions FourDevices() {
    unsetenv("CUDA_VISIBLE_DEVICES");
    DeviceOptions options;
    options.device_count = {{"CPU", 2}, {"GPU", 2}};
    return options;
  }

  Output On(const std::string& device, Output output) {
    graph_.SetDevice(output.node, device);
    return output;
  }

  const std::vector<Partition>& Cut(const std::vector<Output>& fetches,
                                    const std::vector<Node*>& targets = {}) {
    step_ = MakeStepGraph({feeds_, fetches, targets});
    PlaceNodes(&step_, devices_.set());
    parts_ = PartitionGraph(step_, devices_.set());
    return parts_;
  }

  std::vector<Tensor> Run(const std::vector<Tensor>& feeds = {}) {
    const auto rendezvous = NewIntraProcessRendezvous(devices_);
    std::vector<Tensor> fetches(parts_.front().step.retvals.size());
    std::vector<std::thread> threads;
    for (const Partition& part : parts_) {
      const LocalDevice& device = *devices_.Find(part.device->name());
      threads.emplace_back(
          [&] { PartRun(part, device, rendezvous.get()).Run(feeds, &fetches); });
    }
    for (std::thread& thread : threads) thread.join();
    return fetches;
  }

  int Count(const std::string& op) const {
    int count = 0;
    for (const Partition& part : parts_) {
      const auto nodes = part.step.graph->nodes();
      count += static_cast<int>(std::ranges::count(nodes, op, &Node::type));
    }
    return count;
  }

  Graph graph_;
  std::vector<Output> feeds_;
  LocalDevices devices_{FourDevices()};
  StepGraph step_;
  std::vector<Partition> parts_;
};

// ---- What is cut ----------------------------------------------------------------------

TEST_F(PartitionTest, OneDeviceNeedsNoTransfer) {
  Cut({Add(&graph_, Source(&graph_, 1), Source(&graph_, 2))});
  EXPECT_EQ(parts_.size(), 1);
  EXPECT_EQ(Count("_Send") + Count("_Recv"), 0);
  EXPECT_EQ(Number(Run()[0]), 3);
}

TEST_F(PartitionTest, AnEdgeBetweenTwoDevicesIsASendAndARecv) {
  const Output a = On("/cpu:0", Source(&graph_, 3, "a"));
  const Output b = On("/cpu:1", Add(&graph_, a, a, "b"));
  Cut({}, {b.node});
  ASSERT_EQ(parts_.size(), 2);
  EXPECT_EQ(Count("_Send"), 1);
  EXPECT_EQ(Count("_Recv"), 1);

  const Node* send = parts_[0].step.targets.at(0);
  const Node* recv = parts_[1].step.graph->FindNode("b")->inputs()[0].node;
  EXPECT_EQ(send->type(), "_Send");
  EXPECT_EQ(recv->type(), "_Recv");
  for (const auto* attr : {"tensor_name", "send_device", "recv_device"}) {
    EXPECT_EQ(send->attrs().Get<std::string>(attr), recv->attrs().Get<std::string>(attr));
  }
  EXPECT_EQ(send->attrs().Get<std::string>("send_device"), devices_.host().name());
  EXPECT_EQ(static_cast<uint64_t>(send->attrs().Get<int64_t>("send_device_incarnation")),
            devices_.host().incarnation());
  EXPECT_EQ(recv->attrs().Get<DType>("tensor_type"), DType::kFloat32);
  EXPECT_EQ(StrCat(recv->output_shape(0)), "[]");
}

// Both consumers share one transfer: two bytes counters tell, and the number of nodes.
TEST_F(PartitionTest, ATensorTravelsOnceToEachDevice) {
  const Output a = On("/cpu:0", Source(&graph_, 3, "a"));
  const Output b = On("/gpu:0", Add(&graph_, a, a, "b"));
  const Output c = On("/gpu:0", Add(&graph_, a, b, "c"));
  Cut({}, {c.node});
  EXPECT_EQ(Count("_Send"), 1);
  EXPECT_EQ(Count("_Recv"), 1);
  Run();
  EXPECT_EQ(devices_.transfers().num_transfers, 1);
  EXPECT_EQ(devices_.transfers().bytes, 4);
  EXPECT_EQ(devices_.transfers().bytes_copied, 4);

  const Output d = On("/gpu:1", Add(&graph_, a, c, "d"));
  Cut({}, {d.node});
  EXPECT_EQ(Count("_Send"), 3);  // a to each of the GPUs, and c
}

TEST_F(PartitionTest, ValuesEqualThoseOfOneDevice) {
  const Output x = Feed(&graph_, "x");
  feeds_ = {x};
  const Output a = On("/gpu:0", Add(&graph_, x, x, "a"));
  const Output b = On("/gpu:1", Add(&graph_, a, x, "b"));
  const Output c = On("/cpu:1", Add(&graph_, b, a, "c"));
  Cut({On("/gpu:0", Add(&graph_, c, b, "d")), b});
  EXPECT_EQ(parts_.size(), 4);
  const auto fetched = Run({Tensor::Scalar(1.0F)});
  EXPECT_EQ(Number(fetched[0]), 8);
  EXPECT_EQ(Number(fetched[1]), 3);
}

TEST_F(PartitionTest, FeedsAndFetchesStayAtTheHost) {
  const Output x = Feed(&graph_, "x");
  feeds_ = {x};
  Cut({On("/gpu:0", Add(&graph_, x, x, "y"))});
  EXPECT_EQ(parts_[0].step.args.size(), 1);
  EXPECT_EQ(parts_[0].step.retvals.size(), 1);
  EXPECT_TRUE(parts_[1].step.args.empty());
  EXPECT_EQ(parts_[1].device->name(), "/job:localhost/replica:0/task:0/device:GPU:0");
}

TEST_F(PartitionTest, CopiesKnowTheUsersNode) {
  const Output a = On("/gpu:0", Source(&graph_, 3, "a"));
  Cut({a});
  EXPECT_EQ(parts_[1].step.graph->FindNode("a")->source(), a.node);
}

// The kernel of a user's node is kept for all steps. It must not be taken for one that a
// pass has added or changed.
TEST_F(PartitionTest, WhatAPassMadeOrChangedIsNoCopyOfTheUsersNode) {
  const Output a = Source(&graph_, 3, "a");
  step_ = MakeStepGraph({{}, {Add(&graph_, a, a, "b")}, {}});
  EXPECT_EQ(step_.graph->FindNode("a")->num_attr_edits(), 0);
  step_.graph->SetAttr(step_.graph->FindNode("a"), "value", 4.0F);
  step_.graph->AddConstant(Tensor::Scalar(1.0F), "new");
  PlaceNodes(&step_, devices_.set());
  parts_ = PartitionGraph(step_, devices_.set());
  const Graph& part = *parts_[0].step.graph;
  EXPECT_EQ(part.FindNode("new")->source(), nullptr);
  EXPECT_EQ(part.FindNode("a")->source(), a.node);
  EXPECT_EQ(part.FindNode("a")->num_attr_edits(), 1);
  EXPECT_EQ(part.FindNode("b")->num_attr_edits(), 0);
}

// ---- Control edges --------------------------------------------------------------------

TEST_F(PartitionTest, AControlEdgeHoldsBetweenDevices) {
  for (int i = 0; i < 20; ++i) {
    Graph graph;
    const Output slow = testing::Sleep(&graph, Source(&graph, 1), 2, "slow");
    const Output first = Record(&graph, slow, "first");
    const Output second = Record(&graph, Source(&graph, 1), "second");
    const Output third = Record(&graph, Source(&graph, 1), "third");
    graph.AddControlInput(second.node, first.node);
    graph.AddControlInput(third.node, first.node);
    graph.SetDevice(second.node, "/gpu:0");
    graph.SetDevice(third.node, "/gpu:0");
    Cut({second, third});
    // One pair for the edge that both wait for, one for each fetch.
    EXPECT_EQ(Count("_Send"), 3);
    Run();
    EXPECT_EQ(TakeRecordedRuns()[0], "first");
  }
}

// ---- Host memory ----------------------------------------------------------------------

// x [2,3] on gpu:0 becomes [3,2]; only its data, 24 bytes, is copied to the card.
TEST_F(PartitionTest, AHostMemoryArgumentIsNotCopiedToTheGpu) {
  const Output x = Feed(&graph_, "x", {2, 3});
  const Attrs attrs{{"dtype", DType::kInt64}, {"shape", PartialShape({2})}};
  const Output shape = AddOp(&graph_, "Placeholder", "shape", {}, attrs)->output(0);
  feeds_ = {x, shape};
  Cut({On("/gpu:0", AddOp(&graph_, "Reshape", "y", {x, shape})->output(0))});
  EXPECT_EQ(Count("_Send"), 3);  // x, shape, y
  EXPECT_EQ(Count("_HostRecv"), 1);
  const Node* y = parts_[1].step.graph->FindNode("y");
  EXPECT_EQ(y->inputs()[0].node->type(), "_Recv");
  EXPECT_EQ(y->inputs()[1].node->type(), "_HostRecv");
  const auto fetched = Run(
      {Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::Of<int64_t>({2}, {3, 2})});
  EXPECT_EQ(fetched[0].shape(), Shape({3, 2}));
  EXPECT_EQ(devices_.transfers().bytes, 24 + 16 + 24);
  EXPECT_EQ(devices_.transfers().bytes_copied, 24 + 24);
}

// Shape gives its result in host memory, and Reshape takes it there.
TEST_F(PartitionTest, BetweenTwoHostMemoryArgumentsNothingTravels) {
  const Output x = On("/gpu:0", Source(&graph_, 5, "x"));
  const Output shape =
      On("/gpu:0",
         AddOp(&graph_, "Shape", "shape", {x}, {{"out_type", DType::kInt64}})->output(0));
  const Output y = On("/gpu:0", AddOp(&graph_, "Reshape", "y", {x, shape})->output(0));
  Cut({}, {y.node});
  EXPECT_EQ(Count("_Send") + Count("_HostSend"), 0);
  // Fetched, it leaves from the host as well.
  Cut({shape, y});
  EXPECT_EQ(Count("_HostSend"), 1);
  EXPECT_EQ(Count("_Send"), 1);
  const auto fetched = Run();
  EXPECT_EQ(fetched[0].num_elements(), 0);
  EXPECT_EQ(Number(fetched[1]), 5);
  EXPECT_EQ(devices_.transfers().bytes_copied, 4);
}

// An int64 constant lies in the card's memory. What needs it on the host gets a copy, one
// for all, made on the card itself.
TEST_F(PartitionTest, OneDeviceCopiesBetweenItsTwoMemories) {
  Node* sizes = graph_.AddConstant(Tensor::Of<int64_t>({1}, {4}), "sizes");
  const Output shape = On("/gpu:0", sizes->output(0));
  const Output value = On("/gpu:0", Source(&graph_, 5, "value"));
  const Attrs attrs{{"index_type", DType::kInt64}};
  const Output a =
      On("/gpu:0", AddOp(&graph_, "Fill", "a", {shape, value}, attrs)->output(0));
  const Output b =
      On("/gpu:0", AddOp(&graph_, "Fill", "b", {shape, value}, attrs)->output(0));
  const Output c = On("/gpu:0", Add(&graph_, a, b, "c"));
  Cut({c});
  EXPECT_EQ(Count("_HostRecv"), 1);
  const Node* receive = parts_[1].step.graph->FindNode("a")->inputs()[0].node;
  EXPECT_EQ(receive->type(), "_HostRecv");
  ASSERT_EQ(receive->control_inputs().size(), 1);
  EXPECT_EQ(receive->control_inputs()[0]->type(), "_Send");
  EXPECT_EQ(Run()[0].flat<float>()[3], 10);
}

TEST_F(PartitionTest, AControlEdgeCopiesNothing) {
  const Output first = On("/gpu:0", Record(&graph_, Source(&graph_, 1), "first"));
  const Output second = On("/gpu:1", Record(&graph_, Source(&graph_, 1), "second"));
  graph_.AddControlInput(second.node, first.node);
  Cut({}, {second.node});
  EXPECT_EQ(Count("_HostSend"), 1);
  EXPECT_EQ(Count("_HostRecv"), 1);
  Run();
  EXPECT_EQ(TakeRecordedRuns()[0], "first");
}

// ---- Dead tensors ---------------------------------------------------------------------

TEST_F(PartitionTest, ABranchThatIsNotTakenIsDeadOnTheOtherDevice) {
  const Output x = Source(&graph_, 5, "x");
  Node* pred = graph_.AddConstant(Tensor::Scalar(true), "pred");
  Node* branch = AddOp(&graph_, "Switch", "switch", {x, pred->output(0)});
  graph_.SetDevice(branch, "/cpu:0");
  const Output taken = On("/gpu:0", Add(&graph_, branch->output(1), x, "taken"));
  const Output dead = On("/gpu:0", Add(&graph_, branch->output(0), x, "dead"));
  Cut({taken, dead});
  const auto fetched = Run();
  EXPECT_EQ(Number(fetched[0]), 10);
  EXPECT_FALSE(fetched[1].has_value());
}

TEST_F(PartitionTest, PartsThatShareALoopShareOneGraph) {
  const Output start = Source(&graph_, 1, "start");
  Node* enter =
      AddOp(&graph_, "Enter", "enter", {start}, {{"frame_name", std::string("loop")}});
  Node* merge = AddOp(&graph_, "Merge", "merge", {enter->output(0), enter->output(0)});
  Node* next = AddOp(&graph_, "NextIteration", "next", {merge->output(0)});
  graph_.UpdateInput(merge, 1, next->output(0));
  Node* exit = AddOp(&graph_, "Exit", "exit", {merge->output(0)});
  step_ = MakeStepGraph({{}, {exit->output(0)}, {}});
  for (Node* node : step_.graph->nodes()) {
    step_.graph->SetDevice(node, devices_.host().name());
  }
  parts_ = PartitionGraph(step_, devices_.set());
  EXPECT_EQ(parts_[0].step.graph->FindNode("merge")->inputs()[1].node->name(), "next");

  step_.graph->SetDevice(step_.graph->FindNode("next"), devices_.devices()[1]->name());
  parts_ = PartitionGraph(step_, devices_.set());
  ASSERT_EQ(parts_.size(), 2U);
  EXPECT_EQ(parts_[0].step.graph, parts_[1].step.graph);
  const Graph& shared = *parts_[0].step.graph;
  const Node* received = shared.FindNode("next")->inputs()[0].node;
  EXPECT_EQ(received->type(), "_Recv");
  ASSERT_EQ(received->control_inputs().size(), 1U);
  EXPECT_EQ(received->control_inputs()[0]->inputs()[0].node, shared.FindNode("merge"));
}

// ---- Many graphs ----------------------------------------------------------------------

// Graphs of random sums, whose nodes are on random devices: the numbers are those of one
// device, exactly, and no two nodes of a part receive the same tensor.
TEST_F(PartitionTest, RandomGraphsComputeWhatOneDeviceComputes) {
  std::mt19937 random(7);
  const std::vector<std::string> names = {"", "/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1"};
  for (int round = 0; round < 30; ++round) {
    Graph graph;
    std::vector<Output> outputs = {Source(&graph, 1), Source(&graph, 2)};
    std::vector<float> expected = {1, 2};
    for (int i = 0; i < 40; ++i) {
      const size_t a = random() % outputs.size();
      const size_t b = random() % outputs.size();
      const size_t before = random() % outputs.size();
      outputs.push_back(Add(&graph, outputs[a], outputs[b]));
      expected.push_back(std::fmod(expected[a] + expected[b], 1e6F));
      if (expected[a] + expected[b] >= 1e6F) {  // keep numbers exact
        outputs.back() = Source(&graph, expected.back());
      }
      if (random() % 3 == 0) {
        graph.AddControlInput(outputs.back().node, outputs[before].node);
      }
      graph.SetDevice(outputs.back().node, names[random() % names.size()]);
    }
    Cut(outputs);
    const auto fetched = Run();
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(Number(fetched[i]), expected[i]) << "round " << round << " node " << i;
    }
    EXPECT_EQ(Count("_Send") + Count("_HostSend"), Count("_Recv") + Count("_HostRecv"));
  }
}

// ---- The rendezvous between devices ---------------------------------------------------

class IntraProcessRendezvousTest : public PartitionTest {
 protected:
  std::string Key(const std::string& from, const std::string& to) {
    const std::string start = "/job:localhost/replica:0/task:0/device:";
    return Rendezvous::CreateKey(start + from, 1, start + to, "x", {});
  }

  Status Transfer(const std::string& from, const std::string& to, const Tensor& value,
                  Tensor* received) {
    const auto rendezvous = NewIntraProcessRendezvous(devices_);
    Rendezvous::ParsedKey key;
    ThrowIfError(Rendezvous::ParseKey(Key(from, to), &key));
    ThrowIfError(rendezvous->Send(key, {}, value, false));
    bool is_dead = false;
    return rendezvous->Recv(key, {}, received, &is_dead);
  }
};

TEST_F(IntraProcessRendezvousTest, CopiesFromCpuToGpuAndBack) {
  const Tensor x = Tensor::Of<float>({3}, {1, 2, 3});
  Tensor there;
  Tensor back;
  ThrowIfError(Transfer("CPU:0", "GPU:1", x, &there));
  EXPECT_NE(there.data(), x.data());
  EXPECT_EQ(there.flat<float>()[2], 3);
  EXPECT_EQ(devices_.devices()[3]->allocator().stats().bytes_in_use, 12);
  EXPECT_EQ(devices_.devices()[2]->allocator().stats().bytes_in_use, 0);
  ThrowIfError(Transfer("GPU:1", "CPU:0", there, &back));
  EXPECT_NE(back.data(), there.data());
  EXPECT_EQ(back.flat<float>()[2], 3);
  EXPECT_EQ(devices_.transfers().num_transfers, 2);
  EXPECT_EQ(devices_.transfers().bytes_copied, 24);
}

TEST_F(IntraProcessRendezvousTest, BetweenTwoCpusNothingIsCopied) {
  const Tensor x = Tensor::Of<float>({3}, {1, 2, 3});
  Tensor there;
  ThrowIfError(Transfer("CPU:0", "CPU:1", x, &there));
  EXPECT_EQ(there.data(), x.data());
  EXPECT_EQ(devices_.transfers().bytes, 12);
  EXPECT_EQ(devices_.transfers().bytes_copied, 0);
}

TEST_F(IntraProcessRendezvousTest, ADeviceThatThereIsNot) {
  Tensor there;
  const Status status = Transfer("CPU:0", "GPU:7", Tensor::Scalar(1.0F), &there);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
}

TEST_F(IntraProcessRendezvousTest, NoRoomOnTheDeviceIsAnErrorOfTheReceiver) {
  DeviceOptions options = FourDevices();
  options.gpu_memory_fraction = 1e-9;
  const LocalDevices small(options);
  const auto rendezvous = NewIntraProcessRendezvous(small);
  Rendezvous::ParsedKey key;
  ThrowIfError(Rendezvous::ParseKey(Key("CPU:0", "GPU:0"), &key));
  ThrowIfError(rendezvous->Send(key, {}, Tensor(DType::kFloat32, {1000}), false));
  Tensor there;
  bool is_dead = false;
  const Status status = rendezvous->Recv(key, {}, &there, &is_dead);
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_NE(status.message().find("/job:localhost/replica:0/task:0/device:GPU:0 has "),
            std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace minitf
