// The lives of a graph's tensors, and which of them may share memory.
//
// Exercise   exercises/07_passes

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "minitf/framework/elementwise.h"
#include "minitf/graph/consumers.h"
#include "minitf/graph/topological_order.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/memory_plan.h"

namespace minitf {
namespace {

// Whether the outputs share memory of the caller, of the graph or of a variable.
bool IsForeign(const Node& node) {
  // LAB(07.12) begin: return it; a node may hand on what it was handed
  const Node* owner = &node;
  while (owner->facts().hands_on_input) owner = owner->inputs()[0].node;
  return owner->facts().lends_outputs;
  // LAB(07.12) end
}

bool HasPlan(const Output& tensor) {
  return tensor.shape().IsFullyKnown() && IsPlain(tensor.dtype()) &&
         !IsForeign(*tensor.node);
}

int64_t BytesOf(const Output& tensor) {
  return tensor.shape().num_elements() * static_cast<int64_t>(SizeOf(tensor.dtype()));
}

// Whether `node` may hold on to its inputs beyond the step: a variable keeps what it is
// assigned, a queue what is put into it. Training ops only read.
bool MayKeepInputs(const Node& node) {
  return node.op().is_stateful() && !node.facts().releases_inputs;
}

// Whether the kernels of `device`, which run `node`, have a loop for it.
bool HasElementwiseLoop(const Node& node, Device device) {
  return node.num_outputs() == 1 &&
         FindElementwiseLoop(device, node.type(), node.output_type(0)) != nullptr;
}

// Whether the kernel, which looks for as many elements, may find an input to write into
// that MayWorkInPlace, which looks for the same shape, does not know of.
bool MayTakeAnyInput(const Node& node, Device device) {
  const PartialShape& output = node.output_shape(0);
  if (!output.IsFullyKnown()) return true;
  const auto count = static_cast<size_t>(node.facts().num_forwarded_inputs);
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    if (i >= count && !HasElementwiseLoop(node, device)) break;
    const PartialShape& input = node.inputs()[i].shape();
    if (!input.IsFullyKnown()) return true;
    const bool has_as_many = input.num_elements() == output.num_elements();
    if (has_as_many && !(input == output)) return true;
  }
  return false;
}

// Whether an output may turn out to lie in the memory of an input, though the op does not
// say so: a Slice of whole rows, a Transpose that moves nothing.
bool MayHandOnInput(const Node& node, Device device) {
  const bool may_take =
      node.facts().num_forwarded_inputs > 0 || HasElementwiseLoop(node, device);
  return may_take ? MayTakeAnyInput(node, device) : !node.facts().has_fresh_outputs;
}

class LifeFinder {
 public:
  LifeFinder(const StepGraph& step, const PassOptions& options)
      : consumers_(*step.graph), options_(options) {
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
  using Buffers = std::vector<int>;

  void AddTensor(const Output& tensor) {
    const Node& node = *tensor.node;
    const Device device = options_.KernelsOf(node);
    Buffers& places = places_[{&node, tensor.index}];
    const bool has_plan = HasPlan(tensor);
    if (!has_plan && !IsForeign(node)) ++result_.num_unknown;
    if (has_plan) {
      result_.total_bytes += BytesOf(tensor);
      places = InheritedPlaces(tensor);
      if (places.empty()) places.push_back(NewBuffer(tensor));
      result_.tensors.push_back({tensor, places[0]});
    }
    // LAB(07.12) begin: add where else the tensor may lie, and let these buffers live on
    if (MayHandOnInput(node, device)) {
      for (const Output& source : node.inputs()) {
        const Buffers& more = PlacesOf(source);
        places.insert(places.end(), more.begin(), more.end());
      }
    }
    for (const int buffer : places) {
      BufferLife& life = result_.buffers[buffer];
      life.last_use = std::max(life.last_use, LastUse(tensor));
      users_[buffer].push_back(tensor);
    }
    // LAB(07.12) end
  }

  int NewBuffer(const Output& tensor) {
    const int now = time_.at(tensor.node);
    result_.buffers.push_back({BytesOf(tensor), now, now});
    users_.emplace_back();
    return static_cast<int>(result_.buffers.size()) - 1;
  }

  // The node that reads `tensor` last, by its place in the order; the end if it is kept.
  int LastUse(const Output& tensor) const {
    int last = time_.at(tensor.node);
    // LAB(07.12) begin: find the last reader
    for (const Use& use : consumers_.Of(tensor.node)) {
      if (use.output != tensor.index) continue;
      const bool is_kept =
          use.consumer->role() == OpRole::kRetval || MayKeepInputs(*use.consumer);
      last = std::max(last, is_kept ? static_cast<int>(result_.order.size())
                                    : time_.at(use.consumer));
    }
    // LAB(07.12) end
    return last;
  }

  // The places of an input into whose memory `tensor` goes; none if there is none.
  Buffers InheritedPlaces(const Output& tensor) const {
    const Node& node = *tensor.node;
    const Device device = options_.KernelsOf(node);
    // LAB(07.13) begin: return the places of such an input
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const Buffers& places = PlacesOf(node.inputs()[i]);
      if (places.empty()) continue;
      if (i == 0 && node.facts().hands_on_input) return places;
      if (!MayWorkInPlace(node, static_cast<int>(i), device)) continue;
      const auto may_be_there = [&](const Output& other) {
        return !(other == node.inputs()[i]) &&
               std::ranges::count(PlacesOf(other), places[0]) > 0;
      };
      if (std::ranges::any_of(node.inputs(), may_be_there)) continue;  // read twice
      const bool fits = result_.buffers[places[0]].size == BytesOf(tensor);
      const auto is_dead = [&](int buffer) { return IsDeadAfter(tensor.node, buffer); };
      if (fits && std::ranges::all_of(places, is_dead)) return places;
    }
    // LAB(07.13) end
    return {};
  }

  // Whether no later node than `node` reads the buffer, under any name.
  bool IsDeadAfter(const Node* node, int buffer) const {
    // LAB(07.13) begin: return it
    return std::ranges::all_of(users_[buffer], [&](const Output& user) {
      return LastUse(user) <= time_.at(node);
    });
    // LAB(07.13) end
  }

  // The buffers in which `tensor` may lie, the planned one first.
  const Buffers& PlacesOf(const Output& tensor) const {
    static const Buffers none;
    const auto found = places_.find({tensor.node, tensor.index});
    return found == places_.end() ? none : found->second;
  }

  const Consumers consumers_;
  const PassOptions& options_;
  PlannedStep result_;
  std::unordered_map<const Node*, int> time_;
  std::map<std::pair<const Node*, int>, Buffers> places_;
  std::vector<std::vector<Output>> users_;  // of each buffer
};

}  // namespace

bool MayWorkInPlace(const Node& node, int i, Device device) {
  // LAB(07.13) begin: return it
  if (node.num_outputs() != 1) return false;
  const Output& input = node.inputs()[i];
  if (std::ranges::count(node.inputs(), input) > 1) return false;  // read twice
  if (input.dtype() != node.output_type(0)) return false;
  if (!input.shape().IsFullyKnown() || !(input.shape() == node.output_shape(0))) {
    return false;
  }
  return i < node.facts().num_forwarded_inputs || HasElementwiseLoop(node, device);
  // LAB(07.13) end
}

PlannedStep LivesOf(const StepGraph& step, const PassOptions& options) {
  return LifeFinder(step, options).Run();
}

}  // namespace minitf
