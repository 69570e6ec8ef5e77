// The graph pipeline without a session: in one process, and for a step on two processes.

#include "minitf/runtime/graph_pipeline.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/runtime/intra_process_rendezvous.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

using Tensors = std::vector<Tensor>;

DeviceOptions CpuAndGpu(int task) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  DeviceOptions options;
  options.job = "worker";
  options.task = task;
  options.device_count = {{"CPU", 1}, {"GPU", 1}};
  return options;
}

// What a process has, whoever asks it to run something.
struct Process {
  explicit Process(int task) : devices(CpuAndGpu(task)) {}

  std::unique_ptr<Executor> ExecutorFor(const PreparedStep& step,
                                        MemoryPlanMode mode = MemoryPlanMode::kOff) {
    return MakeExecutor(step, {&devices, &threads, &kernels, mode});
  }

  ThreadPool threads{2};
  KernelCache kernels;
  const LocalDevices devices;
};

class GraphPipelineTest : public ::testing::Test {
 protected:
  Output On(const std::string& device, Output output) {
    graph_.SetDevice(output.node, device);
    return output;
  }

  static Tensors Run(Executor* executor, const Tensors& feeds,
                     Rendezvous* rendezvous = nullptr) {
    StepOptions options;
    options.rendezvous = rendezvous;
    Tensors fetches;
    ThrowIfError(executor->Run(feeds, options, &fetches));
    return fetches;
  }

  Graph graph_;
  Process process_{0};
};

TEST_F(GraphPipelineTest, AGraphOnTheHostIsNotCut) {
  const Output x = Feed(&graph_, "x");
  const Output y = Add(&graph_, x, x, "y");
  const auto step =
      PrepareStep(MakeStepGraph({{x}, {y}, {}}), process_.devices.set(), {});
  EXPECT_TRUE(step.parts.empty());
  ASSERT_EQ(step.graphs().size(), 1U);
  EXPECT_EQ(step.graphs()[0]->FindNode("y")->device(), process_.devices.host().name());
  for (const auto mode : {MemoryPlanMode::kOff, MemoryPlanMode::kChecked}) {
    const auto executor = process_.ExecutorFor(step, mode);
    EXPECT_EQ(Number(Run(executor.get(), {Scalar(4)})[0]), 8);
    EXPECT_EQ(Number(Run(executor.get(), {Scalar(5)})[0]), 10);
  }
}

TEST_F(GraphPipelineTest, AGraphOnTwoDevicesIsCut) {
  const Output x = Feed(&graph_, "x");
  const Output y = Add(&graph_, On("/gpu:0", Add(&graph_, x, x, "a")), x, "y");
  const auto step =
      PrepareStep(MakeStepGraph({{x}, {y}, {}}), process_.devices.set(), {});
  ASSERT_EQ(step.parts.size(), 2U);
  EXPECT_EQ(step.parts[0].device, &process_.devices.host());
  EXPECT_EQ(step.parts[1].device->type(), "GPU");
  EXPECT_EQ(step.graphs()[1], step.parts[1].step.graph.get());
  const auto executor = process_.ExecutorFor(step, MemoryPlanMode::kOn);
  EXPECT_TRUE(executor->plan().has_transfers);
  const auto rendezvous = NewIntraProcessRendezvous(process_.devices);
  EXPECT_EQ(Number(Run(executor.get(), {Scalar(4)}, rendezvous.get())[0]), 12);
}

TEST_F(GraphPipelineTest, PassesRunIfTheyAreOn) {
  const Output one = graph_.AddConstant(Scalar(1))->output(0);
  const Output two = graph_.AddConstant(Scalar(2))->output(0);
  const Output c = Add(&graph_, one, two, "c");
  PrepareOptions options;
  options.passes.cpu = &process_.devices.host().context();
  const auto count = [&] {
    return PrepareStep(MakeStepGraph({{}, {c}, {}}), process_.devices.set(), options)
        .whole.graph->nodes()
        .size();
  };
  EXPECT_EQ(count(), 2U) << "a constant and a _Retval";
  options.passes.enabled = false;
  EXPECT_EQ(count(), 4U);
}

