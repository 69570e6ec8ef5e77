// Runs a StepGraph in the simplest way there is: node by node, in topological order.
//
// It shares no code with the executor, so a test can tell a wrong pass from a wrong
// executor. A tensor is handed over at its last use, so kernels that work in place do.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/graph/step_graph.h"
#include "minitf/graph/topological_order.h"
#include "minitf/passes/pass.h"
#include "tests/test_ops.h"

namespace minitf::testing {

/// The CPU, for folding constants and for running; with no resources.
inline const DeviceContext& TestCpu() {
  static const DeviceContext device = {&CpuAllocator(), &ProcessThreads(), nullptr,
                                       nullptr};
  return device;
}

class StepRunner {
 public:
  /// With variables of its own, or those in `resources`.
  explicit StepRunner(const StepGraph& step, ResourceManager* resources = nullptr)
      : step_(step), order_(TopologicalOrder(step.graph->nodes())) {
    device_ = TestCpu();
    device_.resources = resources == nullptr ? &resources_ : resources;
    for (const Node* node : order_) {
      if (node->type() == "_Arg" || node->type() == "_Retval") continue;
      kernels_[node] = MakeKernel(node->name(), node->op(), node->attrs(),
                                  node->signature(), Device::kCpu, device_);
    }
  }

  /// One step: feeds[i] for step.args[i]; returns what the fetches take.
  std::vector<Tensor> Run(const std::vector<Tensor>& feeds) {
    std::map<std::pair<const Node*, int>, Tensor> values;
    std::map<std::pair<const Node*, int>, int> uses;
    for (const Node* node : order_) {
      for (const Output& input : node->inputs()) ++uses[{input.node, input.index}];
    }
    std::vector<Tensor> fetches(step_.retvals.size());
    for (const Node* node : order_) {
      std::vector<Tensor> inputs;
      for (const Output& input : node->inputs()) {
        Tensor& value = values[{input.node, input.index}];
        const bool is_last = --uses[{input.node, input.index}] == 0;
        inputs.push_back(is_last ? std::move(value) : value);
      }
      if (node->type() == "_Arg") {
        values[{node, 0}] = feeds.at(node->attrs().Get<int64_t>("index"));
      } else if (node->type() == "_Retval") {
        fetches.at(node->attrs().Get<int64_t>("index")) = inputs.at(0);
      } else {
        std::vector<Tensor> outputs = Compute(*node, inputs);
        for (int i = 0; i < node->num_outputs(); ++i) {
          if (uses[{node, i}] > 0) values[{node, i}] = std::move(outputs[i]);
        }
      }
    }
    return fetches;
  }

  /// Lets kernels allocate in `arena`; `before_node` is called before each of them.
  void UseArena(Allocator* arena, std::function<void(const Node&)> before_node) {
    device_.allocator = arena;
    before_node_ = std::move(before_node);
  }

  /// How many kernels a step runs.
  int num_kernels() const { return static_cast<int>(kernels_.size()); }

 private:
  std::vector<Tensor> Compute(const Node& node, std::vector<Tensor>& inputs) {
    if (before_node_) before_node_(node);
    std::vector<Tensor> outputs(node.num_outputs());
    OpKernelContext ctx(inputs, outputs, node.signature().output_types, device_);
    RunKernel(kernels_.at(&node).get(), &ctx);
    ThrowIfError(ctx.status().WithPrefix(node.Describe() + ": "));
    for (int i = 0; i < node.num_outputs(); ++i) {
      // What was known of the shape before must have been true.
      const PartialShape& known = node.output_shape(i);
      Require(known.IsCompatibleWith(outputs[i].shape()), node.Describe(), " gave ",
              outputs[i].shape(), ", it was to give ", known);
    }
    return outputs;
  }

  const StepGraph& step_;
  const std::vector<Node*> order_;
  ResourceManager resources_;
  DeviceContext device_;
  std::function<void(const Node&)> before_node_;
  std::map<const Node*, std::unique_ptr<OpKernel>> kernels_;
};

/// The passes of `text`, such as "all=off,prune=on", with a CPU to compute constants.
inline PassOptions OptionsOf(std::string_view text = "") {
  PassOptions options = ParsePassOptions(text);
  options.cpu = &TestCpu();
  return options;
}

/// The options that run the pass `name` alone.
inline PassOptions Only(std::string_view name) {
  return OptionsOf("all=off," + std::string(name) + "=on");
}

/// A step's graph for `fetches`, before and after the passes.
inline StepGraph StepFor(const std::vector<Output>& fetches,
                         const std::vector<Output>& feeds = {},
                         const std::vector<Node*>& targets = {}) {
  return MakeStepGraph({feeds, fetches, targets});
}

/// How many nodes of `type` there are.
inline int CountOf(const StepGraph& step, std::string_view type) {
  int count = 0;
  for (const Node* node : step.graph->nodes()) count += node->type() == type ? 1 : 0;
  return count;
}

/// The node called `name`. Fails if there is none.
inline Node* Find(const StepGraph& step, std::string_view name) {
  Node* node = step.graph->FindNode(name);
  Require(node != nullptr, "there is no node '", name, "'");
  return node;
}

inline Output Const(Graph* graph, const Tensor& value, std::string name = "Const") {
  return graph->AddConstant(value, std::move(name))->output(0);
}

inline Output Floats(Graph* graph, const Shape& shape, const std::vector<float>& values,
                     std::string name = "Const") {
  return Const(graph, Tensor::Of(shape, values), std::move(name));
}

inline Output Ints(Graph* graph, const std::vector<int32_t>& values,
                   std::string name = "Const") {
  return Const(graph, Tensor::Of(Shape{static_cast<int64_t>(values.size())}, values),
               std::move(name));
}

/// A placeholder of float32, which a test feeds.
inline Output Input(Graph* graph, const PartialShape& shape, std::string name = "x",
                    DType dtype = DType::kFloat32) {
  return AddOp(graph, "Placeholder", std::move(name), {},
               {{"dtype", dtype}, {"shape", shape}})
      ->output(0);
}

/// Output 0 of a new node.
inline Output Call(Graph* graph, std::string op, const std::vector<Output>& inputs,
                   Attrs attrs = {}, std::string name = "") {
  if (name.empty()) name = op;
  return AddOp(graph, std::move(op), std::move(name), inputs, std::move(attrs))
      ->output(0);
}

}  // namespace minitf::testing
