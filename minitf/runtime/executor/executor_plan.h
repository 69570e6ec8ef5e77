// ExecutorPlan: a graph, laid out for running.
//
// Every input of every node has a slot, and so has every fetch. A slot is the place where
// a tensor waits for the node that uses it. Nodes are numbered in topological order, and
// the slots follow in that order, so a step goes through memory from front to back:
//
//   graph   x = _Arg(0)   y = Square(x)   z = Add(x, y)   _Retval(z, 0)
//
//   nodes   0: y                 1: z
//   slots   0: y's x             1: z's x     2: z's y     3: the fetch
//   pending 0                    1                          (x is there from the start)
//   edges   of the feed x: {slot 0}, {slot 1}   of y: {slot 2, node 1}   of z: {slot 3}
//
// Edges of one node stand together, those of output 0 first and control edges last. All
// of it is fixed when the plan is made and read by any number of steps at once.
//
// A loop runs its nodes many times, and several iterations of it at once. So slots and
// counters are numbered apart in every frame: frame 0 is what lies outside of all loops,
// and each loop is a frame (propagator.h). A graph that was cut up for several devices
// is laid out as one plan; its parts meet at their Send and Recv nodes alone.
//
// Compare    tensorflow/core/common_runtime/immutable_executor_state.h
// Read next  minitf/runtime/executor/propagator.h

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/graph/graph.h"
#include "minitf/runtime/executor/kernel_cache.h"

namespace minitf {

/// A graph to run, or its nodes on one device if several have the same graph.
struct PlacedGraph {
  const Graph* graph = nullptr;
  const DeviceContext* device = nullptr;
  Device kernels = Device::kCpu;
  std::string device_name;
};

/// Where a tensor goes, and which node then waits for one input less.
struct PlannedEdge {
  int32_t slot = -1;  ///< in the frame of `node`; -1: a control edge
  int32_t node = -1;  ///< -1: a fetch, or the edge of a feed
};

struct PlannedNode {
  OpKernel* kernel = nullptr;
  AsyncOpKernel* async_kernel = nullptr;  ///< the same, if it is asynchronous
  const DeviceContext* device = nullptr;
  int32_t first_slot = 0;  ///< of the inputs
  int32_t num_inputs = 0;
  int32_t first_output = 0;  ///< in output_types and edge_ends
  int32_t num_outputs = 0;
  int32_t first_edge = 0;
  int32_t end_edge = 0;
  int32_t frame = 0;    ///< in which it runs
  int32_t counter = 0;  ///< its place in the frame's `pending`
  int32_t other = 0;  ///< of an Arg: number of the feed. Of an Enter: the frame it enters
  OpRole role = OpRole::kKernel;
  bool is_constant_enter = false;
  bool is_expensive = false;  ///< as the kernel says
};

/// A loop, or what is outside of all.
struct PlannedFrame {
  std::string name;
  std::string entered_by;  ///< an Enter, for messages
  int32_t parent = -1;
  int32_t num_slots = 0;
  int32_t num_enters = 0;
  int32_t parallel_iterations = 1;
  /// What each node waits for: its edges; of a Merge, 1 and twice its control edges.
  std::vector<int32_t> pending;
};

struct ExecutorPlan {
  /// Throws InvalidArgument for a cycle, or for inputs from different loops, and what
  /// making a kernel throws. `num_feeds` and `num_fetches` may be more than there are
  /// _Arg and _Retval nodes.
  ExecutorPlan(const std::vector<PlacedGraph>& graphs, int num_feeds, int num_fetches,
               KernelCache* kernel_cache);

  int num_nodes() const { return static_cast<int>(nodes.size()); }
  int num_fetches() const { return static_cast<int>(fetch_names.size()); }
  int num_feeds() const { return static_cast<int>(feed_ends.size()); }
  std::span<const DType> OutputTypesOf(const PlannedNode& node) const {
    return {output_types.data() + node.first_output,
            static_cast<size_t>(node.num_outputs)};
  }

  std::vector<PlannedNode> nodes;
  std::vector<PlannedEdge> edges;
  /// edge_ends[first_output + i]: one past the last edge of output i of a node.
  std::vector<int32_t> edge_ends;
  std::vector<DType> output_types;
  std::vector<PlannedFrame> frames;
  /// The nodes that wait for nothing, from last to first.
  std::vector<int32_t> roots;
  /// feed_edges[feed_ends[i - 1]] .. feed_edges[feed_ends[i]]: the slots of feed i. With
  /// control flow there are none, and _Arg nodes hand out the feeds.
  std::vector<PlannedEdge> feed_edges;
  std::vector<int32_t> feed_ends;
  int first_fetch_slot = 0;  ///< in frame 0
  int max_outputs = 0;
  int num_nodes_to_run = 0;       ///< all but the _Arg nodes
  bool has_control_flow = false;  ///< a tensor may be dead, or made more than once
  bool has_async = false;
  bool has_transfers = false;  ///< a Send or a Recv: a step needs a rendezvous

  /// By number of the node.
  std::vector<const Node*> graph_nodes;
  std::vector<std::string> fetch_names;
  std::vector<std::string> device_names;  ///< one for each PlacedGraph
  std::vector<Stream*> streams;           ///< of the devices that have one
  std::vector<int32_t> placed_in;         ///< the PlacedGraph, by number of the node
  std::vector<std::shared_ptr<OpKernel>> kernels;
};

}  // namespace minitf
