// FlowMap: following tensors from Switches and Enters.

#include "minitf/graph/flow_map.h"

#include <algorithm>

#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

int DepthOf(const Flow* flow) {
  int depth = 0;
  for (; flow->parent != nullptr; flow = flow->parent) ++depth;
  return depth;
}

Flow* Deeper(Flow* a, Flow* b) { return DepthOf(b) > DepthOf(a) ? b : a; }

bool ComesBack(const Node& node, const Output& input) {
  return node.role() == OpRole::kMerge && input.node->role() == OpRole::kNextIteration;
}

}  // namespace

bool IsWithin(const Flow* inner, const Flow* outer) {
  while (inner != nullptr && inner != outer) inner = inner->parent;
  return inner == outer;
}

Flow* CommonFlow(Flow* a, Flow* b) {
  while (!IsWithin(b, a)) a = a->parent;
  return a;
}

Flow* LoopAround(Flow* flow) {
  while (flow != nullptr && !flow->is_loop()) flow = flow->parent;
  return flow;
}

bool IsLoopConstant(const Output& output) {
  return output.node->role() == OpRole::kEnter &&
         output.node->attrs().Get<bool>("is_constant");
}

Output WithoutIdentity(Output value) {
  while (value.node->type() == "Identity") value = value.node->inputs()[0];
  return value;
}

Output StackOf(Output handle) {
  while (handle.node->type() != "StackV2" && !handle.node->inputs().empty()) {
    handle = handle.node->inputs()[0];
  }
  return handle;
}

bool IsStack(const Output& handle) {
  return handle.dtype() == DType::kResource && StackOf(handle).node->type() == "StackV2";
}

bool IsLoopSwitch(const Node& node) {
  return node.role() == OpRole::kSwitch &&
         WithoutIdentity(node.inputs()[1]).node->role() == OpRole::kLoopCond;
}

bool IsLoopMerge(const Node& node) {
  return node.role() == OpRole::kMerge &&
         std::ranges::any_of(node.inputs(), [](const Output& input) {
           return input.node->role() == OpRole::kEnter ||
                  input.node->role() == OpRole::kNextIteration;
         });
}

bool FlowMap::Has(const std::vector<Node*>& nodes) {
  return std::ranges::any_of(nodes, [](const Node* node) {
    return node->role() == OpRole::kSwitch || node->role() == OpRole::kMerge ||
           node->role() == OpRole::kEnter;
  });
}

Flow* FlowMap::Of(Node* node) {
  const auto known = [this](const Node* other) {
    const auto id = static_cast<size_t>(other->id());
    return id < of_nodes_.size() ? of_nodes_[id] : nullptr;
  };
  if (Flow* flow = known(node)) return flow;
  of_nodes_.resize(node->graph().num_nodes());
  const auto is_known = [&](const Node* other) { return known(other) != nullptr; };
  const bool is_new = std::ranges::all_of(node->inputs(), [&](const Output& input) {
    return is_known(input.node) || ComesBack(*node, input);
  });
  if (is_new && std::ranges::all_of(node->control_inputs(), is_known)) {
    return of_nodes_[node->id()] = Derive(node);
  }
  for (Node* other : TopologicalOrder(Ancestors({node}, {}))) {
    if (!is_known(other)) of_nodes_[other->id()] = Derive(other);
  }
  return of_nodes_[node->id()];
}

Flow* FlowMap::Of(const Output& output) {
  Node* node = output.node;
  if (node->role() != OpRole::kSwitch) return After(node);
  Flow* around = Of(node);
  const Output pred = WithoutIdentity(node->inputs()[1]);
  if (pred.node->role() != OpRole::kLoopCond) return Branch(around, pred, output.index);
  return output.index == 0 ? around : LoopAround(around)->body;
}

Flow* FlowMap::After(Node* node) {
  if (node->role() == OpRole::kEnter) {
    Of(node);  // notes the loop
    return LoopOf(node);
  }
  if (node->role() != OpRole::kExit) return Of(node);
  const Flow* loop = LoopAround(Of(node));
  Require(loop != nullptr, "the node ", node->Describe(), " is in no loop");
  return loop->parent;
}

Flow* FlowMap::Branch(Flow* parent, const Output& pred, int branch) {
  const Output source = WithoutIdentity(pred);
  Flow*& flow = branches_[{parent, source.node->id(), source.index, branch}];
  if (flow == nullptr) {
    flow = &flows_.emplace_back();
    flow->kind = Flow::Kind::kBranch;
    flow->parent = parent;
    flow->pred = pred;
    flow->branch = branch;
  }
  return flow;
}

// All Enters of one name that come from within one loop begin the same loop. That is in
// the deepest flow from which one of them comes.
Flow* FlowMap::LoopOf(Node* enter) {
  Flow* around = of_nodes_[enter->id()];
  Flow*& loop =
      loops_[{LoopAround(around), enter->attrs().Get<std::string>("frame_name")}];
  if (loop == nullptr) {
    loop = &flows_.emplace_back();
    loop->kind = Flow::Kind::kLoop;
    loop->parent = around;
    loop->enter = enter;
    loop->body = &flows_.emplace_back();
    loop->body->kind = Flow::Kind::kBody;
    loop->body->parent = loop;
  }
  loop->parent = Deeper(loop->parent, around);
  if (enter->id() < loop->enter->id()) loop->enter = enter;
  return loop;
}

Flow* FlowMap::CommonOfInputs(const Node& node) {
  Flow* common = nullptr;
  const auto look_at = [&common](Flow* flow) {
    common = common == nullptr ? flow : CommonFlow(common, flow);
  };
  for (const Output& input : node.inputs()) {
    if (!ComesBack(node, input)) look_at(Of(input));
  }
  if (node.inputs().empty()) {
    for (Node* input : node.control_inputs()) look_at(After(input));
  }
  return common == nullptr ? root() : common;
}

// Requires: what the node needs is known, but for what comes back from a NextIteration.
Flow* FlowMap::Derive(Node* node) {
  if (node->role() == OpRole::kMerge || node->role() == OpRole::kControlTrigger) {
    Flow* common = CommonOfInputs(*node);
    of_nodes_[node->id()] = common;
    NoteVariable(node);
    return common;
  }
  Flow* flow = root();
  for (const Output& input : node->inputs()) flow = Deeper(flow, Of(input));
  for (Node* input : node->control_inputs()) flow = Deeper(flow, After(input));
  of_nodes_[node->id()] = flow;
  if (node->role() == OpRole::kEnter) LoopOf(node);
  NoteVariable(node);
  return flow;
}

void FlowMap::NoteVariable(Node* node) {
  Flow* loop = LoopAround(of_nodes_[node->id()]);
  if (loop == nullptr) return;
  const auto variable_of = [loop](const Node* merge) {
    return std::ranges::find(loop->variables, merge, &LoopVariable::merge);
  };
  if (IsLoopMerge(*node)) {
    loop->variables.push_back({node});
  } else if (IsLoopSwitch(*node)) {
    loop->body->pred = node->inputs()[1];
    const auto variable = variable_of(node->inputs()[0].node);
    if (variable != loop->variables.end()) variable->loop_switch = node;
  } else if (node->role() == OpRole::kExit &&
             node->inputs()[0].node->role() == OpRole::kSwitch) {
    const Node* merge = node->inputs()[0].node->inputs()[0].node;
    const auto variable = variable_of(merge);
    if (variable != loop->variables.end()) variable->exit = node;
  }
}

}  // namespace minitf
