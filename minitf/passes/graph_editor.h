// GraphEditor: the changes that passes make to a graph, and what they must know first.
//
// A node has a list of its inputs; a pass also needs the uses of an output. The editor
// finds all uses once and updates them with every change, so a pass over n nodes takes n
// steps. Shapes and control inputs of a changed node are computed again when the pass
// reaches the node. The editor counts the changes and logs them:
//
//   MINITF_VLOG=2   rewrite: 'h' (MatMul) takes the place of 'h' (MatMul)
//
// A change is allowed only if these conditions hold:
//
//   IsPure             the node's outputs depend on its inputs alone
//   DependsOnState     something before the node reads or writes a variable, prints, or
//                      may fail on purpose, which nodes that wait for it rely on
//
// Compare    tensorflow/core/grappler/mutable_graph_view.h, graph_view.h
// Read next  minitf/passes/memory_plan.h

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "minitf/graph/consumers.h"
#include "minitf/graph/step_graph.h"
#include "minitf/passes/use_table.h"

namespace minitf {

/// Whether two calls with the same inputs give the same, and a call does nothing else:
/// such a node may be computed early, once for many, or not at all.
bool IsPure(const Node& node);

/// Whether the node must run even if its outputs are not used.
bool HasSideEffects(const Node& node);

/// The value of `output` if it comes from a Const; else null.
const Tensor* ConstantOf(const Output& output);

/// A Const that waits for nothing.
bool IsFreeConstant(const Node& node);

/// Whether the shapes of both are known, and the same.
bool HaveSameKnownShape(const Output& a, const Output& b);

class GraphEditor {
 public:
  explicit GraphEditor(StepGraph* step);

  GraphEditor(const GraphEditor&) = delete;
  GraphEditor& operator=(const GraphEditor&) = delete;

  Graph& graph() const { return *step_->graph; }
  /// Names the pass for the log, and counts its changes from 0.
  void BeginPass(std::string_view name);
  int num_changes() const { return num_changes_; }
  bool has_control_flow() const { return has_control_flow_; }

  /// The ids of all nodes, each after those it needs. A change may remove some of them;
  /// then node(id) is null.
  std::vector<int> InOrder();
  /// To go through the nodes by id. What is known of the outputs is worked out again if
  /// inputs have become constants since.
  Node* node(int id);
  const std::vector<Use>& UsesOf(const Node* node) const { return uses_.Of(node); }
  /// Whether output `index` has exactly one use, and no node waits for the node.
  bool HasOneUse(const Output& output) const;
  /// Whether the session asks for the node itself: it is a target, a feed or a fetch.
  bool IsKept(const Node* node) const { return kept_.contains(node); }
  bool DependsOnState(const Node* node) const { return depends_on_state_[node->id()]; }

  /// Adds a node under a name of its own.
  Node* Add(NodeSpec spec);
  /// Adds a constant on the device of `beside`, with its origin.
  Node* AddConstant(const Tensor& value, std::string name, const Node& beside);
  /// Lets input `i` of `node` come from `value`, and removes what was there before if
  /// that has become useless. False, with nothing changed, if the shape function refuses.
  bool ReplaceInput(Node* node, int i, const Output& value);
  void SetControlInputs(Node* node, std::vector<Node*> control_inputs);

  /// Lets the users of `node`, which has one output, use `value` instead, and wait for
  /// value's node where they waited for `node`. Removes `node` when nothing needs it.
  /// False, with nothing changed, where that is not allowed: `node` is kept or waits for
  /// others, the devices differ, or what `node` needs besides `value` depends on state.
  bool Bypass(Node* node, const Output& value);

  /// Lets the users of `before` use `after`; control edges from its node stay.
  /// False, with nothing changed, where a shape function refuses.
  bool MoveUsesOfOutput(const Output& before, const Output& after);

  /// Puts a new node, made from `spec`, in the place of `node`: under its name, on its
  /// device, with its origin, for all its users. The control inputs are those of `node`
  /// and those in `spec`. Null, with nothing changed, if `node` is kept or a shape
  /// function refuses. Requires: the new node has the same outputs.
  Node* Replace(Node* node, NodeSpec spec);

  /// Lets all users of `duplicate` use `node`, and removes `duplicate`. False, with
  /// nothing changed, if it is kept.
  bool Merge(Node* duplicate, Node* node);

  /// Takes back an Add. Requires: no node uses `node`.
  void Discard(Node* node);
  /// Removes the node with this id if it is there and is not used, not kept, and has no
  /// side effects; then its inputs, if they have become useless, and so on.
  void RemoveIfUseless(int id);

 private:
  bool MoveDataUses(const Output& from, const Output& to);
  void WaitForInstead(Node* before, Node* after);
  void SettleWaits(Node* node);
  void UpdateInput(Node* node, int i, const Output& value);
  // False, with nothing changed, if the consumer's op refuses the new shape.
  bool SetInput(Node* consumer, int i, const Output& value);
  bool NeedsOthersBesides(const Node* node, const Node* value) const;
  // Requires: no node uses `node`, and it is not kept.
  void Remove(Node* node);
  void Erase(Node* node);
  void NoteNewNode(Node* node);
  void NoteUses(Node* node);
  void CountChange(std::string_view what, const Node& node);

  StepGraph* const step_;
  std::string pass_;
  UseTable uses_;
  std::vector<char> depends_on_state_;         // by id
  std::unordered_set<int> has_new_constants_;  // ids of nodes with new knowledge to use
  // By id of a node that waits for many: each first one is to become the second. Until
  // that is settled, the node's list may name nodes that are gone.
  std::unordered_map<int, std::vector<std::pair<Node*, Node*>>> new_waits_;
  std::unordered_set<const Node*> kept_;
  bool has_control_flow_ = false;
  int num_changes_ = 0;
  std::vector<int> order_;  // of all nodes, in that version of the graph
  int64_t version_of_order_ = -1;
};

}  // namespace minitf
