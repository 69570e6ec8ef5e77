// Laying out a graph for running.

#include "minitf/runtime/executor_plan.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "minitf/base/logging.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

NodeKind KindOf(const Node& node) {
  static const auto* const kinds = new std::unordered_map<std::string_view, NodeKind>{
      {"_Arg", NodeKind::kArg},
      {"Switch", NodeKind::kSwitch},
      {"Merge", NodeKind::kMerge},
      {"Enter", NodeKind::kEnter},
      {"Exit", NodeKind::kExit},
      {"NextIteration", NodeKind::kNextIteration},
      {"_Send", NodeKind::kSend},
      {"_Recv", NodeKind::kRecv},
      {"ControlTrigger", NodeKind::kControlTrigger},
  };
  const auto found = kinds->find(node.type());
  return found == kinds->end() ? NodeKind::kPlain : found->second;
}

// Lays out nodes, then edges.
class Planner {
 public:
  Planner(ExecutorPlan* plan, int num_feeds, int num_fetches)
      : plan_(*plan), feed_edges_(num_feeds), fetches_(num_fetches) {
    plan_.frames.emplace_back();
    plan_.fetch_names.resize(num_fetches);
  }

  void AddNodes(const PlacedGraph& placed, KernelCache* kernel_cache) {
    const auto graph_number = static_cast<int32_t>(plan_.device_names.size());
    plan_.device_names.push_back(placed.device_name);
    for (Node* node : TopologicalOrder(placed.graph->nodes())) {
      if (node->type() == "_Retval") {
        AddFetch(*node);
      } else {
        AddNode(*node, placed, graph_number, kernel_cache);
      }
    }
  }

  void AddEdges() {
    // Of a plan without control flow, feeds are put straight into the slots.
    data_edges_.resize(plan_.output_types.size());
    control_edges_.resize(plan_.nodes.size());
    PlannedFrame& root = plan_.frames[0];
    plan_.first_fetch_slot = root.num_slots;
    root.num_slots += plan_.num_fetches();
    for (int i = 0; i < plan_.num_nodes(); ++i) AddEdgesInto(i);
    for (int i = 0; i < plan_.num_fetches(); ++i) {
      if (fetches_[i].node != nullptr) {
        AddData(fetches_[i], {plan_.first_fetch_slot + i, -1});
      }
    }
    LayOutEdges();
  }

 private:
  using Edges = std::vector<PlannedEdge>;

  void AddFetch(const Node& retval) {
    const int64_t i = retval.attrs().Get<int64_t>("index");
    fetches_.at(i) = retval.inputs()[0];
    plan_.fetch_names[i] = retval.inputs()[0].name();
    RequireFrame(retval, 0);
  }

  void AddNode(const Node& node, const PlacedGraph& placed, int32_t graph_number,
               KernelCache* kernel_cache) {
    PlannedNode planned;
    planned.kind = KindOf(node);
    planned.device = placed.device;
    planned.frame = FrameOf(node);
    PlannedFrame& frame = plan_.frames[planned.frame];
    planned.first_slot = frame.num_slots;
    planned.num_inputs = static_cast<int32_t>(node.inputs().size());
    planned.counter = static_cast<int32_t>(frame.pending.size());
    planned.first_output = static_cast<int32_t>(plan_.output_types.size());
    planned.num_outputs = node.num_outputs();
    frame.num_slots += planned.num_inputs;
    frame.pending.push_back(planned.kind == NodeKind::kMerge ? 1 : 0);

    if (planned.kind == NodeKind::kArg) {
      planned.other = static_cast<int32_t>(node.attrs().Get<int64_t>("index"));
      plan_.kernels.emplace_back();
    } else {
      ++plan_.num_nodes_to_run;
      plan_.kernels.push_back(kernel_cache->Get(node, placed.kernels, *placed.device));
      planned.kernel = plan_.kernels.back().get();
      planned.async_kernel = planned.kernel->AsAsync();
      planned.is_expensive = planned.kernel->IsExpensive();
    }
    const bool needs_loop =
        planned.kind == NodeKind::kExit || planned.kind == NodeKind::kNextIteration;
    if (needs_loop && planned.frame == 0) {
      ThrowInvalidArgument("the node ", node.Describe(), " is in no loop");
    }
    if (planned.kind == NodeKind::kEnter) EnterFrame(node, graph_number, &planned);
    NoteKind(planned);

    numbers_.emplace(&node, plan_.num_nodes());
    plan_.max_outputs = std::max(plan_.max_outputs, planned.num_outputs);
    const auto& types = node.signature().output_types;
    plan_.output_types.insert(plan_.output_types.end(), types.begin(), types.end());
    plan_.nodes.push_back(planned);
    plan_.graph_nodes.push_back(&node);
    plan_.graph_of.push_back(graph_number);
  }

