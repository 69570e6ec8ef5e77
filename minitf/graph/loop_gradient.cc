// GradientOfLoop: the loop, its variables, and the sweep through one iteration.

#include "minitf/graph/loop_gradient.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "minitf/gradients/add_gradients.h"
#include "minitf/graph/backward_flow.h"
#include "minitf/graph/graph_emitter.h"

namespace minitf {
namespace {

// A variable of the forward loop that depends on some x, and its gradient.
struct Carried {
  LoopVariable variable;
  LoopVariable gradient;
};

class LoopDifferentiator {
 public:
  LoopDifferentiator(const LoopCall& call, const GradientContext& ctx,
                     GraphEmitter* emitter)
      : call_(call), ctx_(ctx), emitter_(*emitter), flow_(*emitter->flow()) {}

  std::vector<Value> Run() {
    around_ = flow_.present();
    const std::vector<LoopVariable> variables = VariablesThatDepend();
    pair_ = &flow_.BeginLoop(call_.loop);
    backward_ = pair_->backward->parent;
    for (const LoopVariable& variable : variables) Start(variable);
    SweepIteration();
    flow_.EndLoop(pair_);
    flow_.MoveTo(call_.loop->parent);
    std::vector<Value> results;
    for (Node* enter : call_.enters) results.push_back(results_[enter]);
    return results;
  }

 private:
  std::vector<LoopVariable> VariablesThatDepend() const;
  void Start(const LoopVariable& variable);
  void SweepIteration();
  void Close(const Carried& carried, Value dx);
  void Accumulate(Node* enter, Value dx);
  Value Leave(const LoopVariable& variable);

