// Consumers: which nodes use the outputs of a node.
//
// A node knows its inputs. A pass that replaces a node must know the other direction; it
// makes a Consumers, asks, and makes a new one when it has changed the graph.
//
// Compare    tensorflow/core/graph/graph.h: Node::out_edges
// Read next  minitf/graph/attr_proto.h

#pragma once

#include <vector>

#include "minitf/graph/graph.h"

namespace minitf {

/// Input `input` of `consumer` comes from output `output`; both are kControl where the
/// consumer only waits.
struct Use {
  static constexpr int kControl = -1;

  Node* consumer = nullptr;
  int input = kControl;
  int output = kControl;

  bool is_control() const { return output == kControl; }
};

class Consumers {
 public:
  /// As the graph is now.
  explicit Consumers(const Graph& graph);

  /// Ordered by consumer, then by input; control edges last.
  const std::vector<Use>& Of(const Node* node) const { return uses_[node->id()]; }

 private:
  std::vector<std::vector<Use>> uses_;  // by id
};

/// Lets the users of `before`, which `consumers` lists, use `after`. Control edges stay.
void RedirectUses(const Consumers& consumers, Output before, Output after);

}  // namespace minitf