  void NoteKind(const PlannedNode& node) {
    const bool is_transfer = node.kind == NodeKind::kSend || node.kind == NodeKind::kRecv;
    plan_.has_transfers |= is_transfer;
    plan_.has_async |= node.async_kernel != nullptr;
    plan_.has_control_flow |=
        node.kind != NodeKind::kPlain && node.kind != NodeKind::kArg;
  }

  // The frame into which the outputs of a node go.
  int32_t FrameAfter(const Node* node) const {
    const PlannedNode& planned = plan_.nodes[numbers_.at(node)];
    if (planned.kind == NodeKind::kEnter) return planned.other;
    if (planned.kind != NodeKind::kExit) return planned.frame;
    return plan_.frames[planned.frame].parent;
  }

  // The frame in which `node` runs: that of its inputs, which must agree.
  int32_t FrameOf(const Node& node) const {
    const Node* first = nullptr;
    const auto check = [&](const Node* input) {
      if (!numbers_.contains(input)) return;  // the edge back of a loop
      if (first == nullptr) first = input;
      if (FrameAfter(input) == FrameAfter(first)) return;
      throw Error(errors::InvalidArgument(
          "The node ", node.Describe(), " has inputs from different frames. The input ",
          first->Describe(), " is in frame '", plan_.frames[FrameAfter(first)].name,
          "'. The input ", input->Describe(), " is in frame '",
          plan_.frames[FrameAfter(input)].name, "'."));
    };
    for (const Output& input : node.inputs()) check(input.node);
    for (const Node* input : node.control_inputs()) check(input);
    const int32_t frame = first == nullptr ? 0 : FrameAfter(first);
    if (frame < 0) {
      ThrowInvalidArgument("the node ", node.Describe(), " takes an Exit that is in no ",
                           "loop");
    }
    return frame;
  }

  void RequireFrame(const Node& retval, int32_t frame) const {
    const PlannedFrame& found = plan_.frames[FrameOf(retval)];
    if (&found == &plan_.frames[frame]) return;
    throw Error(errors::InvalidArgument(
        "Operation '", retval.inputs()[0].node->name(),
        "' has been marked as not fetchable: it is inside of the loop '", found.name,
        "', which ", found.entered_by, " enters"));
  }

  // Finds or makes the frame that the Enter `node` enters.
  void EnterFrame(const Node& node, int32_t graph_number, PlannedNode* planned) {
    const auto& name = node.attrs().Get<std::string>("frame_name");
    const auto key = std::tuple(graph_number, planned->frame, name);
    const auto [found, is_new] =
        frames_.try_emplace(key, static_cast<int32_t>(plan_.frames.size()));
    if (is_new) {
      PlannedFrame frame;
      frame.name = name;
      frame.entered_by = node.Describe();
      frame.parent = planned->frame;
      const int64_t parallel = node.attrs().Get<int64_t>("parallel_iterations");
      frame.parallel_iterations =
          static_cast<int32_t>(std::clamp<int64_t>(parallel, 1, 1 << 20));
      plan_.frames.push_back(std::move(frame));
    }
    ++plan_.frames[found->second].num_enters;
    planned->other = found->second;
    planned->is_constant_enter = node.attrs().Get<bool>("is_constant");
  }