  const LoopCall& call_;
  const GradientContext& ctx_;
  GraphEmitter& emitter_;
  BackwardFlow& flow_;
  Flow* around_ = nullptr;    // where the gradient's loop stands
  Flow* backward_ = nullptr;  // that loop
  LoopPair* pair_ = nullptr;
  std::vector<Carried> carried_;
  std::map<Node*, Value> results_;  // by Enter
};

std::vector<LoopVariable> LoopDifferentiator::VariablesThatDepend() const {
  std::vector<LoopVariable> found;
  for (const LoopVariable& variable : call_.loop->variables) {
    Node* merge = variable.merge;
    if (!call_.between->Contains(merge->output(0))) continue;
    Require(merge->output_type(0) != DType::kResource,
            "no gradient of the loop variable ", merge->Describe(),
            ", which is a resource");
    Require(variable.loop_switch != nullptr && merge->inputs().size() == 2 &&
                merge->inputs()[1].node->role() == OpRole::kNextIteration,
            "no gradient of a loop whose node ", merge->Describe(),
            " is not an Enter and a NextIteration merged");
    found.push_back(variable);
  }
  return found;
}

// The gradient of a variable begins as that of its value after the loop.
void LoopDifferentiator::Start(const LoopVariable& variable) {
  Node* merge = variable.merge;
  Output start;
  for (size_t i = 0; i < call_.exits.size(); ++i) {
    if (call_.exits[i]->inputs()[0].node != variable.loop_switch ||
        ctx_.dy[i].is_none()) {
      continue;
    }
    start = emitter_.DenseOutputOf(ctx_.dy[i]);
  }
  if (start.node == nullptr) {
    Node* exit = variable.exit;
    if (exit == nullptr) {
      exit = flow_.AddAsItIs("Exit", {variable.loop_switch->output(0)}, call_.loop);
      exit->graph().MergeOutputShape(exit->output(0), merge->output_shape(0));
    }
    start = flow_.ZerosLike(exit->output(0), merge->output_type(0), around_);
  }
  carried_.push_back(
      {variable, flow_.AddVariable(start, backward_, merge->output_shape(0))});
}

void LoopDifferentiator::SweepIteration() {
  ProgramRequest iteration;
  iteration.stopped = call_.stopped;
  iteration.within = pair_->body;
  iteration.is_iteration = true;
  GradientRequest request;
  std::vector<Node*> constants;
  for (const Carried& carried : carried_) {
    Node* merge = carried.variable.merge;
    iteration.ys.push_back(merge->inputs()[1].node->inputs()[0]);
    iteration.xs.push_back(merge->output(0));
    request.dys.push_back(emitter_.ValueOf(carried.gradient.loop_switch->output(1)));
  }
  for (Node* enter : call_.enters) {
    if (!IsLoopConstant(enter->output(0))) continue;
    constants.push_back(enter);
    iteration.xs.push_back(enter->output(0));
  }
  for (const Output& y : iteration.ys) request.ys.push_back(emitter_.ValueOf(y));
  for (size_t i = 0; i < call_.pushes.size(); ++i) {
    const Value dy = ctx_.dy[call_.exits.size() + i];
    if (dy.is_none()) continue;
    iteration.pushes.push_back(call_.pushes[i]);
    request.ys.push_back(emitter_.ValueOf(StackOf(call_.pushes[i]->inputs()[0])));
    request.dys.push_back(dy);
  }
  for (const Output& x : iteration.xs) request.xs.push_back(emitter_.ValueOf(x));
  for (const Output& stopped : iteration.stopped) {
    request.stop_gradients.push_back(emitter_.ValueOf(stopped));
  }

  GraphEmitter* const emitter = &emitter_;
  const GradientProgram program(
      iteration,
      [emitter](const LoopCall& inner, const GradientContext& ctx) {
        return GradientOfLoop(inner, ctx, emitter);
      },
      emitter);
  auto dx = AddGradients(program.calls(), request, emitter_);
  for (size_t i = 0; i < dx.size(); ++i) {
    if (emitter_.FindSlices(dx[i]) == nullptr) continue;
    emitter_.BeginSumFor(request.xs[i]);
    dx[i] = emitter_.Dense(dx[i]);
  }
  for (size_t i = 0; i < carried_.size(); ++i) Close(carried_[i], dx[i]);
  for (size_t i = 0; i < constants.size(); ++i) {
    Accumulate(constants[i], dx[carried_.size() + i]);
  }
}

// What an iteration of the backward loop passes on is the gradient with respect to what
// the forward iteration before has made.
void LoopDifferentiator::Close(const Carried& carried, Value dx) {
  Node* merge = carried.variable.merge;
  const Output before = carried.variable.loop_switch->output(1);
  const Output next = dx.is_none()
                          ? flow_.ZerosLike(before, before.dtype(), pair_->backward)
                          : emitter_.OutputOf(dx);
  flow_.CloseVariable(carried.gradient, next, backward_);
  for (const Output& input : merge->inputs()) {
    if (input.node->role() != OpRole::kEnter) continue;
    results_[input.node] = Leave(carried.gradient);
  }
}

// What all iterations take has the sum of their gradients.
void LoopDifferentiator::Accumulate(Node* enter, Value dx) {
  if (dx.is_none()) return;
  const Output term = emitter_.OutputOf(dx);
  if (IsStack(enter->inputs()[0])) {
    // Not a number but a stack of gradients, which is full when the loop is over.
    NodeSpec full;
    full.op = "Identity";
    full.inputs = {flow_.GradientStackOf(StackOf(enter->inputs()[0]))};
    full.control_inputs = {pair_->backward_iterations.total.node};
    results_[enter] = emitter_.ValueOf(flow_.Add(std::move(full), around_)->output(0));
    return;
  }
  const Output zeros = flow_.ZerosLike(enter->inputs()[0], term.dtype(), around_);
  const LoopVariable sum = flow_.AddVariable(zeros, backward_, term.shape());
  const Node* next =
      flow_.Add("Add", {sum.loop_switch->output(1), term}, pair_->backward);
  flow_.CloseVariable(sum, {const_cast<Node*>(next), 0}, backward_);
  results_[enter] = Leave(sum);
}

Value LoopDifferentiator::Leave(const LoopVariable& variable) {
  Node* exit = flow_.AddAsItIs("Exit", {variable.loop_switch->output(0)}, backward_);
  exit->graph().MergeOutputShape(exit->output(0), variable.merge->output_shape(0));
  return emitter_.ValueOf(exit->output(0));
}

}  // namespace

std::vector<Value> GradientOfLoop(const LoopCall& call, const GradientContext& ctx,
                                  GraphEmitter* emitter) {
  return LoopDifferentiator(call, ctx, emitter).Run();
}

}  // namespace minitf
