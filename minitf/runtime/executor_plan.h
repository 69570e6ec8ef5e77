// ExecutorPlan: a part of a graph, laid out for running.
//
// Every input of every node has a slot, and so has every fetch. A slot is the place where
// a tensor waits for the node that uses it. Nodes are numbered in topological order, and
// the slots follow in that order, so a step goes through memory from front to back:
//
//   graph   x = Placeholder (fed)   y = Square(x)   z = Add(x, y)   fetch z
//
//   nodes   0: y                 1: z
//   slots   0: y's x             1: z's x     2: z's y     3: the fetch
//   pending 0                    1                          (x is there from the start)
//   edges   of the feed x: {slot 0}, {slot 1}   of y: {slot 2, node 1}   of z: {slot 3}
//
// Edges of one node stand together, those of output 0 first and control edges last. All
// of it is fixed when the plan is made and read by any number of steps at once.
//
// Compare    tensorflow/core/common_runtime/immutable_executor_state.h
// Read next  minitf/runtime/executor.h

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/graph/graph.h"
#include "minitf/runtime/kernel_cache.h"

namespace minitf {

/// Where a tensor goes, and who has to wait for one thing less then.
struct PlannedEdge {
  int32_t slot = -1;  ///< -1: a control edge
  int32_t node = -1;  ///< -1: a fetch, or the edge of a feed
};

struct PlannedNode {
  OpKernel* kernel = nullptr;
  int32_t first_slot = 0;  ///< of the inputs
  int32_t num_inputs = 0;
  int32_t first_output = 0;  ///< in output_types and edge_ends
  int32_t num_outputs = 0;
  int32_t first_edge = 0;
  int32_t end_edge = 0;
  bool is_expensive = false;  ///< as the kernel says
};

struct ExecutorPlan {
  /// Throws InvalidArgument for a cycle or an output that does not exist, and what making
  /// a kernel throws. Requires: all nodes in one graph.
  ExecutorPlan(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
               const std::vector<Node*>& targets, const DeviceContext& device,
               KernelCache* kernel_cache);

  int num_nodes() const { return static_cast<int>(nodes.size()); }
  int num_fetches() const { return num_slots - first_fetch_slot; }

  std::vector<PlannedNode> nodes;
  std::vector<PlannedEdge> edges;
  /// edge_ends[first_output + i]: one past the last edge of output i of a node.
  std::vector<int32_t> edge_ends;
  std::vector<DType> output_types;
  /// How many edges each node waits for.
  std::vector<int> pending;
  /// The nodes that wait for nothing, from last to first.
  std::vector<int32_t> roots;
  /// feed_edges[feed_ends[i - 1]] .. feed_edges[feed_ends[i]]: the slots of feed i.
  std::vector<PlannedEdge> feed_edges;
  std::vector<int32_t> feed_ends;
  int first_fetch_slot = 0;
  int num_slots = 0;
  int max_outputs = 0;

  const DeviceContext device;
  /// For messages. By number of the node.
  std::vector<const Node*> graph_nodes;
  std::vector<std::string> fetch_names;
  std::vector<std::shared_ptr<OpKernel>> kernels;
};

}  // namespace minitf
