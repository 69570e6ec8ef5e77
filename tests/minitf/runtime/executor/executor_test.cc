// Tests of steps: what runs, in which order, in how many threads, and how it fails.

#include "minitf/runtime/executor/executor.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/graph/step_graph.h"
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
using testing::Record;
using testing::Scalar;
using testing::Sleep;
using testing::Source;
using testing::Sum;
using testing::TakeRecordedRuns;

using Names = std::vector<std::string>;

// A graph, and everything that running it takes.
class ExecutorTest : public ::testing::TestWithParam<int> {
 protected:
  ExecutorTest() { TakeRecordedRuns(); }

  static int NumThreads() { return GetParam(); }

  // An executor, and the graph that it runs.
  struct Compiled {
    Compiled(ExecutorTest* test, const RunRequest& request)
        : step(MakeStepGraph(request)),
          executor({{step.graph.get(), &test->device_, Device::kCpu, "CPU"}},
                   static_cast<int>(request.feeds.size()),
                   static_cast<int>(request.fetches.size()), &test->pool_,
                   &test->kernels_) {}

    Status Run(std::span<const Tensor> feeds, std::vector<Tensor>* fetches) {
      return executor.Run(feeds, {}, fetches);
    }
    int num_nodes() const { return executor.num_nodes(); }

    const StepGraph step;
    Executor executor;
  };

  std::unique_ptr<Compiled> Make(const std::vector<Output>& feeds,
                                 const std::vector<Output>& fetches,
                                 const std::vector<Node*>& targets = {}) {
    return std::make_unique<Compiled>(this, RunRequest{feeds, fetches, targets});
  }

  // The numbers fetched in one step of a new executor.
  std::vector<float> Run(const std::vector<Output>& feeds,
                         const std::vector<Tensor>& values,
                         const std::vector<Output>& fetches,
                         const std::vector<Node*>& targets = {}) {
    return Run(Make(feeds, fetches, targets).get(), values);
  }

  static std::vector<float> Run(Compiled* executor, const std::vector<Tensor>& values) {
    std::vector<Tensor> fetched;
    ThrowIfError(executor->Run(values, &fetched));
    std::vector<float> numbers;
    for (const Tensor& tensor : fetched) numbers.push_back(Number(tensor));
    return numbers;
  }

  Graph graph_;
  ThreadPool pool_{NumThreads()};
  DeviceContext device_{&CpuAllocator(), &ProcessThreads(), nullptr, nullptr};
  KernelCache kernels_;
};

std::string Threads(const ::testing::TestParamInfo<int>& info) {
  return StrCat(info.param, "Threads");
}

INSTANTIATE_TEST_SUITE_P(InOneAndInMore, ExecutorTest, ::testing::Values(1, 2, 8),
                         Threads);

using Floats = std::vector<float>;

TEST_P(ExecutorTest, ADiamondRunsEachNodeOnce) {
  const Output x = Record(&graph_, Source(&graph_, 3), "x");
  const Output left = Record(&graph_, x, "left");
  const Output right = Record(&graph_, x, "right");
  const Output y = Record(&graph_, Add(&graph_, left, right), "y");
  EXPECT_EQ(Run({}, {}, {y}), Floats{6});
  Names runs = TakeRecordedRuns();
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs.front(), "x");
  EXPECT_EQ(runs.back(), "y");
}

TEST_P(ExecutorTest, OnlyWhatIsNeededRuns) {
  const Output x = Source(&graph_, 3);
  const Output needed = Record(&graph_, x, "needed");
  Record(&graph_, x, "idle");
  Fail(&graph_, x, "error");
  EXPECT_EQ(Run({}, {}, {needed}), Floats{3});
  EXPECT_EQ(TakeRecordedRuns(), Names{"needed"});
}

TEST_P(ExecutorTest, ATargetRunsWithoutBeingFetched) {
  const Output effect = Record(&graph_, Source(&graph_, 3), "effect");
  EXPECT_EQ(Run({}, {}, {}, {effect.node}), Floats{});
  EXPECT_EQ(TakeRecordedRuns(), Names{"effect"});
}

TEST_P(ExecutorTest, ControlInputsRunFirst) {
  const Output x = Source(&graph_, 3);
  Node* last = Record(&graph_, x, "last").node;
  for (const char* name : {"first", "second", "third"}) {
    graph_.AddControlInput(last, Record(&graph_, x, name).node);
  }
  Run({}, {}, {{last, 0}});
  const Names runs = TakeRecordedRuns();
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs.back(), "last");
}

TEST_P(ExecutorTest, AnyTensorMayBeFedAndFetched) {
  const Output x = Record(&graph_, Source(&graph_, 3), "x");
  const Output y = Add(&graph_, x, x);
  const Output z = Add(&graph_, y, x);
  EXPECT_EQ(Run({}, {}, {z, x, y, z}), (Floats{9, 3, 6, 9}));
  TakeRecordedRuns();
  EXPECT_EQ(Run({x}, {Scalar(5)}, {z, x}), (Floats{15, 5}));
  EXPECT_EQ(Run({y, x}, {Scalar(1), Scalar(5)}, {z, y}), (Floats{6, 1}));
  EXPECT_TRUE(TakeRecordedRuns().empty());
}

