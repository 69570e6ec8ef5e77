// Pruning: what leads to no fetch, no target and no side effect is removed, and so is
// what stands in between without doing anything.
//
//   y = Identity(x)   z = Exp(y)        z = Exp(x)
//   g = NoOp(^a)      z = Exp(x, ^g)    z = Exp(x, ^a)
//   z = Exp(x, ^x)                      z = Exp(x)
//
// An Identity stays where it does something: where it copies from one device to another,
// where it waits for other nodes, or where others wait for it and its input is the output
// of a Switch, which may be dead while the Switch is not.
//
// Compare    tensorflow/core/grappler/optimizers/dependency_optimizer.cc,
//            tensorflow/core/grappler/optimizers/model_pruner.cc
// Read next  minitf/passes/constant_folding.cc

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

bool BypassIdentity(GraphEditor* editor, Node* node) {
  return node->facts().is_identity &&
         !node->inputs()[0].node->facts().is_control_flow() &&
         editor->Bypass(node, node->inputs()[0]);
}

// What nodes wait for.
//
// Nodes are visited in order, so whatever a node waits for has been visited before. There
// it is decided whether a NoOp is to go; when those that wait for it are visited, each
// gets its whole new list at once, and so ten thousand waits cost as many steps.
class ControlInputs {
 public:
  explicit ControlInputs(GraphEditor* editor) : editor_(*editor) {}

  void Visit(Node* node) {
    if (!node->control_inputs().empty()) Tidy(node);
    if (IsToGo(node)) to_go_.insert(node->id());
  }

  // Takes out those that are to go. Some wait for others.
  void RemoveBypassed() {
    for (const int id : to_go_) editor_.RemoveIfUseless(id);
  }

 private:
  // Waiting for a NoOp is waiting for what it waits for. It stays where many nodes wait
  // for many through it: there it saves edges.
  bool IsToGo(const Node* node) const {
    if (node->role() != OpRole::kNoOp || editor_.IsKept(node)) return false;
    const std::vector<Use>& uses = editor_.UsesOf(node);
    const size_t num_before = node->control_inputs().size();
    if (uses.empty() || num_before * uses.size() > num_before + uses.size()) return false;
    // A NoOp may be there to say "only if this branch is taken"; a node without inputs
    // that waits for nothing would always run.
    if (num_before == 0 && editor_.has_control_flow()) return false;
    return std::ranges::all_of(
        uses, [&](const Use& use) { return use.consumer->device() == node->device(); });
  }

  // A wait says nothing if the node takes a tensor from there anyway, or if it is for a
  // constant that waits for nothing itself.
  void Tidy(Node* node) {
    std::unordered_set<const Node*> seen;
    for (const Output& input : node->inputs()) seen.insert(input.node);
    std::vector<Node*> inputs;
    std::vector<int> dropped;
    const auto add = [&](Node* input) {
      if (seen.insert(input).second && !IsFreeConstant(*input)) {
        inputs.push_back(input);
      } else {
        dropped.push_back(input->id());
      }
    };
    for (Node* input : node->control_inputs()) {
      if (!to_go_.contains(input->id())) {
        add(input);
        continue;
      }
      for (Node* before : input->control_inputs()) add(before);
      dropped.push_back(input->id());
    }
    if (dropped.empty()) return;
    editor_.SetControlInputs(node, std::move(inputs));
    for (const int id : dropped) editor_.RemoveIfUseless(id);
  }

  GraphEditor& editor_;
  std::set<int> to_go_;
};

}  // namespace

void Prune(GraphEditor* editor, const PassOptions&) {
  for (const int id : editor->InOrder()) editor->RemoveIfUseless(id);
  ControlInputs control_inputs(editor);
  for (const int id : editor->InOrder()) {
    Node* node = editor->node(id);
    if (node == nullptr || BypassIdentity(editor, node)) continue;
    control_inputs.Visit(node);
  }
  control_inputs.RemoveBypassed();
}

}  // namespace minitf
