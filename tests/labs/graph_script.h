// Graphs by scripts: what the drivers of labs make of the nodes that a case lists.
//
// A node is a dict. An edge is a pair of numbers, of a node in the list and of one of its
// outputs; edges may be `late`, added when all nodes are there, so that cycles can be:
//
//   name, op, inputs [edge], control [node], attrs {}, device, origin
//   value           of a Const
//   repeat          so many nodes in a row: each takes, or waits for, the one before
//   late_inputs     [(position, node, output)]
//   late_control    [node]

#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/graph/graph.h"
#include "minitf/graph/step_graph.h"
#include "python/bindings/attr_bridge.h"
#include "python/bindings/numpy_bridge.h"

namespace minitf {

using Edge = std::pair<int, int>;
using Edges = std::vector<Edge>;
using Numbers = std::vector<int>;
using Names = std::vector<std::string>;

inline Output OutputAt(const Graph& graph, const Edge& edge) {
  return {graph.node(edge.first), edge.second};
}

inline std::vector<Output> OutputsAt(const Graph& graph, const Edges& edges) {
  std::vector<Output> outputs;
  for (const Edge& edge : edges) outputs.push_back(OutputAt(graph, edge));
  return outputs;
}

inline std::vector<Node*> NodesAt(const Graph& graph, const Numbers& numbers) {
  std::vector<Node*> nodes;
  for (const int number : numbers) nodes.push_back(graph.node(number));
  return nodes;
}

inline Names NamesOf(const std::vector<Node*>& nodes) {
  Names names;
  for (const Node* node : nodes) names.push_back(node->name());
  return names;
}

/// The member `key` of a dict; a T without a value if there is none.
template <typename T>
T MemberOf(const pybind11::dict& dict, const char* key) {
  return dict.contains(key) ? dict[key].cast<T>() : T{};
}

/// Adds the node, without its late edges.
inline Node* AddScriptNode(const pybind11::dict& node, Graph* graph) {
  NodeSpec spec;
  spec.op = MemberOf<std::string>(node, "op");
  spec.name = MemberOf<std::string>(node, "name");
  spec.inputs = OutputsAt(*graph, MemberOf<Edges>(node, "inputs"));
  spec.control_inputs = NodesAt(*graph, MemberOf<Numbers>(node, "control"));
  spec.device = MemberOf<std::string>(node, "device");
  spec.origin = MemberOf<std::string>(node, "origin");
  spec.attrs = AttrsFromPython(FindOp(spec.op), MemberOf<pybind11::dict>(node, "attrs"));
  if (node.contains("value")) {
    const Tensor value = TensorFromArray(pybind11::array::ensure(node["value"]));
    spec.attrs.Set("dtype", value.dtype());
    spec.attrs.Set("value", value.Clone());
  }
  return graph->AddNode(std::move(spec));
}

/// The graph of a list of nodes, which have their places in it as ids, where none is
/// repeated.
inline std::shared_ptr<Graph> GraphOf(const pybind11::list& nodes) {
  auto graph = std::make_shared<Graph>();
  for (const pybind11::handle handle : nodes) {
    const auto dict = handle.cast<pybind11::dict>();
    Node* last = AddScriptNode(dict, graph.get());
    for (int i = 1; i < MemberOf<int>(dict, "repeat"); ++i) {
      NodeSpec spec;
      spec.op = last->type();
      spec.name = StrCat(MemberOf<std::string>(dict, "name"), '_', i);
      spec.inputs.resize(last->inputs().size(), {last});
      if (spec.inputs.empty()) spec.control_inputs = {last};
      last = graph->AddNode(std::move(spec));
    }
  }
  int number = 0;
  for (const pybind11::handle handle : nodes) {
    const auto dict = handle.cast<pybind11::dict>();
    Node* node = graph->node(number);
    number += std::max(MemberOf<int>(dict, "repeat"), 1);
    for (const auto& [i, from, output] :
         MemberOf<std::vector<std::tuple<int, int, int>>>(dict, "late_inputs")) {
      graph->UpdateInput(node, i, {graph->node(from), output});
    }
    for (const int from : MemberOf<Numbers>(dict, "late_control")) {
      graph->AddControlInput(node, graph->node(from));
    }
  }
  return graph;
}

/// A request: `feeds` and `fetches` as edges, `targets` as numbers.
inline RunRequest RequestOf(const Graph& graph, const pybind11::dict& request) {
  return {OutputsAt(graph, MemberOf<Edges>(request, "feeds")),
          OutputsAt(graph, MemberOf<Edges>(request, "fetches")),
          NodesAt(graph, MemberOf<Numbers>(request, "targets")),
          MemberOf<bool>(request, "as_built")};
}

inline std::vector<Tensor> TensorsOf(const std::vector<pybind11::array>& arrays) {
  std::vector<Tensor> tensors;
  for (const pybind11::array& array : arrays) {
    tensors.push_back(TensorFromArray(array).Clone());
  }
  return tensors;
}

inline pybind11::list ArraysOf(std::vector<Tensor> tensors) {
  pybind11::list arrays;
  for (Tensor& tensor : tensors) {
    arrays.append(tensor.has_value() ? ArrayFromTensor(std::move(tensor), Sharing::kNever)
                                     : pybind11::none());
  }
  return arrays;
}

/// What became of a step: its values, or what is said of its failure.
inline pybind11::dict ResultOf(const Status& status, std::vector<Tensor> fetches) {
  pybind11::dict result;
  if (status.ok()) {
    result["values"] = ArraysOf(std::move(fetches));
    return result;
  }
  if (status.message().find("is not written yet") != std::string::npos) {
    throw std::logic_error(status.message());
  }
  result["code"] = static_cast<int>(status.code());
  result["message"] = status.message();
  result["node"] = status.node();
  result["num_fetches"] = fetches.size();
  return result;
}

}  // namespace minitf
