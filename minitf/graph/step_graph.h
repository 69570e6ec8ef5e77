// StepGraph: the part of a user's graph that one kind of step needs, as its own graph.
//
// A session may prune, rewrite, place and cut up this copy; the user's graph stays as it
// was built. What a step is fed comes in through _Arg nodes, what it fetches goes out
// through _Retval nodes, so passes see feeds and fetches as nodes like all others:
//
//   user's graph   x = Placeholder   y = Square(x)   z = Add(x, y)   w = Exp(y)
//   a step         feeds x, fetches z
//   its StepGraph  feed/x_0 = _Arg(0)   y = Square(feed/x_0)   z = Add(feed/x_0, y)
//                  fetch/z_0 = _Retval(z, 0)
//
// If a variable is fed, a _FedVariable that takes an _Arg replaces its VarHandleOp. All
// ops that read the variable in the step take this handle.
//
// Compare    tensorflow/core/graph/subgraph.h
// Read next  minitf/graph/loop_frames.h

#pragma once

#include <memory>
#include <vector>

#include "minitf/graph/graph.h"

namespace minitf {

/// What one run asks for.
struct RunRequest {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<Node*> targets;
  bool as_built = false;  ///< no pass changes the copy: for a debugger that watches it
};

struct FeedType {
  DType dtype;
  PartialShape shape;
};

/// The dtype and shape of a value for `feed`; of a variable's handle, the variable's.
FeedType TypeOfFeed(const Output& feed);

struct StepGraph {
  std::shared_ptr<Graph> graph;  ///< parts that share a loop share it, too
  std::vector<Node*> args;       ///< args[i] gives feed i
  std::vector<Node*> retvals;    ///< retvals[i] takes fetch i
  std::vector<Node*> targets;    ///< in `graph`; must run, though they are not fetched
};

/// Copies what `request` needs: the ancestors of fetches and targets, not going past a
/// fed tensor. Nodes come in topological order. Throws InvalidArgument for a cycle, a
/// missing output, or a node that changes a fed variable. Requires: the user's graph does
/// not change meanwhile.
StepGraph MakeStepGraph(const RunRequest& request);

}  // namespace minitf
