// GraphEditor: uses kept up to date, and when a change is allowed.

#include "minitf/passes/graph_editor.h"

#include <algorithm>
#include <utility>

#include "minitf/base/logging.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

// In the place of the index of an output: all of them.
constexpr int kAllOutputs = -2;

// What a node before `node` may do that others rely on having happened, or not yet.
bool TouchesState(const Node& node) { return node.facts().state >= StateUse::kReads; }

bool HasResource(const Node& node) {
  const Signature& signature = node.signature();
  return std::ranges::count(signature.input_types, DType::kResource) > 0 ||
         std::ranges::count(signature.output_types, DType::kResource) > 0;
}

}  // namespace

bool IsPure(const Node& node) {
  const OpFacts& facts = node.facts();
  return facts.state == StateUse::kNone && !facts.is_control_flow() &&
         !facts.depends_on_outside && facts.role != OpRole::kNoOp && !HasResource(node);
}

bool HasSideEffects(const Node& node) { return node.facts().state == StateUse::kChanges; }

const Tensor* ConstantOf(const Output& output) {
  if (output.node->role() != OpRole::kConstant) return nullptr;
  return &output.node->attrs().Get<Tensor>("value");
}

bool IsFreeConstant(const Node& node) {
  return node.role() == OpRole::kConstant && node.control_inputs().empty();
}

bool HaveSameKnownShape(const Output& a, const Output& b) {
  return a.shape().IsFullyKnown() && a.shape() == b.shape();
}

GraphEditor::GraphEditor(StepGraph* step) : step_(step) {
  for (const auto* nodes : {&step->args, &step->retvals, &step->targets}) {
    kept_.insert(nodes->begin(), nodes->end());
  }
  uses_.Grow(graph().num_nodes());
  for (const int id : InOrder()) {
    NoteUses(node(id));
    NoteNewNode(node(id));
  }
}

void GraphEditor::BeginPass(std::string_view name) {
  pass_ = name;
  num_changes_ = 0;
}

// Adds `node` to the uses of its inputs.
void GraphEditor::NoteUses(Node* node) {
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    const Output& input = node->inputs()[i];
    uses_.Add(input.node, {node, static_cast<int>(i), input.index});
  }
  for (const Node* input : node->control_inputs()) {
    uses_.Add(input, {node, Use::kControl, Use::kControl});
  }
}

// Requires: the nodes that `node` needs have been noted.
void GraphEditor::NoteNewNode(Node* node) {
  uses_.Grow(graph().num_nodes());
  depends_on_state_.resize(graph().num_nodes());
  bool depends = TouchesState(*node);
  for (const Output& input : node->inputs()) {
    depends |= depends_on_state_[input.node->id()] != 0;
  }
  for (const Node* input : node->control_inputs()) {
    depends |= depends_on_state_[input->id()] != 0;
  }
  depends_on_state_[node->id()] = depends ? 1 : 0;
  has_control_flow_ |= node->facts().is_control_flow();
}

std::vector<int> GraphEditor::InOrder() {
  while (!new_waits_.empty()) SettleWaits(graph().node(new_waits_.begin()->first));
  if (version_of_order_ != graph().version()) {
    order_.clear();
    for (const Node* node : TopologicalOrder(graph().nodes())) {
      order_.push_back(node->id());
    }
    version_of_order_ = graph().version();
  }
  return order_;
}

bool GraphEditor::HasOneUse(const Output& output) const {
  int count = 0;
  for (const Use& use : UsesOf(output.node)) {
    if (use.is_control()) return false;
    if (use.output == output.index && ++count > 1) return false;
  }
  return count == 1;
}

void GraphEditor::CountChange(std::string_view what, const Node& node) {
  ++num_changes_;
  VLOG(2) << pass_ << ": " << node.Describe() << ' ' << what;
}

// ---- Changes of one node --------------------------------------------------------------

Node* GraphEditor::Add(NodeSpec spec) {
  Node* node = graph().AddNode(std::move(spec));
  NoteNewNode(node);
  NoteUses(node);
  return node;
}

Node* GraphEditor::AddConstant(const Tensor& value, std::string name,
                               const Node& beside) {
  NodeSpec spec;
  spec.op = "Const";
  spec.name = std::move(name);
  spec.attrs = {{"value", value}, {"dtype", value.dtype()}};
  spec.device = beside.device();
  spec.origin = beside.origin();
  return Add(std::move(spec));
}

bool GraphEditor::ReplaceInput(Node* node, int i, const Output& value) {
  const int before = node->inputs()[i].node->id();
  if (!SetInput(node, i, value)) return false;
  CountChange(StrCat("takes ", value.name()), *node);
  RemoveIfUseless(before);
  return true;
}

