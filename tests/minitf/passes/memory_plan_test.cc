// The memory plan against brute force, and random graphs that run in the memory planned.

#include "minitf/passes/memory_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/runtime/executor/planned_arena.h"
#include "tests/minitf/passes/random_graph.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// The smallest arena there is. Boxes that are put down from the lowest to the highest,
// each as low as it goes, give the best packing for some order; all orders are tried.
class BruteForce {
 public:
  explicit BruteForce(const std::vector<BufferLife>& buffers)
      : buffers_(buffers), offsets_(buffers.size(), -1), bound_(PeakOfLives(buffers)) {}

  int64_t Run() {
    Place(0, 0);
    return best_;
  }

 private:
  void Place(size_t count, int64_t height) {
    if (height >= best_ || best_ == bound_) return;
    if (count == buffers_.size()) {
      best_ = height;
      return;
    }
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (offsets_[i] >= 0) continue;
      offsets_[i] = LowestFor(i);
      Place(count + 1, std::max(height, offsets_[i] + buffers_[i].size));
      offsets_[i] = -1;
    }
  }

  int64_t LowestFor(size_t i) const {
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t j = 0; j < buffers_.size(); ++j) {
        const bool touches = j != i && offsets_[j] >= 0 &&
                             buffers_[i].Overlaps(buffers_[j]) &&
                             offset < offsets_[j] + buffers_[j].size &&
                             offsets_[j] < offset + buffers_[i].size;
        if (!touches) continue;
        offset = offsets_[j] + buffers_[j].size;
        moved = true;
      }
    }
    return offset;
  }

  const std::vector<BufferLife>& buffers_;
  std::vector<int64_t> offsets_;
  const int64_t bound_;
  int64_t best_ = std::numeric_limits<int64_t>::max();
};

void ExpectApart(const std::vector<BufferLife>& buffers, const MemoryPlan& plan,
                 int64_t alignment) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % alignment, 0);
    EXPECT_LE(plan.offsets[i] + buffers[i].size, plan.arena_size);
    for (size_t j = 0; j < i; ++j) {
      if (!buffers[i].Overlaps(buffers[j])) continue;
      const bool apart = plan.offsets[i] + buffers[i].size <= plan.offsets[j] ||
                         plan.offsets[j] + buffers[j].size <= plan.offsets[i];
      EXPECT_TRUE(apart) << "buffers " << i << " and " << j;
    }
  }
}

std::vector<BufferLife> RandomBuffers(std::mt19937* random, int count, int max_time) {
  std::vector<BufferLife> buffers;
  for (int i = 0; i < count; ++i) {
    const int first = static_cast<int>((*random)() % max_time);
    const int length = static_cast<int>((*random)() % (max_time - first));
    const int64_t size = (*random)() % 2 ? (*random)() % 10 : (*random)() % 1000;
    buffers.push_back({size, first, first + length});
  }
  return buffers;
}

TEST(MemoryPlan, LetsOneBufferTakeThePlaceOfADeadOne) {
  const std::vector<BufferLife> chain = {{100, 0, 1}, {60, 1, 2}, {100, 2, 3}};
  const MemoryPlan plan = PlanMemory(chain, 1);
  EXPECT_EQ(plan.arena_size, 160);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
}

TEST(MemoryPlan, PutsNothingOverALifeThatEndsInTheSameStep) {
  // Step 1 reads the first and writes the second.
  EXPECT_EQ(PlanMemory(std::vector<BufferLife>{{8, 0, 1}, {8, 1, 2}}, 1).arena_size, 16);
  EXPECT_EQ(PlanMemory(std::vector<BufferLife>{{8, 0, 0}, {8, 1, 2}}, 1).arena_size, 8);
}

