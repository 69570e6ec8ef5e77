// Tests of what waits: asynchronous kernels, time limits, cancellation, steps that end.

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/runtime/session.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::AddOp;
using testing::Fail;
using testing::Feed;
using testing::MessageOf;
using testing::Number;
using testing::Source;
using testing::Sum;

REGISTER_OP("TestWait")
    .Input("x: float")
    .Output("y: float")
    .SetIsStateful()
    .SetShapeFn(UnchangedShape)
    .Doc("x, when somebody opens the gate.");

// Where TestWait kernels wait. Those of a cancelled step are let go with an error.
class Gate {
 public:
  void Wait(OpKernelContext* ctx, AsyncOpKernel::DoneCallback done) {
    CancellationManager* cancellation = ctx->cancellation();
    const auto token = cancellation->NewToken();
    const auto waiter = std::make_shared<Waiter>(Waiter{ctx, std::move(done), token});
    {
      // Both at once: a waiter that can be found may be done, and its step over.
      const std::lock_guard lock(mutex_);
      waiters_.push_back(waiter);
      if (cancellation->RegisterCallback(token, [this, waiter] { Cancel(waiter); })) {
        return;
      }
    }
    Cancel(waiter);
  }

  // Lets the last that came go first.
  void OpenAll() {
    while (const auto waiter = Take()) {
      waiter->ctx->cancellation()->DeregisterCallback(waiter->token);
      waiter->ctx->set_output(0, waiter->ctx->input(0));
      waiter->done();
    }
  }

  size_t num_waiting() {
    const std::lock_guard lock(mutex_);
    return waiters_.size();
  }

  void AwaitWaiting(size_t count) {
    while (num_waiting() < count) std::this_thread::yield();
  }

 private:
  struct Waiter {
    OpKernelContext* ctx;
    AsyncOpKernel::DoneCallback done;
    CancellationManager::Token token;
  };

  std::shared_ptr<Waiter> Take() {
    const std::lock_guard lock(mutex_);
    if (waiters_.empty()) return nullptr;
    auto waiter = waiters_.back();
    waiters_.pop_back();
    return waiter;
  }

  void Cancel(const std::shared_ptr<Waiter>& waiter) {
    {
      const std::lock_guard lock(mutex_);
      if (std::erase(waiters_, waiter) == 0) return;
    }
    waiter->ctx->SetStatus(errors::Cancelled("the wait was cancelled"));
    waiter->done();
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<Waiter>> waiters_;
};

Gate& TheGate() {
  static Gate gate;
  return gate;
}

class TestWaitOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    TheGate().Wait(ctx, std::move(done));
  }
};
REGISTER_KERNEL(Kernel("TestWait").On(Device::kCpu), TestWaitOp);

class AsyncTest : public ::testing::TestWithParam<int> {
 protected:
  Output Wait(Output x, std::string name = "wait") {
    return {AddOp(graph_.get(), "TestWait", std::move(name), {x})};
  }

