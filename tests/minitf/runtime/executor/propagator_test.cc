// Tests of what becomes ready: steps that are driven by hand, without kernels or threads.
//
// A test says of each node what came out of it, as if it had run, and looks at what that
// makes ready. Names of ready nodes come in order, those of dead ones with a cross.

#include "minitf/runtime/executor/propagator.h"

#include <map>
#include <memory>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/graph/step_graph.h"
#include "tests/test_ops.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

using Names = std::vector<std::string>;
using Tensors = std::vector<Tensor>;

const Tensor kDead;

// A step of a graph, and who drives it.
class Drive {
 public:
  explicit Drive(const RunRequest& request, bool is_shared = false)
      : step_(MakeStepGraph(request)),
        plan_({{step_.graph.get(), &device_, Device::kCpu, "CPU"}},
              static_cast<int>(request.feeds.size()),
              static_cast<int>(request.fetches.size()), &kernels_),
        propagator_(plan_, is_shared) {}

  // The nodes that are ready from the start.
  Names Begin(const Tensors& feeds) {
    Propagator::Ready ready;
    propagator_.Begin(feeds, &ready);
    return Note(ready);
  }

  // Node `name`, which must be ready, gives `outputs`. Returns what that makes ready.
  Names Done(const std::string& name, Tensors outputs) {
    const auto found = ready_.find(name);
    if (found == ready_.end()) throw std::logic_error(name + " is not ready");
    const ReadyNode node = found->second;
    ready_.erase(found);
    for (Tensor& input : propagator_.InputsOf(node)) input.Reset();
    Propagator::Ready ready;
    propagator_.PassOn(node, outputs, &ready);
    for (const Tensor& output : outputs) EXPECT_FALSE(output.has_value());
    return Note(ready);
  }
  Names Done(const std::string& name, float value) { return Done(name, {Scalar(value)}); }
  // A node that is dead gives nothing.
  Names Dead(const std::string& name, int num_outputs = 1) {
    EXPECT_TRUE(ready_.at(name).is_dead);
    return Done(name, Tensors(num_outputs));
  }

  std::vector<float> Inputs(const std::string& name) {
    std::vector<float> numbers;
    for (const Tensor& input : propagator_.InputsOf(ready_.at(name))) {
      numbers.push_back(input.has_value() ? Number(input) : -1);
    }
    return numbers;
  }
  FrameAndIter FrameAndIterOf(const std::string& name) const {
    return Propagator::FrameAndIterOf(ready_.at(name));
  }
  size_t num_ready() const { return ready_.size(); }
  Propagator& propagator() { return propagator_; }
  const ExecutorPlan& plan() const { return plan_; }

 private:
  Names Note(const Propagator::Ready& ready) {
    Names names;
    for (const ReadyNode& node : ready) {
      const std::string name = plan_.graph_nodes[node.node]->name();
      ready_[name] = node;
      names.push_back(node.is_dead ? name + "+" : name);
    }
    return names;
  }

  DeviceContext device_{&CpuAllocator(), &ProcessThreads()};
  KernelCache kernels_;
  const StepGraph step_;
  const ExecutorPlan plan_;
  Propagator propagator_;
  std::map<std::string, ReadyNode> ready_;
};

TEST(Propagator, ANodeIsReadyWhenItsLastInputComes) {
  Graph graph;
  const Output x = Feed(&graph, "x");
  const Output a = Add(&graph, x, x, "a");
  const Output b = Record(&graph, x, "b");
  const Output c = Add(&graph, a, b, "c");
  Drive drive({{x}, {c, x}, {}});
  for (int step = 0; step < 2; ++step) {
    EXPECT_EQ(drive.Begin({Scalar(5)}), (Names{"b", "a"}));
    EXPECT_EQ(drive.Inputs("a"), (std::vector<float>{5, 5}));
    EXPECT_EQ(drive.Done("a", 10), Names{});
    EXPECT_EQ(drive.Done("b", 7), Names{"c"});
    EXPECT_EQ(drive.Inputs("c"), (std::vector<float>{10, 7}));
    EXPECT_EQ(drive.Done("c", 17), Names{});
    Tensors fetches;
    ASSERT_TRUE(drive.propagator().TakeFetches(&fetches).ok());
    EXPECT_EQ(Number(fetches[0]), 17);
    EXPECT_EQ(Number(fetches[1]), 5);
  }
}

TEST(Propagator, ControlEdgesCountLikeInputs) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  const Output first = Record(&graph, x, "first");
  const Output last = Record(&graph, x, "last");
  graph.AddControlInput(last.node, first.node);
  Drive drive({{}, {last}, {}});
  EXPECT_EQ(drive.Begin({}), Names{"x"});
  EXPECT_EQ(drive.Done("x", 1), Names{"first"});
  EXPECT_EQ(drive.Done("first", 1), Names{"last"});
}