  void AddEdgesInto(int32_t number) {
    const Node& node = *plan_.graph_nodes[number];
    PlannedNode& planned = plan_.nodes[number];
    int32_t& pending = plan_.frames[planned.frame].pending[planned.counter];
    int32_t slot = planned.first_slot;
    const bool is_merge = planned.kind == NodeKind::kMerge;
    for (const Output& input : node.inputs()) {
      if (AddData(input, {slot++, number}) && !is_merge) ++pending;
    }
    for (const Node* source : node.control_inputs()) {
      if (IsFed(source)) continue;
      control_edges_[numbers_.at(source)].push_back({-1, number});
      pending += is_merge ? 2 : 1;
    }
  }

  // A feed that is there from the start.
  bool IsFed(const Node* node) const {
    return !plan_.has_control_flow &&
           plan_.nodes[numbers_.at(node)].kind == NodeKind::kArg;
  }

  // Whether the edge's node has to wait for it.
  bool AddData(const Output& source, PlannedEdge edge) {
    const PlannedNode& from = plan_.nodes[numbers_.at(source.node)];
    if (IsFed(source.node)) {
      feed_edges_.at(from.other).push_back({edge.slot, -1});
      return false;
    }
    data_edges_[from.first_output + source.index].push_back(edge);
    return true;
  }

  void LayOutEdges() {
    for (int i = 0; i < plan_.num_nodes(); ++i) {
      PlannedNode& node = plan_.nodes[i];
      node.first_edge = static_cast<int32_t>(plan_.edges.size());
      for (int output = 0; output < node.num_outputs; ++output) {
        plan_.edge_ends.push_back(
            Append(data_edges_[node.first_output + output], &plan_.edges));
      }
      node.end_edge = Append(control_edges_[i], &plan_.edges);
    }
    for (const auto& edges : feed_edges_) {
      plan_.feed_ends.push_back(Append(edges, &plan_.feed_edges));
    }
    for (int i = plan_.num_nodes() - 1; i >= 0; --i) {
      const PlannedNode& node = plan_.nodes[i];
      if (node.kind == NodeKind::kArg && !plan_.has_control_flow) continue;
      if (plan_.frames[node.frame].pending[node.counter] > 0) continue;
      Require(node.frame == 0, "the node ", plan_.graph_nodes[i]->Describe(),
              " is in a loop and waits for nothing");
      plan_.roots.push_back(i);
    }
  }

  // Returns where the edges end.
  static int32_t Append(const Edges& edges, Edges* all) {
    all->insert(all->end(), edges.begin(), edges.end());
    return static_cast<int32_t>(all->size());
  }

  ExecutorPlan& plan_;
  std::unordered_map<const Node*, int32_t> numbers_;
  // By graph, frame from which one enters, and name.
  std::map<std::tuple<int32_t, int32_t, std::string>, int32_t> frames_;
  std::vector<Edges> data_edges_;  // by output, as output_types
  std::vector<Edges> control_edges_;
  std::vector<Edges> feed_edges_;
  std::vector<Output> fetches_;
};

}  // namespace

ExecutorPlan::ExecutorPlan(const std::vector<PlacedGraph>& graphs, int num_feeds,
                           int num_fetches, KernelCache* kernel_cache) {
  Planner planner(this, num_feeds, num_fetches);
  for (const PlacedGraph& graph : graphs) planner.AddNodes(graph, kernel_cache);
  planner.AddEdges();
  VLOG(1) << "Executor: " << num_nodes_to_run << " nodes, " << edges.size() << " edges, "
          << num_feeds << " feeds, " << num_fetches << " fetches, " << graphs.size()
          << " devices";
}

}  // namespace minitf