TEST_P(ExecutorTest, WhatIsFedIsNotWrittenOver) {
  const Output x = Feed(&graph_, "x");
  const Output y = Add(&graph_, x, x, "y");
  const std::vector<Tensor> values = {Scalar(5)};
  EXPECT_EQ(Run({x}, values, {y}), Floats{10});
  EXPECT_EQ(Number(values[0]), 5);
}

TEST_P(ExecutorTest, WhatIsFetchedIsNotWrittenOver) {
  const Output x = Add(&graph_, Source(&graph_, 1), Source(&graph_, 2), "x");
  const Output y = Add(&graph_, x, Source(&graph_, 4), "y");
  EXPECT_EQ(Run({}, {}, {x, y}), (Floats{3, 7}));
}

TEST_P(ExecutorTest, TheLastConsumerWritesOverItsInput) {
  Output x = Feed(&graph_, "x", {1000});
  for (int i = 0; i < 50; ++i) x = Add(&graph_, x, x);
  auto executor = Make({graph_.FindNode("x")->output(0)}, {x});
  const std::vector<Tensor> feeds = {Tensor(DType::kFloat32, {1000})};
  std::vector<Tensor> fetched;
  const int64_t before = CpuAllocator().stats().num_allocations;
  ThrowIfError(executor->Run(feeds, &fetched));
  // The first result needs memory, since the feed is not to be touched.
  EXPECT_LE(CpuAllocator().stats().num_allocations - before, 50);
  EXPECT_EQ(fetched[0].num_elements(), 1000);
}