TEST(Propagator, TheLastConsumerOwnsTheTensorAlone) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  const Output y = Sum(&graph, {Record(&graph, x, "a"), Record(&graph, x, "b")}, "y");
  Drive drive({{}, {y}, {}});
  drive.Begin({});
  const auto in_use = [] { return CpuAllocator().stats().bytes_in_use; };
  const int64_t before = in_use();
  drive.Done("x", {Tensor(DType::kFloat32, Shape{1000})});
  EXPECT_GE(in_use() - before, 4000);
  drive.Done("a", 1);
  EXPECT_GE(in_use() - before, 4000) << "b still needs it";
  drive.Done("b", 1);
  EXPECT_LT(in_use() - before, 1000) << "nobody does: two scalars are left";
}

TEST(Propagator, ClearDropsWhatWaits) {
  Graph graph;
  const Output x = Source(&graph, 1, "x");
  const Output y = Add(&graph, x, Record(&graph, x, "slow"), "y");
  Drive drive({{}, {y}, {}});
  const int64_t in_use = CpuAllocator().stats().bytes_in_use;
  drive.Begin({});
  drive.Done("x", {Tensor(DType::kFloat32, Shape{1000})});
  drive.propagator().Clear();
  EXPECT_EQ(CpuAllocator().stats().bytes_in_use, in_use);
}

// x -> Switch -> on_false, on_true -> Merge
class BranchTest : public ::testing::Test {
 protected:
  BranchTest() {
    const Output x = Source(&graph_, 1, "x");
    const Output pred = AddOp(&graph_, "Less", "pred", {x, x})->output(0);
    Node* branch = AddOp(&graph_, "Switch", "switch", {x, pred});
    on_false_ = Record(&graph_, branch->output(0), "on_false");
    on_true_ = Record(&graph_, branch->output(1), "on_true");
    merge_ = AddOp(&graph_, "Merge", "merge", {on_false_, on_true_});
  }

  // As far as the Switch, whose outputs these are.
  static Names TakeBranch(Drive* drive, const Tensor& to_false, const Tensor& to_true) {
    drive->Begin({});
    drive->Done("x", 1);
    drive->Done("pred", {Tensor::Scalar(true)});
    return drive->Done("switch", {to_false, to_true});
  }

  Graph graph_;
  Output on_false_, on_true_;
  Node* merge_;
};

TEST_F(BranchTest, AMergeTakesWhatIsAlive) {
  Drive drive({{}, {merge_->output(0)}, {}});
  EXPECT_EQ(TakeBranch(&drive, kDead, Scalar(3)), (Names{"on_false+", "on_true"}));
  EXPECT_EQ(drive.Dead("on_false"), Names{});
  EXPECT_EQ(drive.Done("on_true", 3), Names{"merge"});
  EXPECT_EQ(drive.Inputs("merge"), (std::vector<float>{-1, 3}));
  EXPECT_EQ(drive.Done("merge", {Scalar(3), Tensor::Scalar(1)}), Names{});
  Tensors fetches;
  EXPECT_TRUE(drive.propagator().TakeFetches(&fetches).ok());
}

TEST_F(BranchTest, AMergeOfDeadTensorsIsDead) {
  Drive drive({{}, {merge_->output(0)}, {}});
  TakeBranch(&drive, kDead, kDead);
  EXPECT_EQ(drive.Dead("on_false"), Names{});
  EXPECT_EQ(drive.Dead("on_true"), Names{"merge+"});
}

TEST_F(BranchTest, ADeadFetchIsAnError) {
  Drive drive({{}, {on_false_}, {}});
  EXPECT_EQ(TakeBranch(&drive, kDead, Scalar(3)), Names{"on_false+"});
  drive.Dead("on_false");
  Tensors fetches;
  EXPECT_EQ(
      drive.propagator().TakeFetches(&fetches).message(),
      "Retval[0] does not have value: on_false:0 is in a branch that was not taken");
  EXPECT_TRUE(fetches.empty());
}

// i = 0; while i < 3: i += 1
class LoopTest : public ::testing::Test {
 protected:
  explicit LoopTest(int64_t parallel = 10) {
    Node* enter =
        AddOp(&graph_, "Enter", "enter", {Source(&graph_, 0, "start")},
              {{"frame_name", std::string("loop")}, {"parallel_iterations", parallel}});
    Node* merge = AddOp(&graph_, "Merge", "merge", {enter->output(0), enter->output(0)});
    Node* less = AddOp(&graph_, "Less", "less", {merge->output(0), merge->output(0)});
    Node* branch =
        AddOp(&graph_, "Switch", "switch", {merge->output(0), less->output(0)});
    const Output body = Record(&graph_, branch->output(1), "body");
    // Something that the loop does not wait for in the iteration.
    Record(&graph_, body, "slow");
    Node* next = AddOp(&graph_, "NextIteration", "next", {body});
    graph_.UpdateInput(merge, 1, next->output(0));
    exit_ = AddOp(&graph_, "Exit", "exit", {branch->output(0)});
  }

  // From a Merge that is ready to the body, or out of the loop.
  static Names RunIteration(Drive* drive, float i) {
    drive->Done("merge", {Scalar(i), Tensor::Scalar(0)});
    drive->Done("less", {Tensor::Scalar(i < 3)});
    if (i < 3) return drive->Done("switch", {kDead, Scalar(i)});
    return drive->Done("switch", {Scalar(i), kDead});
  }

