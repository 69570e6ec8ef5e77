// BackwardFlow: Switches, Enters and stacks for what a gradient takes.

#include "minitf/graph/backward_flow.h"

#include <algorithm>

namespace minitf {
namespace {

// The value before Identities and the Switches of branches, which change nothing in it.
Output SourceOf(Output value) {
  while (value.node->type() == "Identity" ||
         (value.node->role() == OpRole::kSwitch && !IsLoopSwitch(*value.node))) {
    value = value.node->inputs()[0];
  }
  return value;
}

std::tuple<const Flow*, int, int> Key(const Flow* flow, const Output& value) {
  return {flow, value.node->id(), value.index};
}

}  // namespace

BackwardFlow::BackwardFlow(Node* pivot, AddNodeFn add_node)
    : add_node_(std::move(add_node)) {
  top_ = pivot == nullptr ? flows_.root() : flows_.After(pivot);
  present_ = top_;
}

Flow* BackwardFlow::Mirror(Flow* forward) {
  if (IsWithin(top_, forward)) return top_;
  Flow* body = forward->is_loop() ? forward->body : forward;
  if (const auto pair = pairs_.find(body); pair != pairs_.end()) {
    return pair->second->backward;
  }
  if (forward->kind == Flow::Kind::kBranch) {
    Flow* around = Mirror(forward->parent);
    if (around == forward->parent) return forward;
    return flows_.Branch(around, Reach(forward->pred, around), forward->branch);
  }
  throw Error(errors::Unimplemented(
      "there is no gradient of what is inside of a loop with respect to what is not: the "
      "loop of the node ",
      LoopAround(forward)->enter->Describe()));
}

// ---- Adding nodes ---------------------------------------------------------------------

Node* BackwardFlow::Insert(NodeSpec spec, Flow* flow) {
  Node* node = add_node_(std::move(spec), flow);
  flows_.Of(node);  // at once, as all its inputs are known
  return node;
}

Node* BackwardFlow::AddAsItIs(std::string_view op, std::vector<Output> inputs,
                              Flow* flow) {
  NodeSpec spec;
  spec.op = op;
  spec.inputs = std::move(inputs);
  return Insert(std::move(spec), flow);
}

Node* BackwardFlow::Add(NodeSpec spec, Flow* flow) {
  for (Output& input : spec.inputs) input = Reach(input, flow);
  if (Node* pivot = PivotFor(spec.inputs, flow)) spec.control_inputs.push_back(pivot);
  return Insert(std::move(spec), flow);
}

Node* BackwardFlow::Add(std::string_view op, std::vector<Output> inputs, Flow* flow,
                        Attrs attrs) {
  NodeSpec spec;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  return Add(std::move(spec), flow);
}

Output BackwardFlow::Constant(const Tensor& value, Flow* flow) {
  return Add("Const", {}, flow, {{"value", value}, {"dtype", value.dtype()}})->output(0);
}

Node* BackwardFlow::PivotFor(const std::vector<Output>& inputs, Flow* flow) {
  const bool comes_with_flow = std::ranges::any_of(inputs, [&](const Output& input) {
    return IsWithin(flows_.Of(input), flow) && !IsLoopConstant(input);
  });
  return comes_with_flow ? nullptr : Pivot(flow);
}

Node* BackwardFlow::Pivot(Flow* flow) {
  if (flow->pivot != nullptr || flow->kind == Flow::Kind::kRoot) return flow->pivot;
  Require(!flow->is_loop() || !flow->variables.empty(), "a loop without variables");
  Output alive;
  switch (flow->kind) {
    case Flow::Kind::kLoop: return flow->pivot = flow->variables.front().merge;
    case Flow::Kind::kBody:
      for (const LoopVariable& variable : flow->parent->variables) {
        if (variable.loop_switch != nullptr) alive = variable.loop_switch->output(1);
      }
      break;
    default: alive = SwitchFor(flow->pred, *flow)->output(flow->branch);
  }
  Require(alive.node != nullptr, "a loop without an iteration");
  return flow->pivot = AddAsItIs("Identity", {alive}, flow);
}

Output BackwardFlow::ZerosLike(Output x, DType dtype, Flow* flow) {
  const bool is_resource = x.dtype() == DType::kResource;
  Output sizes;
  if (!is_resource && x.shape().IsFullyKnown()) {
    const auto& shape = x.shape().sizes();
    const std::vector<int32_t> narrow(shape.begin(), shape.end());
    sizes = Constant(Tensor::Of({static_cast<int64_t>(narrow.size())}, narrow), flow);
  } else if (is_resource) {
    sizes = Add("VariableShape", {x}, flow)->output(0);
  } else {
    // Where x is, so that no stack has to keep x for its shape alone.
    sizes = Add("Shape", {x}, flows_.Of(x))->output(0);
  }
  Output zero = Constant(Tensor::Scalar(0.0F), flow);
  if (dtype != DType::kFloat32) {
    zero = Add("Cast", {zero}, flow, {{"DstT", dtype}})->output(0);
  }
  return Add("Fill", {sizes, zero}, flow)->output(0);
}

// ---- Bringing tensors to where they are needed ----------------------------------------

Output BackwardFlow::Reach(Output value, Flow* into) {
  Flow* home = flows_.Of(value);
  if (home == into) return value;
  if (IsWithin(into, home)) return BringDown(value, home, into);
  if (LoopPair* pair = StackedIn(home, into)) {
    return Reach(FromForward(value, pair), into);
  }
  // It is in a branch that `into` is not in.
  Flow* common = CommonFlow(home, into);
  for (const Flow* flow = home; flow != common; flow = flow->parent) {
    Require(flow->kind == Flow::Kind::kBranch, "the gradient needs '", value.name(),
            "', which is in a loop, where that loop is not differentiated");
  }
  return BringDown(value, common, into);
}

// `value`, which is there in `from`, in `into`, which lies in it.
Output BackwardFlow::BringDown(Output value, Flow* from, Flow* into) {
  if (from == into) return value;
  if (const auto known = brought_.find(Key(into, value)); known != brought_.end()) {
    return known->second;
  }
  Output brought = BringDown(value, from, into->parent);
  if (into->is_loop()) {
    brought = Enter(brought, into, true);
  } else if (into->kind == Flow::Kind::kBranch) {
    brought = SwitchFor(brought, *into)->output(into->branch);
  }
  return brought_[Key(into, value)] = brought;
}

Output BackwardFlow::Enter(Output value, Flow* loop, bool is_constant) {
  const Attrs& attrs = loop->enter->attrs();
  return Add("Enter", {value}, loop->parent,
             {{"frame_name", attrs.Get<std::string>("frame_name")},
              {"is_constant", is_constant},
              {"parallel_iterations", attrs.Get<int64_t>("parallel_iterations")}})
      ->output(0);
}

// The Switch that brings `value` into `branch` and into its counterpart.
Node* BackwardFlow::SwitchFor(Output value, const Flow& branch) {
  Node*& node = switches_[{Key(branch.parent, branch.pred), Key(branch.parent, value)}];
  if (node == nullptr) node = Add("Switch", {value, branch.pred}, branch.parent);
  return node;
}

// The pair of loops in whose forward one `home` is, and in whose backward one `into` is.
LoopPair* BackwardFlow::StackedIn(Flow* home, const Flow* into) {
  for (Flow* flow = home; flow != nullptr; flow = flow->parent) {
    LoopPair* pair = PairAround(flow);
    if (pair == nullptr) return nullptr;
    const bool is_built = pair->backward != nullptr;
    if (is_built && IsWithin(into, pair->backward->parent)) return pair;
    flow = pair->body->parent;
  }
  return nullptr;
}

// The innermost pair of loops in whose forward one `flow` is; null if none.
LoopPair* BackwardFlow::PairAround(Flow* flow) {
  for (Flow* loop = LoopAround(flow); loop != nullptr; loop = LoopAround(loop->parent)) {
    if (const auto pair = pairs_.find(loop->body); pair != pairs_.end()) {
      return pair->second.get();
    }
  }
  return nullptr;
}

bool BackwardFlow::NeedsStack(const Output& value) {
  Flow* home = flows_.Of(value);
  return !IsWithin(present_, home) && StackedIn(home, present_) != nullptr &&
         !IsLoopConstant(SourceOf(value));
}

// `value` of the forward iteration, in some flow from which the backward iteration can be
// reached.
Output BackwardFlow::FromForward(Output value, LoopPair* pair) {
  if (const auto known = popped_.find(Key(pair->body, value)); known != popped_.end()) {
    return known->second;
  }
  const Output source = SourceOf(value);
  Output result;
  if (IsLoopConstant(source)) {
    result = source.node->inputs()[0];
  } else if (source.node->role() == OpRole::kConstant) {
    result = Constant(source.node->attrs().Get<Tensor>("value"),
                      Mirror(pair->body->parent->parent));
  } else {
    result = PushAndPop(WithoutIdentity(value), pair);
  }
  return popped_[Key(pair->body, value)] = result;
}

// ---- Stacks ---------------------------------------------------------------------------

Output BackwardFlow::PushAndPop(Output value, LoopPair* pair) {
  if (const auto known = popped_.find(Key(pair->body, value)); known != popped_.end()) {
    return known->second;
  }
  const Output wanted = value;
  Flow* const loop = pair->body->parent;
  if (flows_.Of(value) == loop) {
    // Of the condition, which runs once more than the body: only what goes on is kept.
    const auto variable =
        std::ranges::find(loop->variables, value.node, &LoopVariable::merge);
    const bool is_variable = variable != loop->variables.end() && value.index == 0;
    value = is_variable && variable->loop_switch != nullptr
                ? variable->loop_switch->output(1)
                : AddAsItIs("Switch", {value, pair->body->pred}, loop)->output(1);
    if (const auto known = popped_.find(Key(pair->body, value)); known != popped_.end()) {
      return known->second;
    }
  }
  Flow* const home = flows_.Of(value);
  for (const Flow* flow = home; flow != pair->body; flow = flow->parent) {
    Require(flow->kind == Flow::Kind::kBranch, "the gradient of a loop needs '",
            value.name(), "', which is in another loop");
  }

  const Output stack = Stack(value.dtype(), *pair);
  Push(stack, value, &pair->forward_iterations, pair->body, home);
  popped_[Key(pair->body, wanted)] = Pop(stack, value, pair, Mirror(home));
  return popped_[Key(pair->body, value)] = popped_[Key(pair->body, wanted)];
}

// Pushes come after the count of their iteration, and before that of the next.
void BackwardFlow::Push(Output stack, Output value, IterationCounter* iterations,
                        Flow* body, Flow* flow) {
  NodeSpec push;
  push.op = "StackPushV2";
  push.inputs = {stack, value};
  push.control_inputs = {iterations->loop_switch};
  LetWait(iterations, Add(std::move(push), flow), body);
}

Output BackwardFlow::Pop(Output stack, Output like, LoopPair* pair, Flow* flow) {
  Node* pop = Add("StackPopV2", {stack}, flow, {{"elem_type", like.dtype()}});
  pop->graph().MergeOutputShape(pop->output(0), like.shape());
  LetWait(&pair->backward_iterations, pop, pair->backward);
  return pop->output(0);
}

// The pair in whose backward loop nodes are being added.
LoopPair& BackwardFlow::PresentPair() {
  const Flow* loop = LoopAround(present_);
  for (auto& [body, pair] : pairs_) {
    if (pair->backward != nullptr && pair->backward->parent == loop) return *pair;
  }
  throw Error(errors::Unimplemented("no gradient of a stack outside of a loop"));
}

Output BackwardFlow::Pop(Output stack, Output like) {
  return Pop(stack, like, &PresentPair(), present_);
}

Output BackwardFlow::PushGradient(Output stack, Output dy) {
  Output& gradients = gradient_stacks_[Key(nullptr, stack)];
  if (gradients.node == nullptr) {
    gradients = NewStack(dy.dtype(), Mirror(flows_.Of(stack)));
  }
  LoopPair& pair = PresentPair();
  Push(gradients, dy, &pair.backward_iterations, pair.backward, present_);
  return gradients;
}

// A new stack, outside of all loops that are being differentiated: the iterations of
// outer loops follow each other in order, forward and backward, and so may share it.
Output BackwardFlow::Stack(DType dtype, const LoopPair& pair) {
  Flow* around = pair.body->parent->parent;
  while (const LoopPair* outer = PairAround(around)) around = outer->body->parent->parent;
  return NewStack(dtype, around);
}

Output BackwardFlow::NewStack(DType dtype, Flow* flow) {
  const Output no_limit = Constant(Tensor::Scalar(int32_t{-1}), flow);
  return Add("StackV2", {no_limit}, flow, {{"elem_type", dtype}})->output(0);
}

// `node`, of an iteration or of a branch of it, is done before the next iteration counts.
void BackwardFlow::LetWait(IterationCounter* iterations, Node* node, Flow* body) {
  Graph& graph = node->graph();
  if (flows_.After(node) == body) return graph.AddControlInput(iterations->next, node);
  if (iterations->trigger == nullptr) {
    iterations->trigger = Add("ControlTrigger", {}, body);
    graph.AddControlInput(iterations->next, iterations->trigger);
  }
  graph.AddControlInput(iterations->trigger, node);
}

// ---- Loops ----------------------------------------------------------------------------

LoopVariable BackwardFlow::AddVariable(Output start, Flow* loop,
                                       const PartialShape& shape) {
  const Output entered = Enter(start, loop, false);
  entered.node->graph().MergeOutputShape(entered, shape);
  LoopVariable variable;
  variable.merge = AddAsItIs("Merge", {entered, entered}, loop);
  if (loop->body->pred.node == nullptr) return variable;
  variable.loop_switch =
      AddAsItIs("Switch", {variable.merge->output(0), loop->body->pred}, loop);
  return variable;
}

void BackwardFlow::CloseVariable(const LoopVariable& variable, Output value, Flow* loop) {
  Node* following = Add("NextIteration", {value}, loop->body);
  following->graph().UpdateInput(variable.merge, 1, following->output(0));
}

LoopPair& BackwardFlow::BeginLoop(Flow* loop) {
  for (const Flow* flow = top_; !IsWithin(loop->parent, flow); flow = flow->parent) {
    Require(flow->kind == Flow::Kind::kBranch,
            "a loop cannot differentiate another: ", "the gradient of the loop of node ",
            loop->enter->Describe(),
            " is asked for in each iteration of a loop that it is not in");
  }
  auto& pair = pairs_[loop->body];
  pair = std::make_unique<LoopPair>();
  pair->body = loop->body;
  CountForward(pair.get());
  CountBackward(pair.get());
  return *pair;
}

void BackwardFlow::EndLoop(LoopPair* pair) {
  // What an outer loop counts next waits until all stacks of this one are empty.
  LoopPair* outer = PairAround(pair->body->parent->parent);
  if (outer == nullptr) return;
  LetWait(&outer->backward_iterations, pair->backward_iterations.total.node,
          outer->backward);
}

// Adds to the forward loop: for (n = 0; ...; ++n).
void BackwardFlow::CountForward(LoopPair* pair) {
  Flow* const loop = pair->body->parent;
  NodeSpec zero;
  zero.op = "Const";
  zero.attrs = {{"value", Tensor::Scalar(int32_t{0})}, {"dtype", DType::kInt32}};
  // The pushes of an inner loop come after those of its former run.
  if (const LoopPair* outer = PairAround(loop->parent)) {
    zero.control_inputs = {outer->forward_iterations.loop_switch};
  }
  const Output start = Add(std::move(zero), loop->parent)->output(0);
  const Output one = Constant(Tensor::Scalar(int32_t{1}), loop->parent);

  IterationCounter& iterations = pair->forward_iterations;
  const LoopVariable count = AddVariable(start, loop, Shape{});
  iterations.loop_switch = count.loop_switch;
  iterations.next = Add("Add", {iterations.loop_switch->output(1), one}, pair->body);
  CloseVariable(count, iterations.next->output(0), loop);
  iterations.total =
      AddAsItIs("Exit", {iterations.loop_switch->output(0)}, loop)->output(0);
}

// A loop that runs as often: for (n = total; n >= 1; --n).
void BackwardFlow::CountBackward(LoopPair* pair) {
  Flow* const forward = pair->body->parent;
  Flow* const around = Mirror(forward->parent);
  const Output total = Reach(pair->forward_iterations.total, around);
  const Attrs& attrs = forward->enter->attrs();
  NodeSpec spec;
  spec.op = "Enter";
  spec.inputs = {total};
  Graph& graph = total.node->graph();
  const std::string& frame = attrs.Get<std::string>("frame_name");
  spec.attrs = {{"frame_name", graph.UniqueName(frame + "_backward")},
                {"parallel_iterations", attrs.Get<int64_t>("parallel_iterations")}};
  if (Node* pivot = PivotFor({total}, around)) spec.control_inputs = {pivot};
  Node* enter = Insert(std::move(spec), around);
  Flow* const loop = flows_.Of(enter->output(0));
  pair->backward = loop->body;

  IterationCounter& iterations = pair->backward_iterations;
  const Output one = Reach(Constant(Tensor::Scalar(int32_t{1}), around), loop);
  Node* count = AddAsItIs("Merge", {enter->output(0), enter->output(0)}, loop);
  Node* goes_on = AddAsItIs("GreaterEqual", {count->output(0), one}, loop);
  loop->body->pred = AddAsItIs("LoopCond", {goes_on->output(0)}, loop)->output(0);
  iterations.loop_switch =
      AddAsItIs("Switch", {count->output(0), loop->body->pred}, loop);
  loop->body->pivot =
      AddAsItIs("Identity", {iterations.loop_switch->output(1)}, loop->body);
  iterations.next = Add("Sub", {iterations.loop_switch->output(1), one}, loop->body);
  CloseVariable({count}, iterations.next->output(0), loop);
  iterations.total =
      AddAsItIs("Exit", {iterations.loop_switch->output(0)}, loop)->output(0);
}

}  // namespace minitf
