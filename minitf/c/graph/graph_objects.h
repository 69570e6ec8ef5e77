// The structs behind TF_Graph, TF_OperationDescription and TF_Operation.
//
//   TF_Graph        a Graph, and a lock that names are checked and taken under
//   TF_Operation    a Node; there is no struct, the pointer is cast
//
// Compare    tensorflow/c/c_api_internal.h
// Read next  minitf/c/graph/graph_objects.cc

#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/c/c_api_gradients.h"
#include "minitf/c/c_api_graph.h"
#include "minitf/c/internal.h"
#include "minitf/c/live_objects.h"
#include "minitf/graph/graph.h"

namespace minitf::c {
struct WhileState;
}

struct TF_Graph {
  const std::shared_ptr<minitf::Graph> graph = std::make_shared<minitf::Graph>();
  /// A thread holds it while it checks that a name is free and adds the node.
  std::mutex names;
  /// Set in the condition graph of a while loop that is being built.
  std::shared_ptr<minitf::c::WhileState> loop;
};

struct TF_OperationDescription {
  std::shared_ptr<TF_Graph> graph;
  minitf::NodeSpec spec;
  minitf::Status error;  ///< the first error of a setter
};

namespace minitf::c {

using Graphs = LiveObjects<TF_Graph>;
using Descriptions = LiveObjects<TF_OperationDescription>;

inline Node* NodeOf(TF_Operation* oper) { return reinterpret_cast<Node*>(oper); }
inline const Node* NodeOf(const TF_Operation* oper) {
  return reinterpret_cast<const Node*>(oper);
}
inline TF_Operation* OperOf(Node* node) { return reinterpret_cast<TF_Operation*>(node); }
inline TF_Output OutputToC(Output output) { return {OperOf(output.node), output.index}; }

/// Returns the node. Throws InvalidArgument if `oper` is null or of another graph.
Node* NodeIn(const Graph& graph, const TF_Operation* oper, std::string_view argument);

/// Returns the output. Throws InvalidArgument if it does not exist, or is an output of an
/// operation of another graph.
Output OutputIn(const Graph& graph, TF_Output output, std::string_view argument);

/// As above, for `count` outputs.
std::vector<Output> OutputsIn(const Graph& graph, const TF_Output* outputs, int count,
                              std::string_view argument);

/// Calls `fill` with a description that exists. Keeps the first error that `fill` throws.
void Describe(TF_OperationDescription* desc,
              const std::function<void(TF_OperationDescription&)>& fill);

/// Throws InvalidArgument if the graph has a node `name`, or nodes "name/...".
void RequireFreePrefix(const Graph& graph, const std::string& name);
/// Whether it has.
bool HasPrefix(const Graph& graph, const std::string& name);

/// Adds the nodes of a serialized GraphDef under their own names. Their inputs may be
/// nodes of the graph. Throws as TF_GraphImportGraphDef sets a status.
void ImportByName(TF_Graph* graph, std::string_view graph_def);

}  // namespace minitf::c
