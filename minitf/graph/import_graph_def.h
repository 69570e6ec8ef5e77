// ImportGraphDef: from a GraphDef to nodes of a graph.
//
// Every claim of a file is checked. The first false claim is reported with its node, and
// the graph stays as it was. Nothing in a file is ever executed.
//
//   names    get a prefix: "w" becomes "import/w". One that is taken gets a number
//   order    a node may come before its inputs; NextIteration to Merge closes a loop.
//   inputs   may be replaced: a map of "x:0" to a tensor of the graph
//
// Compare    tensorflow/core/graph/graph_constructor.cc
// Read next  minitf/graph/graph_text.h

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

/// The node and index that an input names: "node", "node:2" or "^node".
std::pair<std::string_view, int> ParseInput(std::string_view input);

struct ImportOptions {
  /// Stands before all names, with a slash between; "" for none.
  std::string prefix;
  /// What to take in place of tensors of the file. Under kControl, whose node counts.
  std::map<TensorName, Output> input_map;
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

/// Throws NotFound for an op that is not registered, ResourceExhausted for constants far
/// larger than the file, InvalidArgument for any other false claim.
ImportResult ImportGraphDef(const proto::GraphDef& def, const ImportOptions& options,
                            Graph* graph);

/// Writes a translation of `def`, for extensions; returns false if `def` needs none.
using GraphDefRewrite = bool (*)(const proto::GraphDef& def, const ImportOptions& options,
                                 proto::GraphDef* result);
/// Has each import translate its GraphDef first. Returns whether it is the first call.
bool SetGraphDefRewrite(GraphDefRewrite rewrite);

}  // namespace minitf
