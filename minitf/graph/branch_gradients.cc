// Gradients of Switch and Merge: the one is the other, backwards. And of what stands in
// the body of a loop.
//
//   forward    x -> Switch -> branch -> Merge -> y        pred decides
//   backward   dx <- Merge <- branch <- Switch <- dy      the same pred decides
//
// A branch that does not use x has no gradient for it. In its place come zeros, through a
// Switch, so that they are there just if that branch is taken.
//
// Compare    tensorflow/python/ops/control_flow_grad.py
// Read next  minitf/graph/loop_gradient.h

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/graph/backward_flow.h"
#include "minitf/graph/graph_gradients.h"

namespace minitf {
namespace {

Error NoGradient(const GradientContext& ctx) {
  return Error(errors::Unimplemented(
      "there is no gradient within one turn of a loop of what comes from the turns "
      "before: node '",
      ctx.node_name, "' (", ctx.op.name, ")"));
}

// The emitter of `ctx`, which is that of a graph.
GraphEmitter& EmitterOf(const GradientContext& ctx) {
  auto* emitter = dynamic_cast<GraphEmitter*>(&ctx.emitter);
  if (emitter != nullptr && emitter->flow() != nullptr) return *emitter;
  throw Error(errors::Unimplemented("the gradient of ", ctx.op.name,
                                    " is for nodes of a graph only"));
}

// `dy` as one tensor. Slices are made dense in the branch in which `output` of the
// present node is used.
Output DenseIn(const Output& output, const GradientContext& ctx, Value dy,
               GraphEmitter& emitter) {
  if (emitter.FindSlices(dy) == nullptr) return emitter.OutputOf(dy);
  emitter.BeginSumFor(emitter.ValueOf(output));
  const Output dense = emitter.DenseOutputOf(dy);
  emitter.BeginGradientOf(ctx.node_name);
  return dense;
}

std::vector<Value> SwitchGrad(const GradientContext& ctx) {
  GraphEmitter& emitter = EmitterOf(ctx);
  BackwardFlow& flow = *emitter.flow();
  Node* node = emitter.graph().FindNode(ctx.node_name);
  if (IsLoopSwitch(*node)) throw NoGradient(ctx);
  if (const Output x = node->inputs()[0]; IsStack(x)) {
    // Both branches push on one stack of gradients.
    return {emitter.ValueOf(flow.GradientStackOf(StackOf(x))), Value::None()};
  }

  const DType dtype = ctx.emitter.dtype(ctx.dy[ctx.dy[0].is_none() ? 1 : 0]);
  std::vector<Output> merged;
  for (int i = 0; i < 2; ++i) {
    Flow* branch = flow.flows().Of(node->output(i));
    if (IsWithin(flow.top(), branch)) return {ctx.dy[i], Value::None()};
    const Output dy = ctx.dy[i].is_none()
                          ? flow.ZerosLike(node->inputs()[0], dtype, flow.present())
                          : DenseIn(node->output(i), ctx, ctx.dy[i], emitter);
    merged.push_back(flow.Reach(dy, flow.Mirror(branch)));
  }
  Node* merge = flow.AddAsItIs("Merge", merged, flow.present());
  return {emitter.ValueOf(merge->output(0)), Value::None()};
}
REGISTER_GRADIENT("Switch", SwitchGrad);

// The branch of those around which `merge` stands that `input` comes from; or null.
Flow* BranchOf(const Output& input, Node* merge, FlowMap* flows) {
  const Flow* around = flows->Of(merge);
  Flow* flow = flows->Of(input);
  while (flow != around && flow->parent != around) flow = flow->parent;
  return flow->kind == Flow::Kind::kBranch ? flow : nullptr;
}

std::vector<Value> MergeGrad(const GradientContext& ctx) {
  GraphEmitter& emitter = EmitterOf(ctx);
  BackwardFlow& flow = *emitter.flow();
  Node* node = emitter.graph().FindNode(ctx.node_name);
  if (IsLoopMerge(*node)) throw NoGradient(ctx);

  const Output dy = emitter.DenseOutputOf(ctx.dy[0]);
  std::vector<Value> gradients;
  for (const Output& input : node->inputs()) {
    Flow* branch = BranchOf(input, node, &flow.flows());
    if (branch == nullptr || branch == flow.flows().Of(node)) {
      // Not the end of a branch: the Merge itself says which input it took.
      const auto number = static_cast<int32_t>(gradients.size());
      const Output index = flow.Constant(Tensor::Scalar(number), flow.present());
      Node* is_it = flow.Add("Equal", {node->output(1), index}, flow.present());
      Node* taken = flow.Add("Switch", {dy, is_it->output(0)}, flow.present());
      gradients.push_back(emitter.ValueOf(taken->output(1)));
    } else {
      gradients.push_back(emitter.ValueOf(flow.Reach(dy, flow.Mirror(branch))));
    }
  }
  return gradients;
}
REGISTER_GRADIENT("Merge", MergeGrad);

// Within a turn, what enters the loop is what it is outside.
std::vector<Value> EnterGrad(const GradientContext& ctx) {
  if (!ctx.attr<bool>("is_constant")) throw NoGradient(ctx);
  return {ctx.dy[0]};
}
REGISTER_GRADIENT("Enter", EnterGrad);

// What is popped has been pushed by an earlier loop, whose gradient comes later and takes
// this from a stack of gradients.
std::vector<Value> StackPopGrad(const GradientContext& ctx) {
  GraphEmitter& emitter = EmitterOf(ctx);
  const Output stack = StackOf(emitter.OutputOf(ctx.inputs[0]));
  const Output dy = emitter.DenseOutputOf(ctx.dy[0]);
  return {emitter.ValueOf(emitter.flow()->PushGradient(stack, dy))};
}
REGISTER_GRADIENT("StackPopV2", StackPopGrad);

std::vector<Value> LoopGrad(const GradientContext& ctx) { throw NoGradient(ctx); }
REGISTER_GRADIENT("Exit", LoopGrad);
REGISTER_GRADIENT("NextIteration", LoopGrad);

}  // namespace
}  // namespace minitf
