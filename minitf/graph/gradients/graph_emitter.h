// GraphEmitter: an Emitter that adds nodes to a graph.
//
// A gradient function calls ops through an Emitter (framework/gradient.h); here each call
// becomes a node. The nodes for the gradient of node "a" are called
// "gradients/a_grad/...". Where there are branches and loops, a BackwardFlow says in
// which of them each new node runs.
//
// Compare    tensorflow/python/ops/gradients_util.py: name scopes and colocation
// Read next  minitf/graph/gradients/gradient_program.h

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/graph/gradients/backward_flow.h"
#include "minitf/graph/graph.h"

namespace minitf {

/// What the nodes of gradients are called, and which device they are for.
struct GradientPlacement {
  std::string scope = "gradients";  ///< made unique
  std::string device;               ///< what they ask for
  /// Whether each is colocated with the node whose gradient it is a part of.
  bool beside_forward = false;
  /// A node of the branch or loop within which the caller builds; null for none.
  Node* pivot = nullptr;
};

/// An Emitter that adds nodes to a graph. Value ids number the outputs it has seen.
class GraphEmitter final : public Emitter {
 public:
  /// New nodes get names below `scope`.
  GraphEmitter(Graph* graph, std::string scope, GradientPlacement placement = {})
      : graph_(graph), scope_(std::move(scope)), placement_(std::move(placement)) {}

  Value ValueOf(Output output);
  /// Throws for none, and for what is no value of this emitter.
  Output OutputOf(Value value) const;
  /// As OutputOf; slices are made dense where nodes go at present.
  Output DenseOutputOf(Value value) { return OutputOf(Dense(value)); }
  Graph& graph() const { return *graph_; }
  /// The scope in which the gradient of the present node goes: "gradients/a_grad".
  const std::string& current_scope() const { return current_scope_; }

  /// From now on nodes go into branches and loops.
  void FollowFlows();
  /// Null unless FollowFlows was called.
  BackwardFlow* flow() const { return flow_.get(); }

  Value Constant(const Tensor& value) override;

 protected:
  std::vector<Value> EmitCall(std::string_view op, const std::vector<Value>& inputs,
                              Attrs attrs) override;
  DType DTypeOf(Value value) const override { return OutputOf(value).dtype(); }
  PartialShape ShapeOf(Value value) const override { return OutputOf(value).shape(); }
  std::optional<Tensor> ConstantOf(Value value) const override;
  void EnterGradientOf(std::string_view name) override;
  void EnterSumFor(Value value) override;

 private:
  Node* AddNode(NodeSpec spec, Flow* flow);
  Node* AddToPresentFlow(NodeSpec spec);
  Node* AddToForwardFlow(NodeSpec* spec);

  Graph* graph_;
  std::string scope_;
  GradientPlacement placement_;
  const Node* forward_ = nullptr;  // whose gradient is being made, if they go beside it
  std::string current_scope_ = scope_;
  std::unique_ptr<BackwardFlow> flow_;
  std::vector<Output> outputs_;
  std::unordered_map<int64_t, int64_t> ids_;  // by node and index, as ValueOf has them
};

}  // namespace minitf
