// GraphEmitter, and the program between xs and ys.

#include "minitf/graph/graph_gradients.h"

#include <utility>

#include "minitf/gradients/add_gradients.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

// The nodes that `ys` need, as a program.
std::vector<OpRecord> ProgramOf(const std::vector<Output>& ys, GraphEmitter* emitter) {
  std::vector<Node*> targets;
  for (const Output y : ys) targets.push_back(y.node);
  std::vector<OpRecord> program;
  for (Node* node : TopologicalOrder(Ancestors(targets, {}))) {
    OpRecord record{&node->op(), &node->attrs(), {}, {}, node->name()};
    for (const Output input : node->inputs()) {
      record.inputs.push_back(emitter->ValueOf(input));
    }
    for (int i = 0; i < node->num_outputs(); ++i) {
      record.outputs.push_back(emitter->ValueOf(node->output(i)));
    }
    program.push_back(std::move(record));
  }
  return program;
}

std::vector<Value> ValuesOf(const std::vector<Output>& outputs, GraphEmitter* emitter) {
  std::vector<Value> values;
  for (const Output output : outputs) {
    values.push_back(output.node == nullptr ? Value::None() : emitter->ValueOf(output));
  }
  return values;
}

void RequireInGraph(const Graph& graph, const std::vector<Output>& outputs,
                    std::string_view what) {
  for (const Output output : outputs) {
    Require(output.node == nullptr || &output.node->graph() == &graph, what, " '",
            output.node == nullptr ? "" : output.name(), "' belongs to another graph");
  }
}

}  // namespace

Node* GraphEmitter::AddNode(NodeSpec spec) {
  spec.device = placement_.device;
  if (forward_ != nullptr) {
    const AttrValue* classes = forward_->attrs().Find("_class");
    const std::vector<std::string> own = {"loc:@" + forward_->name()};
    spec.attrs.Set("_class", classes == nullptr ? AttrValue(own) : *classes);
    spec.device = forward_->device();
  }
  return graph_->AddNode(std::move(spec));
}

Value GraphEmitter::ValueOf(Output output) {
  auto& ids = ids_[output.node];
  if (ids.empty()) {
    ids.assign(output.node->num_outputs(), -1);
  }
  int64_t& id = ids[output.index];
  if (id < 0) {
    id = static_cast<int64_t>(outputs_.size());
    outputs_.push_back(output);
  }
  return {id};
}

std::vector<Value> GraphEmitter::CallAll(std::string_view op,
                                         const std::vector<Value>& inputs, Attrs attrs) {
  NodeSpec spec;
  spec.op = op;
  spec.name = StrCat(current_scope_, '/', op);
  for (const Value input : inputs) spec.inputs.push_back(OutputOf(input));
  spec.attrs = std::move(attrs);
  Node* node = AddNode(std::move(spec));
  std::vector<Value> outputs;
  for (int i = 0; i < node->num_outputs(); ++i) {
    outputs.push_back(ValueOf(node->output(i)));
  }
  return outputs;
}

Value GraphEmitter::Constant(const Tensor& value) {
  NodeSpec spec;
  spec.op = "Const";
  spec.name = current_scope_ + "/Const";
  spec.attrs = {{"value", value}, {"dtype", value.dtype()}};
  return ValueOf(AddNode(std::move(spec))->output(0));
}

std::optional<Tensor> GraphEmitter::KnownValue(Value value) const {
  return graph_->ConstantValue(OutputOf(value));
}

void GraphEmitter::BeginGradientOf(std::string_view name) {
  current_scope_ = name.empty() ? scope_ : StrCat(scope_, '/', name, "_grad");
  forward_ = placement_.beside_forward ? graph_->FindNode(name) : nullptr;
}

std::vector<std::optional<Output>> GraphGradients(
    Graph* graph, const std::vector<Output>& ys, const std::vector<Output>& xs,
    const std::vector<Output>& dys, const std::vector<Output>& stop_gradients,
    const GradientPlacement& placement) {
  RequireInGraph(*graph, ys, "y");
  RequireInGraph(*graph, xs, "x");
  RequireInGraph(*graph, dys, "the gradient of a y");
  RequireInGraph(*graph, stop_gradients, "the stopped value");
  GraphEmitter emitter(graph, graph->UniqueName(placement.scope), placement);
  const std::vector<OpRecord> program = ProgramOf(ys, &emitter);
  const GradientRequest request{ValuesOf(ys, &emitter), ValuesOf(xs, &emitter),
                                ValuesOf(dys, &emitter),
                                ValuesOf(stop_gradients, &emitter)};

  std::vector<std::optional<Output>> gradients;
  for (const Value gradient : AddGradients(program, request, emitter)) {
    gradients.emplace_back();
    if (!gradient.is_none()) gradients.back() = emitter.OutputOf(gradient);
  }
  return gradients;
}

}  // namespace minitf
