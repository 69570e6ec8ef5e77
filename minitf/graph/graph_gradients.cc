// The sweep through what lies between xs and ys.

#include "minitf/graph/graph_gradients.h"

#include <utility>

#include "minitf/gradients/add_gradients.h"
#include "minitf/graph/gradient_program.h"
#include "minitf/graph/loop_gradient.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

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

bool HasFlows(const std::vector<Output>& ys) {
  std::vector<Node*> targets;
  for (const Output& y : ys) targets.push_back(y.node);
  return FlowMap::Has(Ancestors(targets, {}));
}

}  // namespace

std::vector<std::vector<Output>> GraphGradients(Graph* graph,
                                                const std::vector<Output>& ys,
                                                const std::vector<Output>& xs,
                                                const std::vector<Output>& dys,
                                                const std::vector<Output>& stop_gradients,
                                                const GradientPlacement& placement) {
  RequireInGraph(*graph, ys, "y");
  RequireInGraph(*graph, xs, "x");
  RequireInGraph(*graph, dys, "the gradient of a y");
  RequireInGraph(*graph, stop_gradients, "the stopped value");
  GraphEmitter emitter(graph, graph->UniqueName(placement.scope), placement);
  ProgramRequest asked = {ys, xs, stop_gradients, {}};
  if (placement.pivot != nullptr || HasFlows(ys)) {
    emitter.FollowFlows();
    asked.within = emitter.flow()->top();
  }
  const GradientProgram program(
      asked,
      [&emitter](const LoopCall& call, const GradientContext& ctx) {
        return GradientOfLoop(call, ctx, &emitter);
      },
      &emitter);
  const GradientRequest request{ValuesOf(ys, &emitter), ValuesOf(xs, &emitter),
                                ValuesOf(dys, &emitter),
                                ValuesOf(stop_gradients, &emitter)};

  std::vector<std::vector<Output>> gradients;
  for (const Value gradient : AddGradients(program.calls(), request, emitter)) {
    gradients.emplace_back();
    for (const Value part : emitter.PartsOf(gradient)) {
      gradients.back().push_back(emitter.OutputOf(part));
    }
  }
  return gradients;
}

}  // namespace minitf
