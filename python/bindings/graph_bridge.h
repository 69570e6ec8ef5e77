// Nodes and their outputs, as Python knows them: by number.
//
// Python makes an object for a node only when a program asks for one
// (python/minitf/framework/graph.py), so the binding talks of numbers: a node is its id,
// and output i of a node is a handle, the id and i in one integer.
//
// Read next  python/bindings/bind_graph.cc

#pragma once

#include <cstdint>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/graph/graph.h"

namespace minitf {

constexpr int kOutputBits = 20;

inline int64_t HandleOf(const Output& output) {
  return (int64_t{output.node->id()} << kOutputBits) | output.index;
}

inline Node* NodeOf(const Graph& graph, int64_t id) {
  Require(0 <= id && id < graph.num_nodes(), "the graph has no node number ", id);
  return graph.node(static_cast<int>(id));
}

inline Output OutputOf(const Graph& graph, int64_t handle) {
  Node* const node = NodeOf(graph, handle >> kOutputBits);
  const int index = static_cast<int>(handle & ((1 << kOutputBits) - 1));
  Require(index < node->num_outputs(), "node '", node->name(), "' has no output ", index);
  return {node, index};
}

inline std::vector<Output> OutputsOf(const Graph& graph,
                                     const std::vector<int64_t>& handles) {
  std::vector<Output> outputs;
  outputs.reserve(handles.size());
  for (const int64_t handle : handles) outputs.push_back(OutputOf(graph, handle));
  return outputs;
}

inline std::vector<Node*> NodesOf(const Graph& graph, const std::vector<int64_t>& ids) {
  std::vector<Node*> nodes;
  nodes.reserve(ids.size());
  for (const int64_t id : ids) nodes.push_back(NodeOf(graph, id));
  return nodes;
}

}  // namespace minitf
