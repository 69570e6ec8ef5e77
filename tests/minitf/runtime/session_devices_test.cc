// Sessions on several devices: many threads at once, failures, and the end of a session.

#include <atomic>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/runtime/session.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::Fail;
using testing::Feed;
using testing::MessageOf;
using testing::Number;

class SessionOnDevicesTest : public ::testing::Test {
 protected:
  SessionOnDevicesTest() { unsetenv("CUDA_VISIBLE_DEVICES"); }

  Output On(const std::string& device, Output output) {
    graph_->SetDevice(output.node, device);
    return output;
  }

  // 8 x, on a way through four devices.
  Output EightTimes(Output x) {
    const Output two = On("/gpu:0", Add(graph_.get(), x, x));
    const Output four = On("/cpu:1", Add(graph_.get(), two, two));
    const Output six = On("/gpu:1", Add(graph_.get(), four, two));
    return On("/cpu:0", Add(graph_.get(), six, two));
  }

  std::unique_ptr<Session> Make() {
    SessionOptions options;
    options.devices.device_count = {{"CPU", 2}};
    return std::make_unique<Session>(graph_, options);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

TEST_F(SessionOnDevicesTest, AStepGoesThroughAllOfThem) {
  const Output x = Feed(graph_.get(), "x");
  const Output y = EightTimes(x);
  const auto session = Make();
  EXPECT_EQ(Number(session->Run({{x}, {y}, {}}, {{Tensor::Scalar(3.0F)}})[0]), 24);
  // x to gpu:0; two to cpu:1, gpu:1 and cpu:0; four to gpu:1; six to cpu:0.
  EXPECT_EQ(session->devices().transfers().num_transfers, 6);
}

TEST_F(SessionOnDevicesTest, StepsOfManyThreadsNeverMix) {
  const Output x = Feed(graph_.get(), "x");
  const Output y = EightTimes(x);
  const auto session = Make();
  std::atomic<int> num_wrong = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&, number] {
      for (int i = 0; i < 100; ++i) {
        const auto value = static_cast<float>(number * 1000 + i);
        const auto fetched = session->Run({{x}, {y}, {}}, {{Tensor::Scalar(value)}});
        if (Number(fetched[0]) != 8 * value) ++num_wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

TEST_F(SessionOnDevicesTest, AFailureOnOneDeviceEndsTheStepOnAll) {
  const Output x = Feed(graph_.get(), "x");
  const Output bad = On("/gpu:0", Fail(graph_.get(), x, "status", "bad"));
  const Output waits = On("/gpu:1", Add(graph_.get(), bad, x, "waits"));
  const auto session = Make();
  for (int i = 0; i < 20; ++i) {
    const std::string message = MessageOf([&] {
      session->Run({{x}, {On("/cpu:1", waits)}, {}}, {{Tensor::Scalar(1.0F)}});
    });
    EXPECT_NE(message.find("'bad'"), std::string::npos) << message;
  }
  EXPECT_EQ(Number(session->Run({{x}, {Add(graph_.get(), x, x)}, {}},
                                {{Tensor::Scalar(1.0F)}})[0]),
            2);
}

TEST_F(SessionOnDevicesTest, AVariableLiesInTheMemoryOfItsDevice) {
  Node* handle = AddOp(graph_.get(), "VarHandleOp", "v", {},
                       {{"dtype", DType::kFloat32}, {"shape", PartialShape({64})}});
  graph_->SetDevice(handle, "/gpu:1");
  const Output v = handle->output(0);
  const Output value =
      graph_->AddConstant(Tensor::Of<float>({64}, std::vector<float>(64, 1)))->output(0);
  const Attrs attrs{{"dtype", DType::kFloat32}};
  Node* assign = AddOp(graph_.get(), "AssignVariableOp", "assign", {v, value}, attrs);
  Node* add = AddOp(graph_.get(), "AssignAddVariableOp", "add", {v, value}, attrs);
  const auto session = Make();
  session->Run({{}, {}, {assign}}, {});
  session->Run({{}, {}, {add}}, {});
  const auto in_use = [&](const char* name) {
    return session->devices().Find(name)->allocator().stats().bytes_in_use;
  };
  EXPECT_GE(in_use("/job:localhost/replica:0/task:0/device:GPU:1"), 256);
  EXPECT_EQ(in_use("/job:localhost/replica:0/task:0/device:GPU:0"), 0);
  Node* read = AddOp(graph_.get(), "ReadVariableOp", "read", {v}, attrs);
  EXPECT_EQ(session->Run({{}, {read->output(0)}, {}}, {})[0].flat<float>()[63], 2);
}

TEST_F(SessionOnDevicesTest, WhatWasFetchedOutlivesTheDevices) {
  const Output x = Feed(graph_.get(), "x");
  const Output y = EightTimes(x);
  auto session = Make();
  const auto fetched = session->Run({{x}, {y}, {}}, {{Tensor::Scalar(3.0F)}});
  session.reset();
  EXPECT_EQ(Number(fetched[0]), 24);
}

}  // namespace
}  // namespace minitf