  Graph graph_;
  Node* exit_;
};

TEST_F(LoopTest, EachIterationHasItsNumber) {
  Drive drive({{}, {exit_->output(0)}, {}});
  for (int step = 0; step < 2; ++step) {
    EXPECT_EQ(drive.Begin({}), Names{"start"});
    EXPECT_EQ(drive.Done("start", 0), Names{"enter"});
    EXPECT_EQ(drive.FrameAndIterOf("enter"), (FrameAndIter{0, 0}));
    EXPECT_EQ(drive.Done("enter", 0), Names{"merge"});
    const int64_t frame = drive.FrameAndIterOf("merge").frame_id;
    EXPECT_GT(frame, 0);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(drive.FrameAndIterOf("merge"), (FrameAndIter{frame, i}));
      EXPECT_EQ(RunIteration(&drive, static_cast<float>(i)), (Names{"exit+", "body"}));
      EXPECT_EQ(drive.Dead("exit"), Names{}) << "not the last iteration";
      EXPECT_EQ(drive.Done("body", static_cast<float>(i + 1)), Names{"next"});
      EXPECT_EQ(drive.Done("next", static_cast<float>(i + 1)), Names{"merge"});
    }
    EXPECT_EQ(RunIteration(&drive, 3), (Names{"exit", "body+"}));
    EXPECT_EQ(drive.Done("exit", 3), Names{});
    EXPECT_EQ(drive.Dead("body"), Names{"next+"});
    EXPECT_EQ(drive.Dead("next"), Names{});
    Tensors fetches;
    ASSERT_TRUE(drive.propagator().TakeFetches(&fetches).ok());
    EXPECT_EQ(Number(fetches[0]), 3);
  }
}

TEST_F(LoopTest, ALoopThatIsEnteredDeadIsLeftDead) {
  const Output x = Source(&graph_, 1, "x");
  const Output pred = AddOp(&graph_, "Less", "pred", {x, x})->output(0);
  Node* branch = AddOp(&graph_, "Switch", "outer", {x, pred});
  graph_.UpdateInput(graph_.FindNode("enter"), 0, branch->output(0));
  const Output after = Record(&graph_, exit_->output(0), "after");
  Drive drive({{}, {}, {after.node}});
  drive.Begin({});
  drive.Done("x", 1);
  drive.Done("pred", {Tensor::Scalar(true)});
  EXPECT_EQ(drive.Done("outer", {kDead, Scalar(1)}), Names{"enter+"});
  Names ready = drive.Dead("enter");
  for (Names next; !ready.empty() && ready[0] != "after+"; ready = next) {
    next.clear();
    for (const std::string& name : ready) {
      const std::string plain = name.substr(0, name.size() - 1);
      const int num_outputs = plain == "merge" || plain == "switch" ? 2 : 1;
      for (const auto& more : drive.Dead(plain, num_outputs)) next.push_back(more);
    }
  }
  EXPECT_EQ(ready, Names{"after+"});
}

class SerialLoopTest : public LoopTest {
 protected:
  SerialLoopTest() : LoopTest(1) {}
};

TEST_F(SerialLoopTest, AnIterationWaitsForTheOneBeforeIt) {
  Drive drive({{}, {exit_->output(0)}, {graph_.FindNode("slow")}});
  drive.Begin({});
  drive.Done("start", 0);
  drive.Done("enter", 0);
  RunIteration(&drive, 0);
  drive.Dead("exit");
  EXPECT_EQ(drive.Done("body", 1), (Names{"slow", "next"}));
  EXPECT_EQ(drive.Done("next", 1), Names{}) << "slow has not run yet";
  EXPECT_EQ(drive.Done("slow", 1), Names{"merge"});
  EXPECT_EQ(drive.FrameAndIterOf("merge").iter_id, 1);
}

// Each thread ends some of the inputs of one node; one of them makes it ready.
TEST(Propagator, ManyThreadsMayPassOnAtOnce) {
  constexpr int kNumThreads = 8;
  constexpr int kNumEach = 100;
  Graph graph;
  const Output x = Feed(&graph, "x");
  std::vector<Output> parts;
  for (int i = 0; i < kNumThreads * kNumEach; ++i) {
    parts.push_back(Record(&graph, x, "part"));
  }
  const Output y = Sum(&graph, parts, "y");
  Drive drive({{x}, {y}, {}}, /*is_shared=*/true);
  for (int step = 0; step < 10; ++step) {
    Propagator::Ready roots;
    const Tensors feeds = {Scalar(1)};
    drive.propagator().Begin(feeds, &roots);
    ASSERT_EQ(roots.size(), parts.size());
    std::atomic<int> num_ready = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kNumThreads; ++t) {
      threads.emplace_back([&, t] {
        Propagator::Ready ready;
        for (int i = t; i < kNumThreads * kNumEach; i += kNumThreads) {
          Tensors output = {Scalar(1)};
          drive.propagator().PassOn(roots[i], output, &ready);
        }
        num_ready += static_cast<int>(ready.size());
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(num_ready, 1);
    drive.propagator().Clear();
  }
}

}  // namespace
}  // namespace minitf::testing