// Works out the shapes of `node` anew after input `i`, which may be what it was, has
// become `value`. Throws, with nothing changed, if the op refuses.
void GraphEditor::UpdateInput(Node* node, int i, const Output& value) {
  const Output before = node->inputs()[i];
  std::vector<PartialShape> shapes;
  for (int output = 0; output < node->num_outputs(); ++output) {
    shapes.push_back(node->output_shape(output));
  }
  try {
    graph().UpdateInput(node, i, value);
    // What was known of its outputs, from set_shape for example, is true still.
    for (int output = 0; output < node->num_outputs(); ++output) {
      graph().MergeOutputShape(node->output(output), shapes[output]);
    }
  } catch (const Error& error) {
    VLOG(2) << pass_ << ": " << node->Describe()
            << " stays as it is: " << error.status().message();
    if (!(node->inputs()[i] == before)) graph().UpdateInput(node, i, before);
    throw;
  }
}

Node* GraphEditor::node(int id) {
  Node* node = graph().node(id);
  if (node == nullptr) return nullptr;
  SettleWaits(node);
  if (has_new_constants_.erase(id) == 0) return node;
  try {
    UpdateInput(node, 0, node->inputs()[0]);
  } catch (const Error&) {
    // The step will fail at this node, and say why.
  }
  return node;
}

bool GraphEditor::SetInput(Node* consumer, int i, const Output& value) {
  const Output before = consumer->inputs()[i];
  if (before == value) return true;
  if (before.shape() == value.shape()) {
    graph().ReconnectInput(consumer, i, value);
    if (ConstantOf(value) != nullptr) has_new_constants_.insert(consumer->id());
  } else {
    try {
      UpdateInput(consumer, i, value);
    } catch (const Error&) {
      return false;
    }
  }
  uses_.Remove(before.node, {consumer, i, before.index});
  uses_.Add(value.node, {consumer, i, value.index});
  return true;
}

void GraphEditor::SetControlInputs(Node* node, std::vector<Node*> control_inputs) {
  for (const Node* input : node->control_inputs()) {
    uses_.Remove(input, {node, Use::kControl, Use::kControl});
  }
  for (const Node* input : control_inputs) {
    uses_.Add(input, {node, Use::kControl, Use::kControl});
  }
  graph().SetControlInputs(node, std::move(control_inputs));
  CountChange("waits for other nodes", *node);
}

void GraphEditor::Erase(Node* node) {
  SettleWaits(node);
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    const Output& input = node->inputs()[i];
    uses_.Remove(input.node, {node, static_cast<int>(i), input.index});
  }
  for (const Node* input : node->control_inputs()) {
    uses_.Remove(input, {node, Use::kControl, Use::kControl});
  }
  graph().RemoveNode(node);
}

void GraphEditor::Remove(Node* node) {
  CountChange("is removed", *node);
  std::vector<int> inputs;
  for (const Output& input : node->inputs()) inputs.push_back(input.node->id());
  for (const Node* input : node->control_inputs()) inputs.push_back(input->id());
  Erase(node);
  for (const int id : inputs) RemoveIfUseless(id);
}

void GraphEditor::RemoveIfUseless(int id) {
  std::vector<int> candidates = {id};
  while (!candidates.empty()) {
    Node* node = graph().node(candidates.back());
    candidates.pop_back();
    if (node == nullptr || !UsesOf(node).empty()) continue;
    if (IsKept(node) || HasSideEffects(*node)) continue;
    for (const Output& input : node->inputs()) candidates.push_back(input.node->id());
    for (const Node* input : node->control_inputs()) candidates.push_back(input->id());
    CountChange("is removed", *node);
    Erase(node);
  }
}

// ---- Changes of all uses of a node ----------------------------------------------------

// The nodes that wait for `before` wait for `after` instead. A node with a long list of
// control inputs gets its new list later (SettleWaits), once for all such changes.
void GraphEditor::WaitForInstead(Node* before, Node* after) {
  constexpr size_t kLong = 32;
  const std::vector<Use> uses = UsesOf(before);
  for (const Use& use : uses) {
    if (!use.is_control()) continue;
    Node* const consumer = use.consumer;
    uses_.Remove(before, use);
    if (!uses_.Has(after, use)) uses_.Add(after, use);
    new_waits_[consumer->id()].emplace_back(before, after);
    if (consumer->control_inputs().size() < kLong) SettleWaits(consumer);
    CountChange("waits for other nodes", *consumer);
  }
}

// Brings the control inputs of `node` up to date.
void GraphEditor::SettleWaits(Node* node) {
  const auto found = new_waits_.find(node->id());
  if (found == new_waits_.end()) return;
  std::vector<Node*> inputs = node->control_inputs();
  std::unordered_map<const Node*, size_t> places;
  for (size_t i = 0; i < inputs.size(); ++i) places[inputs[i]] = i;
  // In the order in which they came: a new node may lie where one was that is gone.
  for (const auto& [before, after] : found->second) {
    const auto place = places.find(before);
    if (place == places.end()) continue;
    const size_t i = place->second;
    places.erase(place);
    inputs[i] = places.emplace(after, i).second ? after : nullptr;
  }
  std::erase(inputs, nullptr);
  new_waits_.erase(found);
  graph().SetControlInputs(node, std::move(inputs));
}

