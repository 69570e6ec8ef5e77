// Partition: cuts a placed graph into one graph for each device.
//
// An edge between two devices becomes a _Send on one and a _Recv on the other, which meet
// in the rendezvous of the step. A tensor travels once to each device that needs it:
//
//   a (CPU:0) -> b (GPU:0)        CPU:0   a -> _Send
//     \-------> c (GPU:0)         GPU:0   _Recv -> b,  _Recv -> c
//
// A control edge has no tensor. In its place an empty constant travels, which waits for
// the node on the one side and is waited for on the other.
//
// A GPU has memory of its own, but some kernels there have arguments in host memory
// (HostMemory in op_kernel.h). An end of an edge that lies there is a _HostSend or a
// _HostRecv, so nothing is copied to the GPU and back:
//
//   shape (CPU:0) -> Reshape (GPU:0)       CPU:0   shape -> _Send
//                                          GPU:0   _HostRecv -> Reshape
//
// The two ends may also be on one GPU, one in each memory.
//
// One executor runs the graphs of a process, each node with its device's allocator and
// stream. No edge joins two graphs. They cannot wait for each other in a circle, as the
// graph that they were cut from has no cycle. If a loop has nodes on several devices, the
// parts share one graph, in which a _Recv waits for its _Send in each iteration.
//
// Compare    tensorflow/core/graph/graph_partition.h
// Read next  minitf/runtime/intra_process_rendezvous.h

#pragma once

#include <vector>

#include "minitf/graph/step_graph.h"
#include "minitf/runtime/devices/device_set.h"

namespace minitf {

/// The nodes of `step` that are placed on one device.
struct Partition {
  const NamedDevice* device = nullptr;
  /// The partition of the host has all args and retvals. The targets are those of this
  /// device, and its _Sends.
  StepGraph step;
};

/// The parts of `step`, which PlaceNodes has placed on `devices`. The host's part comes
/// first, and is there even if it is empty; then by device, in the order of `devices`.
/// Nodes are copies, for which Node::source() is that of the original. Throws
/// Unimplemented where an edge within a while_loop goes from one process to another.
/// Requires: all args and retvals are on the host; `step` outlives the result.
std::vector<Partition> PartitionGraph(const StepGraph& step, const DeviceSet& devices);

}  // namespace minitf
