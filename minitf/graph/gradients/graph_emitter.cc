// GraphEmitter: names, devices and flows of the nodes that it adds.

#include "minitf/graph/gradients/graph_emitter.h"

#include <utility>

#include "minitf/base/status.h"

namespace minitf {

// In a loop, nodes go to the device of its Enter. Elsewhere they go where the caller has
// them, or beside the node whose gradient they are.
Node* GraphEmitter::AddNode(NodeSpec spec, Flow* flow) {
  if (spec.name.empty()) spec.name = current_scope_ + '/' + spec.op;
  const Flow* loop = LoopAround(flow);
  spec.device = loop == nullptr ? placement_.device : loop->enter->device();
  if (forward_ != nullptr && loop == nullptr) {
    const AttrValue* classes = forward_->attrs().Find("_class");
    const std::vector<std::string> own = {"loc:@" + forward_->name()};
    spec.attrs.Set("_class", classes == nullptr ? AttrValue(own) : *classes);
    spec.device = forward_->device();
  }
  return graph_->AddNode(std::move(spec));
}

void GraphEmitter::FollowFlows() {
  flow_ = std::make_unique<BackwardFlow>(
      placement_.pivot,
      [this](NodeSpec spec, Flow* flow) { return AddNode(std::move(spec), flow); });
}

Node* GraphEmitter::AddToPresentFlow(NodeSpec spec) {
  if (flow_ == nullptr) return AddNode(std::move(spec), nullptr);
  if (Node* node = AddToForwardFlow(&spec)) return node;
  return flow_->Add(std::move(spec), flow_->present());
}

// What depends on the shape of a forward tensor alone is worked out in the forward
// iteration, so that no stack has to keep the tensor. Null for all other nodes.
Node* GraphEmitter::AddToForwardFlow(NodeSpec* spec) {
  if (!FindOp(spec->op).facts.reads_shapes_only) return nullptr;
  const Output& x = spec->inputs[0];
  if (!flow_->NeedsStack(x)) return nullptr;
  return flow_->Add(std::move(*spec), flow_->flows().Of(x));
}

Value GraphEmitter::ValueOf(Output output) {
  const int64_t place = int64_t{output.node->id()} << 32 | output.index;
  const auto [found, is_new] = ids_.try_emplace(place, std::ssize(outputs_));
  if (is_new) outputs_.push_back(output);
  return {found->second};
}

Output GraphEmitter::OutputOf(Value value) const {
  const auto count = static_cast<int64_t>(outputs_.size());
  Require(!value.is_none(), "none is used where a value belongs");
  Require(value.id < count, "value ", value.id, " is used, and the last is ", count - 1);
  return outputs_[value.id];
}

std::vector<Value> GraphEmitter::EmitCall(std::string_view op,
                                          const std::vector<Value>& inputs, Attrs attrs) {
  NodeSpec spec;
  spec.op = op;
  for (const Value input : inputs) spec.inputs.push_back(OutputOf(input));
  spec.attrs = std::move(attrs);
  Node* node = AddToPresentFlow(std::move(spec));
  std::vector<Value> outputs;
  for (int i = 0; i < node->num_outputs(); ++i) {
    outputs.push_back(ValueOf(node->output(i)));
  }
  return outputs;
}

Value GraphEmitter::Constant(const Tensor& value) {
  NodeSpec spec;
  spec.op = "Const";
  spec.attrs = {{"value", value}, {"dtype", value.dtype()}};
  return ValueOf(AddToPresentFlow(std::move(spec))->output(0));
}

std::optional<Tensor> GraphEmitter::ConstantOf(Value value) const {
  return graph_->ConstantValue(OutputOf(value));
}

void GraphEmitter::EnterGradientOf(std::string_view name) {
  current_scope_ = scope_;  // no StrCat, whose stream takes a quarter of the time
  if (!name.empty()) current_scope_.append("/").append(name).append("_grad");
  Node* node =
      flow_ != nullptr || placement_.beside_forward ? graph_->FindNode(name) : nullptr;
  forward_ = placement_.beside_forward ? node : nullptr;
  if (flow_ == nullptr || node == nullptr) return;
  // A loop whose only results are stacks has the name of one of its Enters.
  FlowMap& flows = flow_->flows();
  flow_->MoveTo(node->role() == OpRole::kEnter ? flows.Of(node) : flows.After(node));
}

void GraphEmitter::EnterSumFor(Value value) {
  if (flow_ != nullptr) flow_->MoveTo(flow_->flows().Of(OutputOf(value)));
}

}  // namespace minitf
