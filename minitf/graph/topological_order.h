// A topological order of nodes: every node after those it needs, or the cycle that
// forbids one.
//
// Compare    tensorflow/core/graph/algorithm.h
// Read next  minitf/graph/consumers.h

#pragma once

#include <vector>

#include "minitf/graph/graph.h"

namespace minitf {

/// `nodes` in an order in which they can run; of two that may run in either order, the
/// one with the smaller id comes first. Edges from nodes that are not in `nodes` do not
/// count, and neither does the edge back from a NextIteration to a Merge. No recursion.
/// Throws InvalidArgument naming the nodes of a cycle, if there is one.
std::vector<Node*> TopologicalOrder(const std::vector<Node*>& nodes);

/// The nodes that `targets` need, themselves included, without going past an output in
/// `fed`, nor past a control input that is a fed Placeholder or another stateless node
/// without inputs whose outputs are all fed. In order of id. Requires: all in one graph.
std::vector<Node*> Ancestors(const std::vector<Node*>& targets,
                             const std::vector<Output>& fed);

}  // namespace minitf