TEST_P(ExecutorTest, AChainOf100000NodesIsALoop) {
  const Output x = Feed(&graph_, "x");
  const Output one = Source(&graph_, 1);
  Output y = x;
  for (int i = 0; i < 100'000; ++i) y = Add(&graph_, y, one);
  auto executor = Make({x}, {y});
  EXPECT_EQ(Run(executor.get(), {Scalar(0)}), Floats{100'000});
  EXPECT_EQ(Run(executor.get(), {Scalar(5)}), Floats{100'005});
}

TEST_P(ExecutorTest, AFanOf1000IsSummed) {
  const Output x = Feed(&graph_, "x");
  std::vector<Output> parts;
  for (int i = 0; i < 1000; ++i) {
    parts.push_back(Add(&graph_, x, Source(&graph_, static_cast<float>(i))));
  }
  auto executor = Make({x}, {Sum(&graph_, parts)});
  for (int step = 0; step < 20; ++step) {
    EXPECT_EQ(Run(executor.get(), {Scalar(1)}), Floats{1000 + 499'500});
  }
}

TEST_P(ExecutorTest, TwoNodesThatAreIndependentRunAtOnceAndTwoInARowDoNot) {
  const Output x = Source(&graph_, 1);
  const Output both =
      Add(&graph_, Sleep(&graph_, x, 100, "a"), Sleep(&graph_, x, 100, "b"));
  const Output row = Sleep(&graph_, Sleep(&graph_, x, 100, "c"), 100, "d");
  const auto seconds = [&](Output output) {
    auto executor = Make({}, {output});
    // The best of three, since other work may hold up a step.
    double best = 1;
    for (int step = 0; step < 3; ++step) {
      const auto start = std::chrono::steady_clock::now();
      Run(executor.get(), {});
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      best = std::min(best, time.count());
    }
    return best;
  };
  EXPECT_GE(seconds(row), 0.2);
  if (NumThreads() == 1) {
    EXPECT_GE(seconds(both), 0.2);
  } else {
    EXPECT_LT(seconds(both), 0.16);
  }
}

TEST_P(ExecutorTest, AFailureNamesTheNodeItsOpAndTheUsersLine) {
  NodeSpec spec;
  spec.op = "TestFail";
  spec.name = "b";
  spec.inputs = {Source(&graph_, 1)};
  spec.attrs = {{"how", std::string("status")}};
  spec.origin = "train.py:12";
  const Output b{graph_.AddNode(std::move(spec))};
  std::vector<Tensor> fetched;
  const Status status = Make({}, {b})->Run({}, &fetched);
  EXPECT_EQ(status.code(), Code::kOutOfRange);
  EXPECT_EQ(status.message(),
            "TestFail: 7 is not in [0, 5) [node 'b' (TestFail), made at train.py:12]");
  EXPECT_EQ(status.node(), "b");
  EXPECT_TRUE(fetched.empty());
}

TEST_P(ExecutorTest, WhateverAKernelThrowsBecomesAStatus) {
  const auto message = [&](const char* how) {
    return MessageOf([&] { Run({}, {}, {Fail(&graph_, Source(&graph_, 1), how, "f")}); });
  };
  EXPECT_EQ(message("error"), "TestFail: no 7 [node 'f' (TestFail)]");
  EXPECT_EQ(message("exception"), "TestFail: seven [node 'f_1' (TestFail)]");
  EXPECT_EQ(message("not_written"),
            "TestFail: task 09.9 (Seven) is not written yet [node 'f_2' (TestFail)]");
  EXPECT_EQ(message("no_memory"),
            "TestFail: there is not enough memory [node 'f_3' (TestFail)]");
  EXPECT_EQ(message("silent"), "TestFail: output 0 has no value [node 'f_4' (TestFail)]");
}

TEST_P(ExecutorTest, NothingRunsAfterAFailureAndTheNextStepIsAsNew) {
  const Output x = Feed(&graph_, "x", PartialShape());
  const Output y = Feed(&graph_, "y", PartialShape());
  const Output sum = Add(&graph_, x, y, "sum");
  const Output after = Record(&graph_, sum, "after");
  std::vector<Output> others;
  for (int i = 0; i < 20; ++i) others.push_back(Add(&graph_, x, x));
  others.push_back(after);
  auto executor = Make({x, y}, {Sum(&graph_, others)});
  for (int step = 0; step < 10; ++step) {
    const Tensor two = Tensor::Of<float>({2}, {1, 2});
    EXPECT_EQ(MessageOf([&] {
                Run(executor.get(), {Scalar(1), two});
              }),
              "TestAdd: x is [], y is [2] [node 'sum' (TestAdd)]");
    EXPECT_TRUE(TakeRecordedRuns().empty());
    EXPECT_EQ(Run(executor.get(), {Scalar(1), Scalar(7)}), Floats{48});
    EXPECT_EQ(TakeRecordedRuns(), Names{"after"});
  }
}

TEST_P(ExecutorTest, AStepLeavesNoTensorsBehind) {
  const Output x = Feed(&graph_, "x");
  const Output y = Add(&graph_, Add(&graph_, x, x), x);
  const Output failing = Add(&graph_, y, Fail(&graph_, x, "error"));
  auto good = Make({x}, {y});
  auto bad = Make({x}, {failing});
  const int64_t before = CpuAllocator().stats().bytes_in_use;
  for (int step = 0; step < 3; ++step) {
    Run(good.get(), {Scalar(1)});
    MessageOf([&] { Run(bad.get(), {Scalar(1)}); });
  }
  EXPECT_EQ(CpuAllocator().stats().bytes_in_use, before);
}

TEST_P(ExecutorTest, ManyThreadsMayRunStepsAtOnce) {
  const Output x = Feed(&graph_, "x");
  std::vector<Output> parts;
  for (int i = 0; i < 10; ++i) parts.push_back(Add(&graph_, Add(&graph_, x, x), x));
  auto executor = Make({x}, {Sum(&graph_, parts)});
  std::atomic<int> num_wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int step = 0; step < 200; ++step) {
        const auto value = static_cast<float>(t + 1);
        if (Run(executor.get(), {Scalar(value)}) != Floats{30 * value}) ++num_wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

TEST_P(ExecutorTest, OneThreadKeepsAnOrderAndMoreChangeNoNumber) {
  const Output x = Source(&graph_, 0.1F);
  std::vector<Output> parts;
  for (int i = 0; i < 30; ++i) {
    parts.push_back(Record(&graph_, Add(&graph_, x, Source(&graph_, 1.0F / i)), "r"));
    parts.push_back(Record(&graph_, parts.back(), "s"));
  }
  parts.erase(parts.begin(), parts.begin() + 2);  // 1 / 0
  auto executor = Make({}, {Sum(&graph_, parts)});
  const Floats first = Run(executor.get(), {});
  const Names order = TakeRecordedRuns();
  for (int step = 0; step < 30; ++step) {
    EXPECT_EQ(Run(executor.get(), {}), first);
    const Names again = TakeRecordedRuns();
    if (NumThreads() == 1) {
      EXPECT_EQ(again, order);
    }
  }
}

TEST_P(ExecutorTest, ACycleIsReportedWhenTheExecutorIsMade) {
  const Output x = Source(&graph_, 1, "x");
  const Output a = Add(&graph_, x, x, "a");
  const Output b = Add(&graph_, a, x, "b");
  graph_.UpdateInput(a.node, 1, b);
  EXPECT_EQ(MessageOf([&] { Make({}, {b}); }), "the graph has a cycle: a -> b -> a");
  EXPECT_EQ(Make({}, {x})->num_nodes(), 1);
}

TEST_P(ExecutorTest, AnOutputThatDoesNotExistIsReported) {
  const Output x = Source(&graph_, 1, "x");
  EXPECT_EQ(MessageOf([&] {
              Make({}, {{x.node, 1}});
            }),
            "node 'x' (TestSource) has no output 1, it has 1");
  EXPECT_EQ(MessageOf([&] {
              Make({{x.node, -1}}, {x});
            }),
            "node 'x' (TestSource) has no output -1, it has 1");
}

TEST_P(ExecutorTest, AKernelThatIsMissingIsReportedWithTheNode) {
  const Output n{AddOp(&graph_, "TestInt", "n")};
  const std::string message = MessageOf([&] { Make({}, {n}); });
  EXPECT_NE(message.find("no kernel is registered"), std::string::npos) << message;
  EXPECT_NE(message.find("[node 'n' (TestInt)]"), std::string::npos) << message;
}

}  // namespace
}  // namespace minitf
