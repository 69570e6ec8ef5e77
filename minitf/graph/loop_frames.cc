// LoopFrames: following tensors from the Enters.

#include "minitf/graph/loop_frames.h"

#include <algorithm>

#include "minitf/graph/topological_order.h"

namespace minitf {

LoopFrames::LoopFrames(const Graph& graph) : frames_(1), frame_of_(graph.num_nodes(), 0) {
  const auto nodes = graph.nodes();
  const bool any = std::ranges::any_of(
      nodes, [](const Node* node) { return node->role() == OpRole::kEnter; });
  if (!any) return;
  for (const Node* node : TopologicalOrder(nodes))
    frame_of_[node->id()] = FrameFor(*node);
}

int LoopFrames::FrameWithin(int parent, const std::string& name) {
  const auto [found, is_new] =
      numbers_.try_emplace({parent, name}, static_cast<int>(frames_.size()));
  if (is_new) {
    const int loop = parent == 0 ? found->second : frames_[parent].loop;
    frames_.push_back({parent, frames_[parent].depth + 1, loop, name});
  }
  return found->second;
}

// The frame of the node is that of its inputs. A Merge has one input that comes later,
// from a NextIteration, and is still unknown; the deepest of the others decides.
int LoopFrames::FrameFor(const Node& node) {
  int frame = 0;
  const auto look_at = [&](const Node* input) {
    const int other = FrameOfOutputs(input);
    if (frames_[other].depth > frames_[frame].depth) frame = other;
  };
  for (const Output& input : node.inputs()) look_at(input.node);
  for (const Node* input : node.control_inputs()) look_at(input);
  if (node.role() != OpRole::kEnter) return frame;
  return FrameWithin(frame, node.attrs().Get<std::string>("frame_name"));
}

int LoopFrames::FrameOfOutputs(const Node* node) const {
  const int frame = frame_of_[node->id()];
  return node->role() == OpRole::kExit ? frames_[frame].parent : frame;
}

int LoopFrames::LoopOfOutputs(const Node* node) const {
  return frames_[FrameOfOutputs(node)].loop;
}

}  // namespace minitf
