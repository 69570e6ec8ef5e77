// A graph as text to be read: one line a node, or a drawing in the DOT language.
//
//   y = Add[T=float32](x, b:1, ^init) -> float32 [2,3] @ /cpu:0
//
// Output 0 of a node is written as the node's name alone; ^name is a control input.
//
// Compare    tensorflow/core/util/dump_graph.h
// Read next  minitf/graph/graph_gradients.h

#pragma once

#include <string>

#include "minitf/graph/graph.h"

namespace minitf {

/// All nodes, in topological order if there is one. Large constants are not written out.
std::string GraphText(const Graph& graph);

/// The graph for Graphviz: `dot -Tsvg`. Nodes of one requested device have one colour;
/// control edges are dashed; edges carry the shape of what flows along them.
std::string GraphDot(const Graph& graph);

}  // namespace minitf