  Session& session() {
    if (session_ == nullptr) {
      SessionOptions options;
      options.inter_op_threads = GetParam();
      session_ = std::make_unique<Session>(graph_, options);
    }
    return *session_;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
};

INSTANTIATE_TEST_SUITE_P(InOneAndInMore, AsyncTest, ::testing::Values(1, 2, 8));

TEST_P(AsyncTest, MoreMayWaitThanThereAreThreads) {  // M061, M124
  std::vector<Output> waits;
  for (int i = 0; i < 100; ++i) {
    waits.push_back(Wait(Source(graph_.get(), 1)));
  }
  const Output sum = Sum(graph_.get(), waits);
  std::thread opener([] {
    TheGate().AwaitWaiting(100);
    TheGate().OpenAll();
  });
  EXPECT_EQ(Number(session().Run({{}, {sum}, {}}, {})[0]), 100);
  opener.join();
}

TEST_P(AsyncTest, OtherNodesRunWhileOneWaits) {
  testing::TakeRecordedRuns();
  const Output x = Source(graph_.get(), 1);
  const Output wait = Wait(x);
  const Output record = testing::Record(graph_.get(), x, "meanwhile");
  std::thread opener([] {
    TheGate().AwaitWaiting(1);
    // Nobody opens the gate before the other node has run.
    while (testing::TakeRecordedRuns().empty()) std::this_thread::yield();
    TheGate().OpenAll();
  });
  const auto values = session().Run({{}, {wait, record}, {}}, {});
  EXPECT_EQ(Number(values[0]), 1);
  opener.join();
}

TEST_P(AsyncTest, WaitsInARowAndManyStepsAtOnce) {
  Output x = Feed(graph_.get(), "x", Shape{});
  const Output feed = x;
  for (int i = 0; i < 20; ++i) x = Wait(x);
  const RunRequest request{{feed}, {x}, {}};
  const auto callable = session().Prepare(request);
  std::atomic<bool> is_over = false;
  std::thread opener([&] {
    while (!is_over) TheGate().OpenAll();
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const std::vector<Tensor> feeds{Tensor::Scalar(static_cast<float>(100 * t + i))};
        EXPECT_EQ(Number(session().Run(*callable, feeds)[0]), 100 * t + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  opener.join();
}

TEST_P(AsyncTest, AStepThatTakesTooLongIsGivenUp) {
  const Output wait = Wait(Source(graph_.get(), 1));
  RunOptions options;
  options.timeout_ms = 30;
  try {
    session().Run(*session().Prepare({{}, {wait}, {}}), {}, options);
    FAIL() << "the step ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kDeadlineExceeded) << error.what();
  }
  EXPECT_EQ(TheGate().num_waiting(), 0u);
}

TEST_P(AsyncTest, AFailureElsewhereEndsTheWait) {
  const Output x = Source(graph_.get(), 1);
  const Output wait = Wait(x);
  const Output fail = Fail(graph_.get(), x, "error", "culprit");
  try {
    session().Run({{}, {wait, fail}, {}}, {});
    FAIL() << "the step ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().node(), "culprit") << error.what();
  }
  EXPECT_EQ(TheGate().num_waiting(), 0u);
}

TEST_P(AsyncTest, ClosingTheSessionEndsTheWait) {
  const Output wait = Wait(Source(graph_.get(), 1));
  session();
  std::thread closer([&] {
    TheGate().AwaitWaiting(1);
    session().Close();
  });
  try {
    session().Run({{}, {wait}, {}}, {});
    ADD_FAILURE() << "the step ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kCancelled) << error.what();
  }
  closer.join();
}

TEST_P(AsyncTest, WhoeverIsAskedNowAndThenMayEndTheStep) {
  const Output wait = Wait(Source(graph_.get(), 1));
  RunOptions options;
  int num_asked = 0;
  options.should_stop = [&] { return ++num_asked == 2; };
  try {
    session().Run(*session().Prepare({{}, {wait}, {}}), {}, options);
    FAIL() << "the step ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kCancelled) << error.what();
  }
  EXPECT_EQ(num_asked, 2);
}

TEST_P(AsyncTest, WhatShouldStopThrowsEndsTheStepWhenAllHaveCome) {
  const Output wait = Wait(Source(graph_.get(), 1));
  RunOptions options;
  int num_asked = 0;
  options.should_stop = [&]() -> bool {
    if (++num_asked == 2) throw Error(errors::Aborted("do not ask me"));
    return false;
  };
  try {
    session().Run(*session().Prepare({{}, {wait}, {}}), {}, options);
    FAIL() << "the step ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kAborted) << error.what();
  }
  EXPECT_EQ(TheGate().num_waiting(), 0u);
}

// Seconds: 1, or what the environment says. Under the thread sanitizer, 60 were run.
double SoakTime() {
  const char* seconds = std::getenv("MINITF_SOAK_S");
  return seconds == nullptr ? 1 : std::atof(seconds);
}

Output Attach(Graph* graph, std::string op, std::string name,
              const std::vector<Output>& inputs, Attrs attrs = {}) {
  return {AddOp(graph, std::move(op), std::move(name), inputs, std::move(attrs))};
}

// x + 1, if x < 0; else x doubled while below 1000. In nodes of control flow.
Output BranchAndLoop(Graph* graph, Output x) {
  const Output zero = graph->AddConstant(Tensor::Scalar(0.0f))->output(0);
  const Output is_negative = Attach(graph, "Less", "is_negative", {x, zero});
  Node* branch = AddOp(graph, "Switch", "branch", {x, is_negative});
  const Output one =
      Attach(graph, "Const", "one", {},
             {{"value", Tensor::Scalar(1.0f)}, {"dtype", DType::kFloat32}});
  const Output negative = Attach(graph, "Add", "negative", {branch->output(1), one});

  const Attrs frame{{"frame_name", std::string("loop")}};
  Attrs constant = frame;
  constant.Set("is_constant", true);
  const Output thousand = graph->AddConstant(Tensor::Scalar(1000.0f))->output(0);
  const Output limit = Attach(graph, "Enter", "limit", {thousand}, constant);
  const Output enter = Attach(graph, "Enter", "enter", {branch->output(0)}, frame);
  Node* merge = AddOp(graph, "Merge", "merge", {enter, enter});
  const Output less = Attach(graph, "Less", "less", {merge->output(0), limit});
  const Output goes_on = Attach(graph, "LoopCond", "goes_on", {less});
  Node* loop_switch = AddOp(graph, "Switch", "loop_switch", {merge->output(0), goes_on});
  const Output doubled =
      Attach(graph, "Add", "doubled", {loop_switch->output(1), loop_switch->output(1)});
  graph->UpdateInput(merge, 1, Attach(graph, "NextIteration", "next", {doubled}));
  const Output exit = Attach(graph, "Exit", "exit", {loop_switch->output(0)});
  return Attach(graph, "Merge", "result", {negative, exit});
}

TEST(SessionSoak, EightThreadsRunOneSessionWithoutMixingUp) {
  auto graph = std::make_shared<Graph>();
  const Output x = Feed(graph.get(), "x", Shape{});
  const Output y = BranchAndLoop(graph.get(), x);
  SessionOptions options;
  options.inter_op_threads = 4;
  Session session(graph, options);
  const auto callable = session.Prepare({{x}, {y}, {}});
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(int64_t(1000 * SoakTime()));
  std::atomic<int64_t> num_wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
        const float fed = static_cast<float>((t + 8 * i) % 1001 - 500);
        float expected = fed + 1;
        if (fed > 0) {
          for (expected = fed; expected < 1000;) expected *= 2;
        }
        if (fed == 0) continue;  // doubled for ever
        const std::vector<Tensor> feeds{Tensor::Scalar(fed)};
        num_wrong += Number(session.Run(*callable, feeds)[0]) != expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

TEST(CancellationManager, CallsBackOnceOrNotAtAll) {
  CancellationManager manager;
  int num_called = 0;
  const auto kept = manager.NewToken();
  const auto taken_back = manager.NewToken();
  EXPECT_TRUE(manager.RegisterCallback(kept, [&] { num_called += 1; }));
  EXPECT_TRUE(manager.RegisterCallback(taken_back, [&] { num_called += 100; }));
  EXPECT_TRUE(manager.DeregisterCallback(taken_back));
  manager.StartCancel();
  manager.StartCancel();
  EXPECT_EQ(num_called, 1);
  EXPECT_TRUE(manager.is_cancelled());
  EXPECT_FALSE(manager.RegisterCallback(manager.NewToken(), [&] { num_called += 10; }));
  EXPECT_FALSE(manager.DeregisterCallback(kept));
  EXPECT_EQ(num_called, 1);
}

}  // namespace
}  // namespace minitf
