// GradientProgram: nodes put in order, loops put together.

#include "minitf/graph/gradients/gradient_program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_set>

#include "minitf/graph/gradients/graph_emitter.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

// All outputs that depend on some x, the xs included. Loops are gone through until
// nothing is added; what is pushed on a stack comes off it again.
OutputSet DependOnXs(const std::vector<Node*>& nodes, const ProgramRequest& request) {
  OutputSet found;
  OutputSet stopped;
  for (const Output& output : request.stopped) stopped.Insert(output);
  bool is_growing = true;
  const auto add = [&](const Output& output) {
    if (!IsDifferentiable(output.dtype()) || found.Contains(output)) return;
    found.Insert(output);
    is_growing = true;
  };
  const auto is_found = [&](const Output& output) { return found.Contains(output); };
  for (const Output& x : request.xs) add(x);
  while (std::exchange(is_growing, false)) {
    for (Node* node : nodes) {
      if (!std::ranges::any_of(node->inputs(), is_found)) continue;
      for (int i = 0; i < node->num_outputs(); ++i) {
        if (!stopped.Contains(node->output(i))) add(node->output(i));
      }
      if (node->type() == "StackPushV2" && is_found(node->inputs()[1])) {
        add(StackOf(node->inputs()[0]));
      }
    }
  }
  return found;
}

// Those of `dependent` on which some y depends.
OutputSet NeededForYs(const OutputSet& dependent, const std::vector<Node*>& nodes,
                      const ProgramRequest& request) {
  OutputSet found;
  std::vector<Output> to_visit = request.ys;
  for (const Node* push : request.pushes) to_visit.push_back(push->inputs()[1]);
  while (!to_visit.empty()) {
    const Output output = to_visit.back();
    to_visit.pop_back();
    if (!dependent.Contains(output) || found.Contains(output)) continue;
    found.Insert(output);
    for (const Output& input : output.node->inputs()) to_visit.push_back(input);
    if (output.node->type() != "StackV2") continue;
    for (const Node* node : nodes) {
      if (node->type() == "StackPushV2" && StackOf(node->inputs()[0]) == output) {
        to_visit.push_back(node->inputs()[1]);
      }
    }
  }
  return found;
}

OutputSet BetweenXsAndYs(const std::vector<Node*>& nodes, const ProgramRequest& request) {
  return NeededForYs(DependOnXs(nodes, request), nodes, request);
}

// Numbers 0, 1, ... of `inputs`, each after those that it lists; of two that may come in
// either order, the smaller first.
std::vector<int> Sorted(const std::vector<std::vector<int>>& inputs) {
  std::vector<std::vector<int>> consumers(inputs.size());
  std::vector<size_t> pending(inputs.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < inputs.size(); ++i) {
    pending[i] = inputs[i].size();
    for (const int input : inputs[i]) consumers[input].push_back(static_cast<int>(i));
    if (inputs[i].empty()) ready.push(static_cast<int>(i));
  }
  std::vector<int> order;
  for (; !ready.empty();) {
    order.push_back(ready.top());
    ready.pop();
    for (const int consumer : consumers[order.back()]) {
      if (--pending[consumer] == 0) ready.push(consumer);
    }
  }
  Require(order.size() == inputs.size(),
          "a loop needs what is made from its own result: its gradient has no order");
  return order;
}

// What the gradient of a later loop has pushed for each of its pops comes off again here,
// for the pushes that those were for.
std::vector<Value> StackPushGrad(const GradientContext& ctx) {
  auto& emitter = dynamic_cast<GraphEmitter&>(ctx.emitter);
  return {emitter.ValueOf(
      emitter.flow()->Pop(emitter.OutputOf(ctx.dy[0]), emitter.OutputOf(ctx.inputs[0])))};
}

// Of the Switch of a variable, in an iteration: only what goes into the body counts.
std::vector<Value> LoopSwitchGrad(const GradientContext& ctx) {
  return {ctx.dy[1], Value::None()};
}

}  // namespace

GradientProgram::GradientProgram(const ProgramRequest& request,
                                 LoopGradientFn loop_gradient, GraphEmitter* emitter)
    : request_(request), loop_gradient_(std::move(loop_gradient)), emitter_(emitter) {
  if (request.is_iteration) {
    const std::vector<Node*> nodes = NodesOfIteration();
    between_ = BetweenXsAndYs(nodes, request);
    for (const Unit& unit : UnitsOf(nodes)) AddLoop(unit);
    return;
  }
  std::vector<Node*> targets;
  for (const Output& y : request.ys) targets.push_back(y.node);
  const std::vector<Node*> nodes = TopologicalOrder(Ancestors(targets, {}));
  if (emitter->flow() == nullptr) {
    for (Node* node : nodes) AddCall(node);
    return;
  }
  between_ = BetweenXsAndYs(nodes, request);
  RequireReachable(request.ys);
  RequireReachable(request.xs);
  for (const Unit& unit : UnitsOf(nodes)) AddLoop(unit);
}

// Throws InvalidArgument if a gradient would start or end inside of a loop that the
// caller is not in.
void GradientProgram::RequireReachable(const std::vector<Output>& ends) const {
  for (const Output& end : ends) {
    if (!between_.Contains(end)) continue;
    const Flow* loop = LoopAround(emitter_->flow()->flows().Of(end));
    Require(loop == nullptr || IsWithin(request_.within, loop), "Cannot use '",
            end.node->name(), "' in a gradient because '", end.node->name(),
            "' is in a while loop.");
  }
}