// Lets the data uses of `from` take their tensors from `to`; those of one output, or of
// all, each from the output of the same index, where `from.index` is kAllOutputs. All of
// them or none.
bool GraphEditor::MoveDataUses(const Output& from, const Output& to) {
  std::vector<Use> moved;
  const std::vector<Use> uses = UsesOf(from.node);
  for (const Use& use : uses) {
    if (use.is_control()) continue;
    if (from.index != kAllOutputs && use.output != from.index) continue;
    const int index = from.index == kAllOutputs ? use.output : to.index;
    if (SetInput(use.consumer, use.input, {to.node, index})) {
      moved.push_back(use);
      continue;
    }
    for (const Use& done : moved) {
      SetInput(done.consumer, done.input, {from.node, done.output});
    }
    return false;
  }
  return true;
}

bool GraphEditor::MoveUsesOfOutput(const Output& before, const Output& after) {
  if (!MoveDataUses(before, after)) return false;
  CountChange("has an output that another node gives", *before.node);
  return true;
}

void GraphEditor::Discard(Node* node) { Erase(node); }

// Whether `node` waits, other than through `value`, for something that matters: what
// touches state, or, where there are branches, what may not be taken.
bool GraphEditor::NeedsOthersBesides(const Node* node, const Node* value) const {
  constexpr size_t kMaxNodes = 64;
  std::vector<const Node*> to_visit = {node};
  std::unordered_set<const Node*> seen = {node, value};
  while (!to_visit.empty()) {
    const Node* at = to_visit.back();
    to_visit.pop_back();
    if (TouchesState(*at) || at->facts().is_control_flow() || seen.size() > kMaxNodes)
      return true;
    if (has_control_flow_ && !at->control_inputs().empty()) return true;
    const auto visit = [&](const Node* input) {
      if (!has_control_flow_ && !DependsOnState(input)) return;
      if (seen.insert(input).second) to_visit.push_back(input);
    };
    for (const Output& input : at->inputs()) visit(input.node);
    for (const Node* input : at->control_inputs()) visit(input);
  }
  return false;
}

bool GraphEditor::Bypass(Node* node, const Output& value) {
  if (IsKept(node) || UsesOf(node).empty() || !node->control_inputs().empty()) {
    return false;
  }
  if (node->device() != value.node->device()) return false;
  if (NeedsOthersBesides(node, value.node)) return false;
  const bool is_waited_for =
      std::ranges::any_of(UsesOf(node), [](const Use& use) { return use.is_control(); });
  // The output of a Switch may be dead, the Switch itself is not: waiting for it does not
  // tell which branch is taken.
  if (is_waited_for && value.node->facts().is_control_flow()) return false;

  if (!MoveDataUses(node->output(0), value)) return false;
  WaitForInstead(node, value.node);
  CountChange("is not needed", *node);
  RemoveIfUseless(node->id());
  return true;
}

Node* GraphEditor::Replace(Node* node, NodeSpec spec) {
  if (IsKept(node)) return nullptr;
  const std::string name = node->name();
  spec.name = StrCat(name, "_rewritten");
  spec.device = node->device();
  spec.origin = node->origin();
  spec.control_inputs.insert(spec.control_inputs.end(), node->control_inputs().begin(),
                             node->control_inputs().end());
  Node* successor = nullptr;
  try {
    successor = Add(std::move(spec));
    for (int i = 0; i < node->num_outputs(); ++i) {
      graph().MergeOutputShape(successor->output(i), node->output_shape(i));
    }
  } catch (const Error& error) {
    VLOG(2) << pass_ << ": " << node->Describe()
            << " is not replaced: " << error.status().message();
    if (successor != nullptr) Erase(successor);
    return nullptr;
  }
  if (!MoveDataUses({node, kAllOutputs}, {successor, kAllOutputs})) {
    Erase(successor);
    return nullptr;
  }
  WaitForInstead(node, successor);
  CountChange(StrCat("becomes a ", successor->type()), *node);
  Remove(node);
  graph().Rename(successor, name);
  return successor;
}

bool GraphEditor::Merge(Node* duplicate, Node* node) {
  if (IsKept(duplicate)) return false;
  if (!MoveDataUses({duplicate, kAllOutputs}, {node, kAllOutputs})) return false;
  WaitForInstead(duplicate, node);
  CountChange(StrCat("is the same as ", node->Describe()), *duplicate);
  Remove(duplicate);
  return true;
}

}  // namespace minitf
