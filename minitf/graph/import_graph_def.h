// ImportGraphDef: from a GraphDef to nodes of a graph.
//
// A file may hold anything. Each of its claims is checked: that names are names and
// unique, that inputs exist, that the order can be run, and, by Graph::AddNode, that ops,
// attributes, types and shapes fit each other. The first claim that does not hold is
// reported with its node, and the graph stays as it was. Nothing in a file is ever
// executed.
//
//   names    get a prefix: "w" becomes "import/w". One that is taken gets a number
//   order    a node may come before its inputs; a loop is closed by an edge from a
//            NextIteration to a Merge, and by no other
//   inputs   may be replaced: a map of "x:0" to a tensor of the graph puts that tensor
//            in every place where the file says "x"
//
// Compare    tensorflow/core/graph/graph_constructor.cc
// Read next  minitf/graph/graph_def_rewrite.h

#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "minitf/graph/graph.h"

namespace minitf {

namespace proto {
class GraphDef;
}

/// The name of a node in the file, and the index of an output; kControl for the node as a
/// control input.
struct TensorName {
  static constexpr int kControl = -1;

  std::string node;
  int index = 0;

  friend bool operator<(const TensorName& a, const TensorName& b) {
    return std::tie(a.node, a.index) < std::tie(b.node, b.index);
  }
};

struct ImportOptions {
  /// Stands before all names, with a slash between; "" for none.
  std::string prefix;
  /// What to take in place of tensors of the file. Under kControl, whose node counts.
  std::map<TensorName, Output> input_map;
  /// What the caller wants to have.
  std::vector<TensorName> return_tensors;
  std::vector<std::string> return_nodes;
  /// Node::origin of all nodes.
  std::string origin;
};

struct ImportResult {
  std::vector<Output> tensors;
  std::vector<Node*> nodes;
  /// Keys of input_map that no input names and the file has no tensor for.
  std::vector<TensorName> missing_keys;
  /// The new nodes have ids from here on.
  int first_node = 0;
};

/// Throws NotFound for an op that is not registered, InvalidArgument for anything else
/// that makes no sense, ResourceExhausted for constants that are far larger than the
/// file. Then the graph is as it was.
ImportResult ImportGraphDef(const proto::GraphDef& def, const ImportOptions& options,
                            Graph* graph);

}  // namespace minitf
