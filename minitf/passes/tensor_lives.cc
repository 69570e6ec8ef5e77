// The lives of a graph's tensors, and which of them may share memory.

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "minitf/framework/elementwise.h"
#include "minitf/graph/consumers.h"
#include "minitf/graph/topological_order.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/memory_plan.h"

namespace minitf {
namespace {

using OpNames = std::set<std::string, std::less<>>;

// Ops whose output is their first input, element for element, in the same memory.
bool SharesInput(const Node& node) {
  static const auto& ops =
      *new OpNames{"Reshape", "Squeeze", "ExpandDims", "Bitcast", "EnsureShape"};
  return IsIdentity(node) || ops.contains(node.type());
}

// Ops whose outputs belong to somebody else: the caller, the graph, a variable.
bool IsForeign(const Node& node) {
  static const auto& ops = *new OpNames{"_Arg", "Const", "ReadVariableOp", "VarHandleOp"};
  return ops.contains(node.type());
}

bool HasPlan(const Output& tensor) {
  return tensor.shape().IsFullyKnown() && IsPlain(tensor.dtype()) &&
         !IsForeign(*tensor.node);
}

int64_t BytesOf(const Output& tensor) {
  return tensor.shape().num_elements() * static_cast<int64_t>(SizeOf(tensor.dtype()));
}

class LifeFinder {
 public:
  explicit LifeFinder(const StepGraph& step) : consumers_(*step.graph) {
    result_.order = TopologicalOrder(step.graph->nodes());
    for (size_t i = 0; i < result_.order.size(); ++i) {
      time_[result_.order[i]] = static_cast<int>(i);
    }
  }

  PlannedStep Run() {
    for (Node* node : result_.order) {
      for (int i = 0; i < node->num_outputs(); ++i) AddTensor(node->output(i));
    }
    return std::move(result_);
  }

 private:
  void AddTensor(const Output& tensor) {
    if (!HasPlan(tensor)) {
      if (!IsForeign(*tensor.node)) ++result_.num_unknown;
      return;
    }
    result_.total_bytes += BytesOf(tensor);
    const int last_use = LastUse(tensor);
    int buffer = BufferToTakeOver(tensor);
    if (buffer < 0) {
      buffer = static_cast<int>(result_.buffers.size());
      const int now = time_.at(tensor.node);
      result_.buffers.push_back({BytesOf(tensor), now, now});
      users_.emplace_back();
    }
    BufferLife& life = result_.buffers[buffer];
    life.last_use = std::max(life.last_use, last_use);
    users_[buffer].push_back(tensor);
    buffer_of_[tensor.node].resize(tensor.node->num_outputs(), -1);
    buffer_of_[tensor.node][tensor.index] = buffer;
    result_.tensors.push_back({tensor, buffer});
  }

  // The step that reads `tensor` last; the end if it is fetched.
  int LastUse(const Output& tensor) const {
    int last = time_.at(tensor.node);
    for (const Use& use : consumers_.Of(tensor.node)) {
      if (use.output != tensor.index) continue;
      const bool is_fetched = use.consumer->type() == "_Retval";
      last = std::max(last, is_fetched ? static_cast<int>(result_.order.size())
                                       : time_.at(use.consumer));
    }
    return last;
  }

  // The buffer of an input into whose memory `tensor` may go; -1 if there is none.
  int BufferToTakeOver(const Output& tensor) const {
    const Node& node = *tensor.node;
    const int now = time_.at(tensor.node);
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const int buffer = BufferOf(node.inputs()[i]);
      if (buffer < 0) continue;
      if (i == 0 && SharesInput(node)) return buffer;
      if (!MayWorkInPlace(node, static_cast<int>(i)) || tensor.index != 0) continue;
      // Nobody may read the memory any more, under whatever name.
      const bool is_dead = std::ranges::all_of(users_[buffer], [&](const Output& user) {
        return LastUse(user) <= now;
      });
      if (is_dead && result_.buffers[buffer].size == BytesOf(tensor)) return buffer;
    }
    return -1;
  }

  int BufferOf(const Output& tensor) const {
    const auto found = buffer_of_.find(tensor.node);
    return found == buffer_of_.end() ? -1 : found->second[tensor.index];
  }

  const Consumers consumers_;
  PlannedStep result_;
  std::unordered_map<const Node*, int> time_;
  std::unordered_map<const Node*, std::vector<int>> buffer_of_;
  std::vector<std::vector<Output>> users_;  // of each buffer
};

}  // namespace

bool MayWorkInPlace(const Node& node, int i) {
  if (node.num_outputs() != 1) return false;
  const Output& input = node.inputs()[i];
  if (input.dtype() != node.output_type(0)) return false;
  if (!input.shape().IsFullyKnown() || !(input.shape() == node.output_shape(0))) {
    return false;
  }
  if (node.type() == "BiasAdd") return i == 0;
  // That kernel tries its first three inputs.
  if (node.type() == "_FusedElementwise") return i < 3;
  return FindElementwiseLoop(node.type(), node.output_type(0)) != nullptr;
}

PlannedStep LivesOf(const StepGraph& step) { return LifeFinder(step).Run(); }

}  // namespace minitf
