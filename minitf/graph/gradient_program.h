// GradientProgram: what lies between xs and ys, as the calls of one sweep.
//
// A node is a call, with one exception: a loop is a single call, however many nodes it
// is made of. What enters the loop is its inputs, what exits is its outputs, and its
// gradient function makes the loop that runs backwards. To do so it sweeps through the
// body, with a program of its own, in which a loop within the loop is one call again.
//
// Compare    tensorflow/python/ops/gradients_util.py, _PendingCount
// Read next  minitf/graph/loop_gradient.h

#pragma once

#include <deque>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "minitf/gradients/add_gradients.h"
#include "minitf/graph/flow_map.h"
#include "minitf/graph/graph.h"

namespace minitf {

class GraphEmitter;

/// Outputs by node and index.
class OutputSet {
 public:
  void Insert(const Output& output) {
    outputs_.insert({output.node->id(), output.index});
  }
  bool Contains(const Output& output) const {
    return outputs_.contains({output.node->id(), output.index});
  }

 private:
  std::set<std::pair<int, int>> outputs_;
};

/// A loop of a program: the ends at which gradients go in and come out.
struct LoopCall {
  Flow* loop = nullptr;
  std::vector<Node*> enters;  ///< of variables and constants between an x and a y
  std::vector<Node*> exits;   ///< of such variables
  std::vector<Node*> pushes;  ///< of such outputs: their stacks are results, too
  /// All outputs through which a y depends on an x.
  const OutputSet* between = nullptr;
  std::vector<Output> stopped;
};

struct ProgramRequest {
  std::vector<Output> ys;
  std::vector<Output> xs;
  std::vector<Output> stopped;
  std::vector<Node*> pushes;  ///< what is on their stacks later are ys, too
  /// Where the program runs; loops around that are no calls of it.
  Flow* within = nullptr;
  /// Whether it is one iteration of a loop: from the Merges and constants, which are the
  /// xs, to the NextIterations, which take the ys.
  bool is_iteration = false;
};

class GradientProgram {
 public:
  /// What differentiates a loop, once it is known as a call.
  using LoopGradientFn =
      std::function<std::vector<Value>(const LoopCall&, const GradientContext&)>;

  GradientProgram(const ProgramRequest& request, LoopGradientFn loop_gradient,
                  GraphEmitter* emitter);

  const std::vector<OpRecord>& calls() const { return calls_; }

 private:
  // Nodes that are one call: a loop, or a single node.
  struct Unit {
    Flow* loop = nullptr;
    std::vector<Node*> nodes;
  };

  void RequireReachable(const std::vector<Output>& ends) const;
  std::vector<Node*> NodesOfIteration() const;
  std::vector<Unit> UnitsOf(const std::vector<Node*>& nodes) const;
  Flow* LoopWithin(Node* node) const;
  void AddCall(Node* node);
  void AddPush(Node* node);
  void AddLoop(const Unit& unit);

  const ProgramRequest request_;
  const LoopGradientFn loop_gradient_;
  GraphEmitter* const emitter_;
  OutputSet between_;
  std::vector<OpRecord> calls_;
  std::deque<LoopCall> loops_;
  std::deque<GradientFn> gradients_;  // of the loops
};

}  // namespace minitf
