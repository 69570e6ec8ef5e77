// The placer: gives every node of a step one device.
//
// A program asks for a device in full, in part ("/gpu:0"), or not at all. The placer
// works with groups of nodes that must share a device:
//
//   colocation   nodes that say so: attribute _class with "loc:@name", which stands for
//                the node `name`
//   resources    a node that takes a handle, with the node that makes the variable or
//                the queue. If the two ask for different devices, the maker decides
//   loops        all nodes within a while_loop, except those that ask for other devices
//
// A group asks for what its members ask for, merged. It goes to the first device, in the
// order of DeviceSet::Matching, that fits and has kernels for all members. If there is no
// such device, then with soft placement the type and number that were asked for are
// forgotten; without, it is an error that names the node, what was asked and what exists.
//
// Two small rules save transfers for groups that ask for no type and number. A node
// without inputs, such as a constant, goes where all who take its output are. A node that
// needs no more than the shape of its input stays where that is.
//
// Compare    tensorflow/core/common_runtime/placer.h, colocation_graph.h
// Read next  minitf/runtime/partition.h

#pragma once

#include <string>
#include <vector>

#include "minitf/graph/step_graph.h"
#include "minitf/runtime/devices/device_set.h"

namespace minitf {

struct PlacerOptions {
  bool allow_soft_placement = false;
};

/// Sets the device of every node of step->graph to the full name of one in `devices`.
/// Throws InvalidArgument for a device string that is none, a device that there is not or
/// that has no kernel, and members of a group that contradict each other. The status
/// names the node. Returns whether all nodes are on devices.host().
bool PlaceNodes(StepGraph* step, const DeviceSet& devices,
                const PlacerOptions& options = {});

/// What log_device_placement prints of a placed graph, one line a node:
///
///   x: (Placeholder): /job:localhost/replica:0/task:0/device:CPU:0
std::string PlacementText(const StepGraph& step);
/// The GPUs that there are and what they are in truth, one line each, as TensorFlow
/// prints them at the start of a session with log_device_placement.
std::string DeviceMappingText(const DeviceSet& devices);

}  // namespace minitf
