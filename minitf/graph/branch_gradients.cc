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
#include "minitf/graph/graph_emitter.h"

namespace minitf {
namespace {

Error NoGradient(const GradientContext& ctx) {
  return Error(
      errors::Unimplemented("there is no gradient within one iteration of a loop of what "
                            "comes from the iterations "
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

// Slices of no rows, of the shape and type of `x`, with indices and a shape of the types
// that those of `like` have.
IndexedSlices NoRows(const GradientContext& ctx, GraphEmitter& emitter, const Output& x,
                     const IndexedSlices& like) {
  BackwardFlow& flow = *emitter.flow();
  const DType dtype = emitter.dtype(like.values);
  const Value zeros = emitter.ValueOf(flow.ZerosLike(x, dtype, flow.present()));
  const Value begin = emitter.Constant(Tensor::Of<int32_t>({1}, {0}));
  const Value step = emitter.Constant(Tensor::Of<int32_t>({1}, {1}));
  return {ctx.Call("StridedSlice", {zeros, begin, begin, step}),
          emitter.Constant(Tensor(emitter.dtype(like.indices), Shape({0}))),
          ctx.Call("Shape", {zeros}, {{"out_type", emitter.dtype(like.dense_shape)}})};
}

// The gradient of a Switch whose branches have slices, or one of them has none: slices
// again, those of the branch that is taken. None if that is not how it is.
Value MergedSlices(const GradientContext& ctx, Node* node, GraphEmitter& emitter) {
  BackwardFlow& flow = *emitter.flow();
  const IndexedSlices* some = emitter.FindSlices(ctx.dy[0]);
  if (some == nullptr) some = emitter.FindSlices(ctx.dy[1]);
  if (some == nullptr) return Value::None();
  const IndexedSlices like = *some;
  for (const Value dy : ctx.dy) {
    const IndexedSlices* own = emitter.FindSlices(dy);
    if (own == nullptr && dy.is_none()) continue;
    if (own == nullptr || emitter.dtype(own->indices) != emitter.dtype(like.indices) ||
        emitter.dtype(own->dense_shape) != emitter.dtype(like.dense_shape)) {
      return Value::None();
    }
  }
  std::vector<Output> values, indices, shapes;
  for (int i = 0; i < 2; ++i) {
    const IndexedSlices* own = emitter.FindSlices(ctx.dy[i]);
    const IndexedSlices slices =
        own != nullptr ? *own : NoRows(ctx, emitter, node->inputs()[0], like);
    Flow* branch = flow.Mirror(flow.flows().Of(node->output(i)));
    values.push_back(flow.Reach(emitter.OutputOf(slices.values), branch));
    indices.push_back(flow.Reach(emitter.OutputOf(slices.indices), branch));
    shapes.push_back(flow.Reach(emitter.OutputOf(slices.dense_shape), branch));
  }
  const auto merged = [&](const std::vector<Output>& parts) {
    return emitter.ValueOf(flow.AddAsItIs("Merge", parts, flow.present())->output(0));
  };
  const auto known = emitter.KnownValue(like.dense_shape);
  return emitter.Slices({merged(values), merged(indices),
                         known ? emitter.Constant(*known) : merged(shapes)});
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

  for (int i = 0; i < 2; ++i) {
    if (IsWithin(flow.top(), flow.flows().Of(node->output(i)))) {
      return {ctx.dy[i], Value::None()};
    }
  }
  if (const Value slices = MergedSlices(ctx, node, emitter); !slices.is_none()) {
    return {slices, Value::None()};
  }
  const DType dtype = ctx.emitter.dtype(ctx.dy[ctx.dy[0].is_none() ? 1 : 0]);
  std::vector<Output> merged;
  for (int i = 0; i < 2; ++i) {
    Flow* branch = flow.flows().Of(node->output(i));
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

// Within an iteration, what enters the loop is what it is outside.
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
