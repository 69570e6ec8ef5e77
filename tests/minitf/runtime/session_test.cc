// Tests of sessions: requests, their cache, and the state between runs.

#include "minitf/runtime/session.h"

#include <thread>

#include "gtest/gtest.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::Feed;
using testing::MessageOf;
using testing::Number;
using testing::Scalar;
using testing::Source;

class SessionTest : public ::testing::Test {
 protected:
  float Fetch(const std::vector<Output>& feeds, const std::vector<Tensor>& values,
              Output fetch) {
    return Number(session_.Run({feeds, {fetch}, {}}, values)[0]);
  }
  float Fetch(Output fetch) { return Fetch({}, {}, fetch); }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Session session_{graph_, {}};
};

TEST_F(SessionTest, AThousandRunsNeedOneExecutor) {
  const Output x = Feed(graph_.get(), "x");
  const Output y = Add(graph_.get(), x, x);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Fetch({x}, {Scalar(2)}, y), 4);
  EXPECT_EQ(session_.num_executors_made(), 1);
  EXPECT_EQ(Fetch({x}, {Scalar(2)}, x), 2);
  EXPECT_EQ(session_.num_executors_made(), 2);
}

TEST_F(SessionTest, AGraphThatGrowsKeepsItsExecutors) {
  const Output x = Source(graph_.get(), 3);
  const auto callable = session_.Prepare({{}, {x}, {}});
  EXPECT_EQ(Number(session_.Run(*callable, {})[0]), 3);
  const Output y = Add(graph_.get(), x, x);
  EXPECT_EQ(Number(session_.Run(*callable, {})[0]), 3);
  EXPECT_EQ(session_.num_executors_made(), 1);
  EXPECT_EQ(Fetch(y), 6);
}

TEST_F(SessionTest, AChangedNodeIsSeenByACallableMadeBefore) {
  const Output x = Source(graph_.get(), 3, "x");
  const Output y = Source(graph_.get(), 5, "y");
  const Output sum = Add(graph_.get(), x, x);
  const auto callable = session_.Prepare({{}, {sum}, {}});
  EXPECT_EQ(Number(session_.Run(*callable, {})[0]), 6);
  graph_->UpdateInput(sum.node, 1, y);
  EXPECT_EQ(Number(session_.Run(*callable, {})[0]), 8);
  graph_->SetAttr(y.node, "value", 7.0F);
  EXPECT_EQ(Number(session_.Run(*callable, {})[0]), 10);
  EXPECT_EQ(session_.num_executors_made(), 3);
}

TEST_F(SessionTest, AChangeElsewhereMakesNoNewExecutor) {
  const Output x = Source(graph_.get(), 3, "x");
  const Output other = Source(graph_.get(), 5, "other");
  EXPECT_EQ(Fetch(x), 3);
  graph_->SetAttr(other.node, "value", 7.0F);
  EXPECT_EQ(Fetch(x), 3);
  EXPECT_EQ(session_.num_executors_made(), 1);
}

TEST_F(SessionTest, AKernelsStateBelongsToTheSessionNotToTheRequest) {
  const Output count{AddOp(graph_.get(), "TestState", "count")};
  const Output twice = Add(graph_.get(), count, count);
  EXPECT_EQ(Fetch(count), 1);
  EXPECT_EQ(Fetch(count), 2);
  EXPECT_EQ(Fetch(twice), 6);
  EXPECT_EQ(Fetch(count), 4);
  Session other(graph_, {});
  EXPECT_EQ(Number(other.Run({{}, {count}, {}}, {})[0]), 1);
  graph_->SetAttr(count.node, "start", 100.0F);
  EXPECT_EQ(Fetch(count), 101);
}

TEST_F(SessionTest, AFeedMustFitTheTensor) {
  const Output x = Feed(graph_.get(), "x", {-1, 100, 100, 3});
  const auto feed = [&](const Tensor& value) {
    return MessageOf([&] { session_.Run({{x}, {x}, {}}, std::vector<Tensor>{value}); });
  };
  EXPECT_EQ(feed(Tensor(DType::kFloat32, {2, 100, 100, 3})), "");
  EXPECT_EQ(feed(Tensor(DType::kFloat32, {7, 100, 100, 3})), "");
  EXPECT_EQ(feed(Tensor(DType::kFloat32, {0, 100, 100, 3})), "");
  EXPECT_EQ(feed(Tensor(DType::kFloat32, {2, 99, 100, 3})),
            "Cannot feed value of shape [2,99,100,3] for Tensor 'x:0', which has shape "
            "'[?,100,100,3]'");
  EXPECT_EQ(feed(Tensor(DType::kInt32, {2, 100, 100, 3})),
            "Cannot feed value of type int32 for Tensor 'x:0', which has type float32");
  EXPECT_EQ(MessageOf([&] { session_.Run({{x}, {x}, {}}, {}); }), "needs 1 feeds, got 0");
}

TEST_F(SessionTest, AShapeThatIsLearntLaterCountsForFeeds) {
  const Output x = Feed(graph_.get(), "x");
  const std::vector<Tensor> three = {Tensor(DType::kFloat32, {3})};
  const auto callable = session_.Prepare({{x}, {x}, {}});
  EXPECT_EQ(session_.Run(*callable, three)[0].dim(0), 3);
  graph_->MergeOutputShape(x, {2});
  EXPECT_NE(MessageOf([&] { session_.Run(*callable, three); }), "");
}

TEST_F(SessionTest, APlaceholderThatIsNotFedIsNamed) {
  const Output x = Feed(graph_.get(), "x");
  EXPECT_EQ(MessageOf([&] { Fetch(Add(graph_.get(), x, x)); }),
            "TestFeed: must be fed [node 'x' (TestFeed)]");
}