TEST(MemoryPlan, IsWithin15PercentOfTheBest) {
  std::mt19937 random(3);
  double worst = 1;
  for (int i = 0; i < 3000; ++i) {
    const int count = 1 + static_cast<int>(random() % 9);
    const auto buffers =
        RandomBuffers(&random, count, 2 + static_cast<int>(random() % 9));
    const MemoryPlan plan = PlanMemory(buffers, 1);
    ExpectApart(buffers, plan, 1);
    const int64_t best = BruteForce(buffers).Run();
    ASSERT_LE(static_cast<double>(plan.arena_size), 1.15 * static_cast<double>(best));
    worst = std::max(worst, static_cast<double>(plan.arena_size) /
                                static_cast<double>(std::max<int64_t>(best, 1)));
  }
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST(MemoryPlan, KeepsManyBuffersApart) {
  std::mt19937 random(4);
  for (int i = 0; i < 50; ++i) {
    const auto buffers = RandomBuffers(&random, 200, 100);
    const MemoryPlan plan = PlanMemory(buffers);
    ExpectApart(buffers, plan, kPlanAlignment);
    EXPECT_GE(plan.arena_size, PeakOfLives(buffers));
  }
}

TEST(MemoryPlan, TakesNoBuffersAndEmptyOnes) {
  EXPECT_EQ(PlanMemory({}).arena_size, 0);
  EXPECT_EQ(PlanMemory(std::vector<BufferLife>{{0, 0, 5}, {0, 1, 2}}).arena_size, 0);
}

TEST(MemoryPlan, RefusesBuffersThatMakeNoSense) {
  const auto plan = [](const BufferLife& buffer) {
    return MessageOf([&] { PlanMemory(std::vector<BufferLife>{buffer, buffer}); });
  };
  EXPECT_EQ(plan({-1, 0, 0}), "a buffer has size -1");
  EXPECT_EQ(plan({1, 3, 2}), "a buffer lives from 3 to 2");
  EXPECT_EQ(plan({int64_t{1} << 61, 0, 0}),
            "the sizes of all buffers add up to more than 2^62");
}

// ---- Graphs ---------------------------------------------------------------------------

TEST(TensorLives, AChainInPlaceNeedsOneBuffer) {
  Graph graph;
  const Output x = Input(&graph, {256});
  Output y = x;
  for (int i = 0; i < 10; ++i) y = Call(&graph, i % 2 ? "Tanh" : "Neg", {y});
  const Output sum = Call(&graph, "Sum", {y, Ints(&graph, {0})});
  const PlannedStep step = LivesOf(StepFor({sum}, {x}));
  ASSERT_EQ(step.buffers.size(), 2u);  // the chain, and the sum
  EXPECT_EQ(step.buffers[0].size, 1024);
  EXPECT_EQ(step.total_bytes, 10 * 1024 + 4);
  EXPECT_EQ(PlanMemory(step.buffers).arena_size, 1024 + 64);
}

TEST(TensorLives, WorksInPlaceWhereTheDeviceHasTheLoop) {
  PassOptions options;
  options.kernels = {{"card", Device::kGpu}};
  const auto buffers_on = [&](const char* device) {
    Graph graph;
    const Output x = Input(&graph, {256});
    const Output y = Call(&graph, "Neg", {x});
    const Output z = Call(&graph, "Digamma", {y});  // no test adds its loop for a GPU
    for (const Output& output : {y, z}) graph.SetDevice(output.node, device);
    const Output sum = Call(&graph, "Sum", {z, Ints(&graph, {0})});
    return LivesOf(StepFor({sum}, {x}), options).buffers.size();
  };
  EXPECT_EQ(buffers_on("other"), 2u);  // the chain, and the sum
  EXPECT_EQ(buffers_on("card"), 3u);
}

TEST(TensorLives, NothingIsWrittenOverAFetch) {
  Graph graph;
  const Output x = Input(&graph, {4});
  const Output y = Call(&graph, "Neg", {x});
  const Output z = Call(&graph, "Tanh", {y});
  const PlannedStep step = LivesOf(StepFor({y, z}, {x}));
  ASSERT_EQ(step.tensors.size(), 2u);
  EXPECT_NE(step.tensors[0].buffer, step.tensors[1].buffer);
}

TEST(TensorLives, NothingIsWrittenOverWhatAnotherNameStillReads) {
  Graph graph;
  const Output x = Input(&graph, {4});
  const Output y = Call(&graph, "Neg", {x}, {}, "y");
  const Output flat = Call(&graph, "Reshape", {y, Ints(&graph, {2, 2})}, {}, "flat");
  const Output z = Call(&graph, "Exp", {y}, {}, "z");  // reads y for the last time
  const Output sum =
      Call(&graph, "AddV2", {z, Call(&graph, "Sum", {flat, Ints(&graph, {0, 1})})});
  const StepGraph step = StepFor({sum}, {x});
  const PlannedStep lives = LivesOf(step);
  int buffer_of_y = -1;
  int buffer_of_flat = -1;
  int buffer_of_z = -1;
  for (const PlannedTensor& planned : lives.tensors) {
    if (planned.tensor.node == Find(step, "y")) buffer_of_y = planned.buffer;
    if (planned.tensor.node == Find(step, "flat")) buffer_of_flat = planned.buffer;
    if (planned.tensor.node == Find(step, "z")) buffer_of_z = planned.buffer;
  }
  EXPECT_EQ(buffer_of_flat, buffer_of_y);
  EXPECT_NE(buffer_of_z, buffer_of_y);
}

TEST(PlannedArena, PoisonsWhatIsGivenBack) {
  PlannedArena arena(128, /*poisons=*/true);
  arena.Expect(64, 8);
  auto* number = static_cast<double*>(arena.Allocate(8));
  *number = 3;
  arena.Free(number, 8);
  EXPECT_TRUE(std::isnan(*number));
}

TEST(PlannedArena, GivesNoPlaceTwice) {
  PlannedArena arena(128, /*poisons=*/true);
  arena.Expect(0, 100);
  void* first = arena.Allocate(100);
  arena.Expect(64, 8);
  void* second = arena.Allocate(8);
  EXPECT_EQ(arena.num_planned(), 1);
  EXPECT_EQ(arena.num_conflicts(), 1);
  arena.Free(second, 8);
  arena.Free(first, 100);
  arena.Expect(64, 8);
  void* third = arena.Allocate(8);
  EXPECT_EQ(third, static_cast<char*>(first) + 64);
  arena.Free(third, 8);
  EXPECT_NE(MessageOf([&] { arena.Expect(128, 8); }), "");
}

// Tells `arena` where the outputs of `node` go.
void ExpectOutputs(const Node& node, const PlannedStep& step, const MemoryPlan& plan,
                   PlannedArena* arena) {
  arena->ExpectNothing();
  for (const auto& [tensor, buffer] : step.tensors) {
    const BufferLife& life = step.buffers[buffer];
    if (tensor.node != &node || step.OutlivesStep(life)) continue;
    arena->Expect(plan.offsets[buffer], life.size);
  }
}

// Every tensor of a step lies where the plan says; what is dead is poisoned.
TEST(PlannedArena, RandomGraphsGiveTheSameInThePlannedMemory) {
  int64_t num_planned = 0;
  int64_t num_conflicts = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph graph(seed);
    StepGraph step = MakeStepGraph(graph.request());
    const auto expected = StepRunner(step).Run(graph.Feeds(0));
    if (seed % 2) RunPasses(&step, OptionsOf());

    const PlannedStep lives = LivesOf(step);
    const MemoryPlan plan = PlanMemory(lives.buffers);
    ExpectApart(lives.buffers, plan, kPlanAlignment);
    PlannedArena arena(plan.arena_size, /*poisons=*/true);
    StepRunner runner(step);
    runner.UseArena(&arena,
                    [&](const Node& node) { ExpectOutputs(node, lives, plan, &arena); });
    const auto results = runner.Run(graph.Feeds(0));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(AllClose(results[i], expected[i], 1e-5));
    }
    num_planned += arena.num_planned();
    num_conflicts += arena.num_conflicts();
    if (HasFailure()) return;
  }
  EXPECT_GT(num_planned, 300);
  // A kernel may take the place for a temporary tensor of the size of its output.
  EXPECT_LE(num_conflicts * 100, num_planned);
}

}  // namespace
}  // namespace minitf::testing