// What an iteration makes from its Merges and from what enters the loop, up to the ys.
std::vector<Node*> GradientProgram::NodesOfIteration() const {
  FlowMap& flows = emitter_->flow()->flows();
  const Flow* loop = LoopAround(request_.within);
  std::vector<Node*> found;
  std::unordered_set<Node*> seen;
  std::vector<Node*> to_visit;
  for (const Output& y : request_.ys) to_visit.push_back(y.node);
  to_visit.insert(to_visit.end(), request_.pushes.begin(), request_.pushes.end());
  while (!to_visit.empty()) {
    Node* node = to_visit.back();
    to_visit.pop_back();
    if (!seen.insert(node).second) continue;
    const Flow* flow = flows.Of(node);
    const bool is_start = IsLoopMerge(*node) && flow == loop;
    if (is_start || !IsWithin(flow, loop)) continue;
    found.push_back(node);
    for (const Output& input : node->inputs()) to_visit.push_back(input.node);
  }
  std::ranges::sort(found, {}, &Node::id);
  return TopologicalOrder(found);
}

// The outermost of the loops around `node` that is itself within the program; or null.
Flow* GradientProgram::LoopWithin(Node* node) const {
  FlowMap& flows = emitter_->flow()->flows();
  Flow* flow = node->role() == OpRole::kEnter ? flows.After(node) : flows.Of(node);
  Flow* outermost = nullptr;
  for (Flow* loop = LoopAround(flow); loop != nullptr; loop = LoopAround(loop->parent)) {
    if (!IsWithin(request_.within, loop)) outermost = loop;
  }
  return outermost;
}

// Loops put together, in an order in which they and the nodes around them can run.
std::vector<GradientProgram::Unit> GradientProgram::UnitsOf(
    const std::vector<Node*>& nodes) const {
  std::vector<Unit> units;
  std::map<const Flow*, int> of_loops;
  std::map<const Node*, int> of_nodes;
  for (Node* node : nodes) {
    Flow* loop = LoopWithin(node);
    int number = static_cast<int>(units.size());
    if (loop != nullptr) number = of_loops.try_emplace(loop, number).first->second;
    if (number == static_cast<int>(units.size())) units.push_back({loop, {}});
    units[number].nodes.push_back(node);
    of_nodes[node] = number;
  }
  if (of_loops.empty()) return units;

  std::vector<std::vector<int>> inputs(units.size());
  for (const Node* node : nodes) {
    const int number = of_nodes.at(node);
    const auto note = [&](const Node* input) {
      const auto found = of_nodes.find(input);
      if (found == of_nodes.end() || found->second == number) return;
      inputs[number].push_back(found->second);
    };
    for (const Output& input : node->inputs()) note(input.node);
    for (const Node* input : node->control_inputs()) note(input);
  }
  std::vector<Unit> ordered;
  for (const int number : Sorted(inputs)) ordered.push_back(std::move(units[number]));
  return ordered;
}

// A push has the stack for its result: what comes off the stack depends on it.
void GradientProgram::AddPush(Node* node) {
  static const GradientFn stack_push = StackPushGrad;
  calls_.push_back({&node->op(),
                    &node->attrs(),
                    {emitter_->ValueOf(node->inputs()[1])},
                    {emitter_->ValueOf(StackOf(node->inputs()[0]))},
                    node->name(),
                    &stack_push});
}

void GradientProgram::AddCall(Node* node) {
  static const GradientFn loop_switch = LoopSwitchGrad;
  if (std::ranges::count(request_.pushes, node) > 0) return AddPush(node);
  OpRecord record{&node->op(), &node->attrs(), {}, {}, node->name()};
  record.inputs.reserve(node->inputs().size());
  record.outputs.reserve(node->num_outputs());
  for (const Output input : node->inputs()) {
    record.inputs.push_back(emitter_->ValueOf(input));
  }
  for (int i = 0; i < node->num_outputs(); ++i) {
    record.outputs.push_back(emitter_->ValueOf(node->output(i)));
  }
  if (request_.is_iteration && IsLoopSwitch(*node)) record.gradient = &loop_switch;
  calls_.push_back(std::move(record));
}

void GradientProgram::AddLoop(const Unit& unit) {
  if (unit.loop == nullptr) {
    for (Node* node : unit.nodes) AddCall(node);
    return;
  }
  LoopCall& call = loops_.emplace_back();
  call.loop = unit.loop;
  call.between = &between_;
  call.stopped = request_.stopped;
  OpRecord record;
  FlowMap& flows = emitter_->flow()->flows();
  for (Node* node : unit.nodes) {
    if (node->role() == OpRole::kEnter && flows.After(node) == unit.loop &&
        between_.Contains(node->inputs()[0])) {
      call.enters.push_back(node);
      record.inputs.push_back(emitter_->ValueOf(node->inputs()[0]));
    }
    if (node->role() == OpRole::kExit && LoopAround(flows.Of(node)) == unit.loop &&
        between_.Contains(node->output(0))) {
      call.exits.push_back(node);
      record.outputs.push_back(emitter_->ValueOf(node->output(0)));
    }
  }
  for (Node* node : unit.nodes) {
    // A later loop that takes from the stack depends on what this one puts there.
    if (node->type() != "StackPushV2" || !between_.Contains(node->inputs()[1])) continue;
    call.pushes.push_back(node);
    record.outputs.push_back(emitter_->ValueOf(StackOf(node->inputs()[0])));
  }
  if (record.inputs.empty() || record.outputs.empty()) return;

  const Node* named = call.exits.empty() ? unit.loop->enter : call.exits.front();
  record.op = &named->op();
  record.attrs = &named->attrs();
  record.node_name = named->name();
  gradients_.push_back(
      [this, &call](const GradientContext& ctx) { return loop_gradient_(call, ctx); });
  record.gradient = &gradients_.back();
  calls_.push_back(std::move(record));
}

}  // namespace minitf
