// LoopFrames: which nodes of a graph run within a while_loop, and within which.
//
// An Enter takes a tensor into a loop, an Exit takes one out. What lies between the two
// runs once for each iteration, so it cannot be treated like the nodes around it: what is
// true in one iteration need not be so in all of them.
//
// Loops may stand within loops. Here only the outermost of those that a node is in
// counts.
//
// Compare    tensorflow/core/graph/control_flow.h
// Read next  minitf/passes/pass.h

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "minitf/graph/graph.h"

namespace minitf {

class LoopFrames {
 public:
  /// Stands for "in no loop".
  static constexpr int kNoLoop = 0;

  /// As the graph is now. Throws InvalidArgument for a cycle that is no loop.
  explicit LoopFrames(const Graph& graph);

  /// The outermost loop that `node` is in; its Enters and its Exits are in it.
  int LoopOf(const Node* node) const { return frames_[frame_of_[node->id()]].loop; }
  /// The outermost loop that what comes out of `node` is in: for an Exit, what is around.
  int LoopOfOutputs(const Node* node) const;
  /// What the Enters of a loop call it. Requires: loop != kNoLoop.
  const std::string& NameOf(int loop) const { return frames_[loop].name; }
  bool has_loops() const { return frames_.size() > 1; }

 private:
  struct Frame {
    int parent = 0;
    int depth = 0;
    int loop = kNoLoop;  // the outermost frame around, or this one
    std::string name;
  };

  int FrameOfOutputs(const Node* node) const;
  int FrameWithin(int parent, const std::string& name);
  int FrameFor(const Node& node);

  std::vector<Frame> frames_;  // frames_[0]: what is in no loop
  std::vector<int> frame_of_;  // by id of the node
  std::map<std::pair<int, std::string>, int> numbers_;
};

}  // namespace minitf
