// The numbers and examples in docs/passes.md are those that the passes give.
//
// MINITF_UPDATE_DOCS=1 writes the document's generated parts anew.

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/base/text.h"
#include "minitf/graph/graph_text.h"
#include "minitf/passes/memory_plan.h"
#include "minitf/passes/pass.h"
#include "tests/minitf/passes/sample_nets.h"
#include "tests/minitf/passes/step_runner.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

const std::string kDocument = std::string(MINITF_SOURCE_DIR) + "/docs/passes.md";

// Host memory, with a count of what is in use.
class CountingAllocator final : public Allocator {
 public:
  void* Allocate(size_t bytes) override {
    stats_.bytes_in_use += static_cast<int64_t>(bytes);
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
    return CpuAllocator().Allocate(bytes);
  }
  void Free(void* memory, size_t bytes) override {
    stats_.bytes_in_use -= static_cast<int64_t>(bytes);
    CpuAllocator().Free(memory, bytes);
  }
  Stats stats() const override { return stats_; }

 private:
  Stats stats_;
};

struct Measured {
  int num_nodes = 0;
  int num_kernels = 0;
  int64_t total_bytes = 0;  // of all tensors
  int64_t peak_bytes = 0;   // that kernels allocated, as the step ran
  int64_t arena_bytes = 0;  // of the memory plan
  Tensor result;
};

Measured Measure(const SampleNet& net, const StepGraph& step) {
  ResourceManager variables;
  const StepGraph initialize = StepFor({}, {}, net.initializers);
  StepRunner(initialize, &variables).Run({});

  Measured measured;
  measured.num_nodes = static_cast<int>(step.graph->nodes().size());
  const PlannedStep lives = LivesOf(step);
  measured.total_bytes = lives.total_bytes;
  measured.arena_bytes = PlanMemory(lives.buffers).arena_size;
  StepRunner runner(step, &variables);
  measured.num_kernels = runner.num_kernels();
  CountingAllocator allocator;
  runner.UseArena(&allocator, nullptr);
  measured.result = runner.Run(net.feeds)[0].Clone();
  measured.peak_bytes = allocator.stats().peak_bytes_in_use;
  return measured;
}

std::string Kilobytes(int64_t bytes) { return std::to_string((bytes + 512) / 1024); }

std::string RowOf(const SampleNet& net) {
  StepGraph step = MakeStepGraph(net.request);
  const Measured before = Measure(net, step);
  RunPasses(&step, OptionsOf());
  const Measured after = Measure(net, step);
  EXPECT_TRUE(AllClose(after.result, before.result, 1e-5)) << net.name;
  EXPECT_LT(after.num_kernels, before.num_kernels) << net.name;
  EXPECT_LT(after.total_bytes, before.total_bytes) << net.name;
  EXPECT_LE(after.arena_bytes, before.arena_bytes) << net.name;
  return StrCat("| ", net.name, " | ", before.num_nodes, " → ", after.num_nodes, " | ",
                before.num_kernels, " → ", after.num_kernels, " | ",
                Kilobytes(before.total_bytes), " → ", Kilobytes(after.total_bytes), " | ",
                Kilobytes(before.peak_bytes), " → ", Kilobytes(after.peak_bytes), " | ",
                Kilobytes(before.arena_bytes), " → ", Kilobytes(after.arena_bytes),
                " |\n");
}

std::string Table() {
  const std::vector<std::function<void(SampleNet*)>> builders = {
      BuildMlpInference,
      [](SampleNet* net) { BuildConvInference(net, "NHWC"); },
      [](SampleNet* net) { BuildConvInference(net, "NCHW"); },
      BuildLeNetTraining,
      BuildElementwiseChain,
  };
  std::string table =
      "| net | nodes | kernels launched | KB, nothing shared | peak KB, as it ran | KB "
      "of "
      "the memory plan |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& build : builders) {
    SampleNet net;
    build(&net);
    table += RowOf(net);
  }
  return table;
}

std::string PassList() {
  std::string table =
      "| pass | TensorFlow's names | what it does |\n| --- | --- | --- |\n";
  for (const Pass& pass : Passes()) {
    std::string names = Join(pass.tensorflow_names, "`, `");
    if (!names.empty()) names = "`" + names + "`";
    table += StrCat("| `", pass.name, "` | ", names, " | ", pass.doc, " |\n");
  }
  return table;
}

// A layer, written the long way, before and after.
std::string Example() {
  Graph graph;
  const Output x = Input(&graph, {8, 3});
  const Output w = Floats(&graph, {2, 3}, {1, 2, 3, 4, 5, 6}, "w");
  const Output swap = Ints(&graph, {1, 0}, "perm");
  const Output product =
      Call(&graph, "MatMul", {x, Call(&graph, "Transpose", {w, swap})});
  const Output one = Floats(&graph, {}, {1}, "one");
  const Output bias = Call(&graph, "Mul", {Floats(&graph, {2}, {7, 8}, "b"), one});
  const auto layer = [&](const std::string& name) {
    const Output sum = Call(&graph, "AddV2", {product, bias}, {}, name + "_sum");
    return Call(&graph, "Relu", {sum}, {}, name);
  };
  const Output y = Call(&graph, "Sub", {layer("left"), layer("right")}, {}, "y");
  StepGraph step = StepFor({y}, {x});
  std::string text = "Before:\n\n```\n" + GraphText(*step.graph) + "```\n\n";
  RunPasses(&step, OptionsOf());
  text += "After:\n\n```\n" + GraphText(*step.graph) + "```\n\n";
  return text + "After, as DOT:\n\n```\n" + GraphDot(*step.graph) + "```\n";
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The document with the part called `name` replaced by `content`.
std::string WithPart(std::string document, const std::string& name,
                     const std::string& content) {
  const std::string begin = "<!-- generated: " + name + " -->\n";
  const std::string end = "<!-- end: " + name + " -->\n";
  const size_t from = document.find(begin);
  const size_t to = document.find(end);
  Require(from != std::string::npos && to != std::string::npos, "no part '", name, "'");
  return document.replace(from + begin.size(), to - from - begin.size(),
                          "\n" + content + "\n");
}

TEST(PassesDocument, SaysWhatThePassesDo) {
  const std::string document = ReadAll(kDocument);
  std::string expected = WithPart(document, "passes", PassList());
  expected = WithPart(expected, "example", Example());
  expected = WithPart(expected, "measured", Table());
  if (std::getenv("MINITF_UPDATE_DOCS") != nullptr) {
    std::ofstream(kDocument) << expected;
    return;
  }
  EXPECT_EQ(document, expected) << "MINITF_UPDATE_DOCS=1 writes " << kDocument << " anew";
}

}  // namespace
}  // namespace minitf::testing
