// NodeBatch: many nodes at once, all of them or none.
//
// A graph that is read from a file has a hundred thousand nodes, and the last of them may
// turn out to make no sense. A batch takes the graph's lock once, adds node after node,
// and takes all of them away again unless Commit() is reached.
//
// It also does what Graph::AddNode cannot: close a loop. A Merge takes its second input
// from a NextIteration that needs the Merge first. So the Merge is added with stand-ins,
// and SetBackEdge puts the real input in place later.
//
// Compare    tensorflow/core/graph/graph_constructor.cc, Undo and AddBackEdges
// Read next  minitf/graph/topological_order.h

#pragma once

#include <mutex>
#include <shared_mutex>
#include <vector>

#include "minitf/graph/graph.h"

namespace minitf {

class NodeBatch {
 public:
  /// Locks `graph`, which must outlive the batch; no other thread may use it meanwhile.
  explicit NodeBatch(Graph* graph);
  /// Takes the nodes away again, unless they were committed.
  ~NodeBatch();

  NodeBatch(const NodeBatch&) = delete;
  NodeBatch& operator=(const NodeBatch&) = delete;

  /// Makes room for `count` further nodes, so that tables need not grow step by step.
  void Reserve(int count);
  /// Graph::AddNode.
  Node* AddNode(NodeSpec spec);

  /// Forgets the shapes of all outputs of `node`: they depend on a back edge.
  void ForgetShapes(Node* node);
  /// Graph::MergeOutputShape.
  void MergeShape(Node* node, int output, const PartialShape& shape);
  /// Lets input `i` of `merge`, a stand-in so far, come from `value`. Throws
  /// InvalidArgument if there is no such output, or its type differs.
  void SetBackEdge(Node* merge, int i, Output value);

  /// Keeps the nodes.
  void Commit() { is_committed_ = true; }

 private:
  Graph* const graph_;
  std::unique_lock<std::shared_mutex> lock_;
  int first_id_;
  std::vector<bool> name_is_new_;  // of each node: whether its name was not in use
  bool is_committed_ = false;
};

}  // namespace minitf
