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
#include <vector>

#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

bool BypassIdentity(GraphEditor* editor, Node* node) {
  return IsIdentity(*node) && !IsControlFlow(*node->inputs()[0].node) &&
         editor->Bypass(node, node->inputs()[0]);
}

// Whoever waits for a NoOp waits for what it waits for. Not where many wait for many:
// there the NoOp saves edges.
bool BypassNoOp(GraphEditor* editor, Node* node) {
  if (node->type() != "NoOp" || editor->IsKept(node)) return false;
  const std::vector<Use> uses = editor->UsesOf(node);
  const std::vector<Node*> before = node->control_inputs();
  if (uses.empty() || before.size() * uses.size() > before.size() + uses.size()) {
    return false;
  }
  // A NoOp may be there to say "only if this branch is taken"; a node without inputs
  // that waits for nothing would always run.
  if (before.empty() && editor->has_control_flow()) return false;
  for (const Use& use : uses) {
    if (use.consumer->device() != node->device()) return false;
  }
  for (const Use& use : uses) {
    std::vector<Node*> inputs;
    for (Node* input : use.consumer->control_inputs()) {
      if (input != node) inputs.push_back(input);
    }
    for (Node* input : before) {
      if (std::ranges::count(inputs, input) == 0) inputs.push_back(input);
    }
    editor->SetControlInputs(use.consumer, std::move(inputs));
  }
  editor->RemoveIfUseless(node->id());
  return true;
}

// A control input says nothing if the node takes a tensor from there anyway, or if it is
// a constant that waits for nothing itself.
void DropUselessControlInputs(GraphEditor* editor, Node* node) {
  std::vector<Node*> inputs;
  std::vector<int> dropped;
  for (Node* input : node->control_inputs()) {
    const bool gives_tensor = std::ranges::any_of(
        node->inputs(), [&](const Output& value) { return value.node == input; });
    if (gives_tensor || IsFreeConstant(*input)) {
      dropped.push_back(input->id());
    } else {
      inputs.push_back(input);
    }
  }
  if (dropped.empty()) return;
  editor->SetControlInputs(node, std::move(inputs));
  for (const int id : dropped) editor->RemoveIfUseless(id);
}

}  // namespace

void Prune(GraphEditor* editor, const PassOptions&) {
  for (const int id : editor->InOrder()) editor->RemoveIfUseless(id);
  for (const int id : editor->InOrder()) {
    Node* node = editor->node(id);
    if (node == nullptr) continue;
    if (BypassIdentity(editor, node) || BypassNoOp(editor, node)) continue;
    if (!node->control_inputs().empty()) DropUselessControlInputs(editor, node);
  }
}

}  // namespace minitf
