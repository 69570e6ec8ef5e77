// Consumers: the edges of a graph, seen from their start.

#include "minitf/graph/consumers.h"

namespace minitf {

Consumers::Consumers(const Graph& graph) : uses_(graph.num_nodes()) {
  const auto nodes = graph.nodes();
  for (Node* node : nodes) {
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const Output& input = node->inputs()[i];
      uses_[input.node->id()].push_back({node, static_cast<int>(i), input.index});
    }
  }
  for (Node* node : nodes) {
    for (const Node* source : node->control_inputs()) {
      uses_[source->id()].push_back({node, Use::kControl, Use::kControl});
    }
  }
}

}  // namespace minitf