TEST_F(SessionTest, RequestsThatMakeNoSenseAreRefused) {
  const Output x = Source(graph_.get(), 1, "x");
  const auto prepare = [&](const RunRequest& request) {
    return MessageOf([&] { session_.Prepare(request); });
  };
  Graph other;
  const Output y = Source(&other, 1, "y");
  EXPECT_EQ(prepare({{}, {y}, {}}),
            "node 'y' (TestSource), a fetch, is not an element of the session's graph");
  EXPECT_EQ(prepare({{y}, {}, {}}),
            "node 'y' (TestSource), a feed, is not an element of the session's graph");
  EXPECT_EQ(prepare({{}, {}, {y.node}}),
            "node 'y' (TestSource), a target, is not an element of the session's graph");
  EXPECT_EQ(prepare({{}, {}, {nullptr}}), "a target is missing");
  EXPECT_EQ(prepare({{x, x}, {x}, {}}), "Tensor 'x:0' is fed twice");
  EXPECT_EQ(prepare({{}, {{x.node, 3}}, {}}),
            "node 'x' (TestSource) has no output 3, it has 1");
  EXPECT_EQ(prepare({{}, {x, x}, {}}), "");
  EXPECT_EQ(prepare({{}, {}, {}}), "");
}

TEST_F(SessionTest, ACancelledSessionRunsNothingHoweverSmall) {
  const Output x = Source(graph_.get(), 1);
  EXPECT_EQ(Fetch(x), 1);
  session_.CancelRuns();
  try {
    Fetch(x);
    FAIL() << "it runs";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kCancelled) << error.what();
  }
}

TEST_F(SessionTest, AClosedSessionRunsNothing) {
  const Output x = Source(graph_.get(), 1, "x");
  const auto callable = session_.Prepare({{}, {x}, {}});
  session_.Close();
  session_.Close();
  const std::string message = "Attempted to use a closed Session.";
  EXPECT_EQ(MessageOf([&] { session_.Run(*callable, {}); }), message);
  EXPECT_EQ(MessageOf([&] { session_.Prepare({{}, {x}, {}}); }), message);
}

TEST_F(SessionTest, AfterCloseNoTensorIsLeft) {
  const int64_t before = CpuAllocator().stats().bytes_in_use;
  {
    const Output x = Source(graph_.get(), 1, "x");
    const auto callable = session_.Prepare({{}, {Add(graph_.get(), x, x)}, {}});
    session_.Run(*callable, {});
    EXPECT_GT(CpuAllocator().stats().bytes_in_use, before);  // the kernel's constant
    session_.Close();
    EXPECT_EQ(CpuAllocator().stats().bytes_in_use, before);
  }
}

TEST_F(SessionTest, CloseWaitsForTheRunThatIsUnderWay) {
  testing::TakeRecordedRuns();
  const Output first = testing::Record(graph_.get(), Source(graph_.get(), 4), "first");
  const Output slow = testing::Sleep(graph_.get(), first, 100);
  const Output last = testing::Record(graph_.get(), slow, "last");
  const auto callable = session_.Prepare({{}, {last}, {}});
  float result = 0;
  std::thread runner([&] { result = Number(session_.Run(*callable, {})[0]); });
  while (testing::TakeRecordedRuns().empty()) std::this_thread::yield();
  session_.Close();
  EXPECT_EQ(testing::TakeRecordedRuns(), std::vector<std::string>{"last"});
  runner.join();
  EXPECT_EQ(result, 4);
}

TEST_F(SessionTest, AFinalizedGraphRunsOn) {
  const Output x = Source(graph_.get(), 1, "x");
  EXPECT_EQ(Fetch(x), 1);
  graph_->Finalize();
  EXPECT_NE(MessageOf([&] { Source(graph_.get(), 2); }), "");
  EXPECT_EQ(Fetch(x), 1);
}

TEST_F(SessionTest, ThreadsMayRunWhileAnotherBuilds) {
  const Output x = Feed(graph_.get(), "x");
  Output y = x;
  for (int i = 0; i < 20; ++i) y = Add(graph_.get(), y, x);
  std::atomic<int> num_wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 1; t <= 8; ++t) {
    threads.emplace_back([&, t, y] {
      for (int step = 0; step < 100; ++step) {
        const auto value = static_cast<float>(t);
        if (Fetch({x}, {Scalar(value)}, y) != 21 * value) ++num_wrong;
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    const Output more = Add(graph_.get(), y, x, "more");
    if (i % 50 == 0) {
      EXPECT_EQ(Fetch({x}, {Scalar(1)}, more), 22);
    }
    if (i % 70 == 0) graph_->SetDevice(y.node, "/cpu:0");
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

TEST(SessionThreads, AnyNumberGivesTheSameResult) {
  const auto graph = std::make_shared<Graph>();
  const Output x = Source(graph.get(), 0.1F);
  std::vector<Output> parts;
  for (int i = 1; i <= 100; ++i) {
    parts.push_back(Add(graph.get(), x, Source(graph.get(), 1.0F / i)));
  }
  const Output sum = testing::Sum(graph.get(), parts);
  std::vector<float> results;
  for (const int threads : {-1, 0, 1, 2, 4, 8}) {
    SessionOptions options;
    options.intra_op_threads = options.inter_op_threads = threads;
    Session session(graph, options);
    results.push_back(Number(session.Run({{}, {sum}, {}}, {})[0]));
  }
  EXPECT_EQ(results, std::vector<float>(6, results[0]));
  SessionOptions options;
  options.intra_op_threads = 1025;
  EXPECT_NE(MessageOf([&] { Session session(graph, options); }), "");
}

}  // namespace
}  // namespace minitf
