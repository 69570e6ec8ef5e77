// Names of inputs in a GraphDef, and a translation of the GraphDef before its import.
//
// Read next  minitf/graph/graph_text.h

#pragma once

#include <string_view>
#include <utility>

#include "minitf/graph/import_graph_def.h"

namespace minitf {

/// The node and index that an input of a file names: "node", "node:2" or "^node".
std::pair<std::string_view, int> ParseInput(std::string_view input);

/// A translation of every GraphDef before its import, for extensions. One program has at
/// most one. Declare it at file scope.
struct GraphDefRewrite {
  /// Writes the translation of `def`, whose names must stay. Returns false if `def` is to
  /// be imported as it is.
  using Rewrite = bool (*)(const proto::GraphDef& def, const ImportOptions& options,
                           proto::GraphDef* result);

  explicit GraphDefRewrite(Rewrite rewrite);
};

/// Calls the translation. Returns false if there is none, or if it returns false.
bool RewriteGraphDef(const proto::GraphDef& def, const ImportOptions& options,
                     proto::GraphDef* result);

}  // namespace minitf
