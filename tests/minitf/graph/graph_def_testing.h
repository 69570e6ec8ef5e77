// Helpers for tests of graphs as messages.

#pragma once

#include "minitf/graph/graph_def.h"
#include "minitf/protos/graph.pb.h"

namespace minitf::testing {

inline proto::GraphDef DefOf(const Graph& graph, const GraphDefOptions& options = {}) {
  proto::GraphDef def;
  GraphToProto(graph, options, &def);
  return def;
}

}  // namespace minitf::testing