TEST_F(GraphPipelineTest, ThePlacementIsLogged) {
  const Output y = Record(&graph_, Source(&graph_, 1, "x"), "y");
  std::ostringstream log;
  PrepareOptions options;
  options.placement_log = &log;
  PrepareStep(MakeStepGraph({{}, {y}, {}}), process_.devices.set(), options);
  EXPECT_NE(
      log.str().find("y: (TestRecord): /job:worker/replica:0/task:0/device:CPU:0\n"),
      std::string::npos)
      << log.str();
}

// ---- Two processes --------------------------------------------------------------------

// As a master does it, which has the request: it knows the other process's devices by
// name only. The rendezvous between the two is here a table that both share.
class TwoProcessesTest : public GraphPipelineTest {
 protected:
  TwoProcessesTest() {
    std::vector<const NamedDevice*> all = process_.devices.set().devices();
    for (const auto& device : other_.devices.devices()) {
      remote_.push_back(std::make_unique<NamedDevice>(
          device->attributes(), device->kernels(), device->priority()));
      all.push_back(remote_.back().get());
    }
    all_.emplace(all);
  }

  Process other_{1};
  std::vector<std::unique_ptr<NamedDevice>> remote_;
  std::optional<DeviceSet> all_;
};

TEST_F(TwoProcessesTest, EachRunsItsParts) {
  const Output x = Feed(&graph_, "x");
  const Output a = On("/task:1/cpu:0", Add(&graph_, x, x, "a"));
  const Output y = Add(&graph_, a, x, "y");
  const auto step = PrepareStep(MakeStepGraph({{x}, {y}, {}}), *all_, {});
  ASSERT_EQ(step.parts.size(), 2U);
  EXPECT_EQ(step.parts[1].device, remote_[0].get());

  const auto here = process_.ExecutorFor(step);
  const auto there = other_.ExecutorFor(step);
  EXPECT_EQ(here->plan().num_feeds(), 1);
  EXPECT_EQ(there->plan().num_feeds(), 0) << "it gets x as a tensor that is sent";
  EXPECT_EQ(there->plan().num_fetches(), 0);
  const auto rendezvous = NewLocalRendezvous();
  std::thread other([&] { Run(there.get(), {}, rendezvous.get()); });
  EXPECT_EQ(Number(Run(here.get(), {Scalar(4)}, rendezvous.get())[0]), 12);
  other.join();
}

TEST_F(TwoProcessesTest, ALoopRunsInOneProcess) {
  Node* enter = AddOp(&graph_, "Enter", "enter", {Source(&graph_, 1, "start")},
                      {{"frame_name", std::string("loop")}});
  const Output inside =
      On("/task:1/cpu:0", Add(&graph_, enter->output(0), enter->output(0), "inside"));
  Node* exit = AddOp(&graph_, "Exit", "exit", {inside});
  graph_.SetDevice(enter, "/task:0/cpu:0");
  EXPECT_EQ(
      MessageOf([&] {
        PrepareStep(MakeStepGraph({{}, {exit->output(0)}, {}}), *all_, {});
      }),
      "the while_loop 'loop' has 'enter' on /job:worker/replica:0/task:0/device:CPU:0 "
      "and 'inside' on /job:worker/replica:0/task:1/device:CPU:0; a loop has to run in "
      "one process");
}

TEST_F(TwoProcessesTest, AProcessWithoutAPartIsAnError) {
  const Output y =
      Add(&graph_, Source(&graph_, 1), On("/gpu:0", Source(&graph_, 2)), "y");
  const auto step = PrepareStep(MakeStepGraph({{}, {y}, {}}), *all_, {});
  EXPECT_EQ(MessageOf([&] { other_.ExecutorFor(step); }),
            "no part of the step is on /job:worker/replica:0/task:1/device:CPU:0, "
            "/job:worker/replica:0/task:1/device:GPU:0");
}

}  // namespace
}  // namespace minitf::testing
