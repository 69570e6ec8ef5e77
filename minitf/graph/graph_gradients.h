// Gradients of a graph: tf.gradients, as nodes added to the same graph.
//
// The nodes between xs and ys become a program (gradients/add_gradients.h), and a
// GraphEmitter makes a node of every call that the gradient functions ask for. The nodes
// for the gradient of node "a" are called "gradients/a_grad/...".
//
// Compare    tensorflow/python/ops/gradients_util.py
// Read next  minitf/runtime/executor_plan.h

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/graph/graph.h"

namespace minitf {

/// What the nodes of gradients are called, and which device they are for.
struct GradientPlacement {
  std::string scope = "gradients";  ///< made unique
  std::string device;               ///< what they ask for
  /// Whether each is colocated with the node whose gradient it is a part of.
  bool beside_forward = false;
};

/// An Emitter that adds nodes to a graph. Value ids number the outputs it has seen.
class GraphEmitter final : public Emitter {
 public:
  /// New nodes get names below `scope`.
  GraphEmitter(Graph* graph, std::string scope, GradientPlacement placement = {})
      : graph_(graph), scope_(std::move(scope)), placement_(std::move(placement)) {}

  Value ValueOf(Output output);
  Output OutputOf(Value value) const { return outputs_[value.id]; }
  Graph& graph() const { return *graph_; }
  /// The scope in which the gradient of the present node goes: "gradients/a_grad".
  const std::string& current_scope() const { return current_scope_; }

  std::vector<Value> CallAll(std::string_view op, const std::vector<Value>& inputs,
                             Attrs attrs) override;
  Value Constant(const Tensor& value) override;
  DType dtype(Value value) const override { return OutputOf(value).dtype(); }
  PartialShape shape(Value value) const override { return OutputOf(value).shape(); }
  std::optional<Tensor> KnownValue(Value value) const override;
  void BeginGradientOf(std::string_view name) override;

 private:
  Node* AddNode(NodeSpec spec);

  Graph* graph_;
  std::string scope_;
  GradientPlacement placement_;
  const Node* forward_ = nullptr;  // whose gradient is being made, if they go beside it
  std::string current_scope_ = scope_;
  std::vector<Output> outputs_;
  std::unordered_map<const Node*, std::vector<int64_t>> ids_;
};

/// dL/dx for every x, where L is the sum of ys, each weighted by its dys (an Output
/// without a node stands for ones). Empty where L does not depend on x. Throws as
/// AddGradients does.
std::vector<std::optional<Output>> GraphGradients(
    Graph* graph, const std::vector<Output>& ys, const std::vector<Output>& xs,
    const std::vector<Output>& dys, const std::vector<Output>& stop_gradients,
    const GradientPlacement& placement = {});

}  // namespace minitf
