// Laying out a graph for running.

#include "minitf/runtime/executor/executor_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "minitf/base/logging.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

// Lays out nodes, then edges.
class Planner {
 public:
  Planner(ExecutorPlan* plan, const std::vector<PlacedGraph>& graphs, int num_feeds,
          int num_fetches)
      : plan_(*plan), graphs_(graphs), num_feeds_(num_feeds), fetches_(num_fetches) {
    plan_.frames.emplace_back();
    plan_.fetch_names.resize(num_fetches);
    numbers_.resize(graphs.size());
    for (const PlacedGraph& placed : graphs) {
      plan_.device_names.push_back(placed.device_name);
      if (placed.device->stream != nullptr) {
        plan_.streams.push_back(placed.device->stream);
      }
    }
  }

  void AddNodes(KernelCache* kernel_cache) {
    for (int32_t i = 0; i < static_cast<int32_t>(graphs_.size()); ++i) {
      graph_ = FirstWithGraphOf(i);
      if (graph_ == i) AddNodesOfGraph(kernel_cache);
    }
  }

  void AddEdges() {
    // Of a plan without control flow, feeds are put straight into the slots.
    PlannedFrame& root = plan_.frames[0];
    plan_.first_fetch_slot = root.num_slots;
    root.num_slots += plan_.num_fetches();
    for (int i = 0; i < plan_.num_nodes(); ++i) AddEdgesInto(i);
    for (int i = 0; i < plan_.num_fetches(); ++i) {
      if (fetches_[i].tensor.node == nullptr) continue;
      graph_ = fetches_[i].graph;
      AddData(fetches_[i].tensor, {plan_.first_fetch_slot + i, -1});
    }
    LayOutEdges();
    FindRoots();
  }

 private:
  // An edge, and the group in which it is to stand.
  struct GroupedEdge {
    int32_t group;
    PlannedEdge edge;
  };
  struct Fetch {
    Output tensor;
    int32_t graph = 0;
  };

  // The first of graphs_ that has the graph of the one at `i`.
  int32_t FirstWithGraphOf(int32_t i) const {
    int32_t first = 0;
    while (graphs_[first].graph != graphs_[i].graph) ++first;
    return first;
  }

  // Which of graphs_ says where `node` of graph_ runs.
  int32_t PlacedIn(const Node& node) const {
    for (size_t i = graph_ + 1; i < graphs_.size(); ++i) {
      const PlacedGraph& placed = graphs_[i];
      if (placed.graph == graphs_[graph_].graph && placed.device_name == node.device()) {
        return static_cast<int32_t>(i);
      }
    }
    return graph_;
  }

  void AddNodesOfGraph(KernelCache* kernel_cache) {
    const auto nodes = graphs_[graph_].graph->nodes();
    for (const Node* node : nodes) {
      auto& numbers = numbers_[graph_];
      if (numbers.size() <= static_cast<size_t>(node->id())) {
        numbers.resize(node->id() + 1, -1);
      }
    }
    for (Node* node : TopologicalOrder(nodes)) {
      if (node->role() == OpRole::kRetval) {
        AddFetch(*node);
      } else {
        AddNode(*node, PlacedIn(*node), kernel_cache);
      }
    }
  }

  // The number of a node of graph_; -1 if it has none yet.
  int32_t NumberOf(const Node* node) const { return numbers_[graph_][node->id()]; }

  void AddFetch(const Node& retval) {
    const int64_t i = retval.attrs().Get<int64_t>("index");
    fetches_.at(i) = {retval.inputs()[0], graph_};
    plan_.fetch_names[i] = retval.inputs()[0].name();
    RequireFrame(retval, 0);
  }

  void AddNode(const Node& node, int32_t placed_in, KernelCache* kernel_cache) {
    const PlacedGraph& placed = graphs_[placed_in];
    PlannedNode planned;
    planned.role = node.role();
    planned.device = placed.device;
    planned.frame = FrameOf(node);
    PlannedFrame& frame = plan_.frames[planned.frame];
    planned.first_slot = frame.num_slots;
    planned.num_inputs = static_cast<int32_t>(node.inputs().size());
    planned.counter = static_cast<int32_t>(frame.pending.size());
    planned.first_output = static_cast<int32_t>(plan_.output_types.size());
    planned.num_outputs = node.num_outputs();
    frame.num_slots += planned.num_inputs;
    frame.pending.push_back(planned.role == OpRole::kMerge ? 1 : 0);

    if (planned.role == OpRole::kArg) {
      planned.other = static_cast<int32_t>(node.attrs().Get<int64_t>("index"));
      plan_.kernels.emplace_back();
    } else {
      ++plan_.num_nodes_to_run;
      plan_.kernels.push_back(kernel_cache->Get(node, placed.kernels, *placed.device));
      planned.kernel = plan_.kernels.back().get();
      planned.device = &planned.kernel->device();  // or the host beside it
      planned.async_kernel = planned.kernel->AsAsync();
      planned.is_expensive = planned.kernel->IsExpensive();
    }
    const bool needs_loop =
        planned.role == OpRole::kExit || planned.role == OpRole::kNextIteration;
    if (needs_loop && planned.frame == 0) {
      ThrowInvalidArgument("the node ", node.Describe(), " is in no loop");
    }
    if (planned.role == OpRole::kEnter) EnterFrame(node, &planned);
    NoteRole(planned, node.facts().is_control_flow());

    numbers_[graph_][node.id()] = plan_.num_nodes();
    plan_.max_outputs = std::max(plan_.max_outputs, planned.num_outputs);
    const auto& types = node.signature().output_types;
    plan_.output_types.insert(plan_.output_types.end(), types.begin(), types.end());
    plan_.nodes.push_back(planned);
    plan_.graph_nodes.push_back(&node);
    plan_.placed_in.push_back(placed_in);
  }

  void NoteRole(const PlannedNode& node, bool is_control_flow) {
    const bool is_transfer = node.role == OpRole::kSend || node.role == OpRole::kReceive;
    plan_.has_transfers |= is_transfer;
    plan_.has_async |= node.async_kernel != nullptr;
    plan_.has_control_flow |= is_control_flow || is_transfer;
  }

  // The frame into which the outputs of a node go.
  int32_t FrameAfter(const Node* node) const {
    const PlannedNode& planned = plan_.nodes[NumberOf(node)];
    if (planned.role == OpRole::kEnter) return planned.other;
    if (planned.role != OpRole::kExit) return planned.frame;
    return plan_.frames[planned.frame].parent;
  }

  // The frame in which `node` runs: that of its inputs, which must agree.
  int32_t FrameOf(const Node& node) const {
    const Node* first = nullptr;
    const auto check = [&](const Node* input) {
      if (NumberOf(input) < 0) return;  // the edge back of a loop
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
  void EnterFrame(const Node& node, PlannedNode* planned) {
    const auto& name = node.attrs().Get<std::string>("frame_name");
    const auto key = std::tuple(graph_, planned->frame, name);
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
    graph_ = FirstWithGraphOf(plan_.placed_in[number]);
    const PlannedNode& planned = plan_.nodes[number];
    int32_t& pending = plan_.frames[planned.frame].pending[planned.counter];
    int32_t slot = planned.first_slot;
    const bool is_merge = planned.role == OpRole::kMerge;
    for (const Output& input : node.inputs()) {
      if (AddData(input, {slot++, number}) && !is_merge) ++pending;
    }
    for (const Node* source : node.control_inputs()) {
      if (IsFed(source)) continue;
      const int32_t from = NumberOf(source);
      edges_.push_back({GroupOf(from, plan_.nodes[from].num_outputs), {-1, number}});
      pending += is_merge ? 2 : 1;
    }
  }

  // A feed that is there from the start.
  bool IsFed(const Node* node) const {
    return !plan_.has_control_flow && plan_.nodes[NumberOf(node)].role == OpRole::kArg;
  }

  // Each output of a node has a group of edges, and behind them its control edges have
  // one.
  int32_t GroupOf(int32_t node, int32_t output) const {
    return plan_.nodes[node].first_output + node + output;
  }

  // Whether the edge's node has to wait for it.
  bool AddData(const Output& source, PlannedEdge edge) {
    const int32_t from = NumberOf(source.node);
    if (IsFed(source.node)) {
      feed_edges_.push_back({plan_.nodes[from].other, {edge.slot, -1}});
      return false;
    }
    edges_.push_back({GroupOf(from, source.index), edge});
    return true;
  }

  void LayOutEdges() {
    const auto num_groups = plan_.output_types.size() + plan_.nodes.size();
    const std::vector<int32_t> ends = Group(edges_, num_groups, &plan_.edges);
    int32_t end = 0;
    for (int i = 0; i < plan_.num_nodes(); ++i) {
      PlannedNode& node = plan_.nodes[i];
      node.first_edge = end;
      for (int output = 0; output < node.num_outputs; ++output) {
        plan_.edge_ends.push_back(ends[GroupOf(i, output)]);
      }
      node.end_edge = end = ends[GroupOf(i, node.num_outputs)];
    }
    plan_.feed_ends = Group(feed_edges_, num_feeds_, &plan_.feed_edges);
  }

  // Puts edges of one group together, in the order in which they were added. Returns
  // where each group ends.
  static std::vector<int32_t> Group(const std::vector<GroupedEdge>& edges,
                                    size_t num_groups,
                                    std::vector<PlannedEdge>* grouped) {
    std::vector<int32_t> ends(num_groups, 0);
    for (const auto& [group, edge] : edges) ++ends.at(group);
    // What was counted becomes where each group begins, and then where it ends.
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0);
    grouped->resize(edges.size());
    for (const auto& [group, edge] : edges) (*grouped)[ends[group]++] = edge;
    return ends;
  }

  // The nodes with which a step begins.
  void FindRoots() {
    for (int i = plan_.num_nodes() - 1; i >= 0; --i) {
      const PlannedNode& node = plan_.nodes[i];
      if (node.role == OpRole::kArg && !plan_.has_control_flow) continue;
      if (plan_.frames[node.frame].pending[node.counter] > 0) continue;
      Require(node.frame == 0, "the node ", plan_.graph_nodes[i]->Describe(),
              " is in a loop and waits for nothing");
      plan_.roots.push_back(i);
    }
  }

  ExecutorPlan& plan_;
  const std::vector<PlacedGraph>& graphs_;
  int32_t graph_ = 0;  // the one that is being worked on: the first that has the graph
  std::vector<std::vector<int32_t>> numbers_;  // by graph, and id of the node
  // By graph, frame from which one enters, and name.
  std::map<std::tuple<int32_t, int32_t, std::string>, int32_t> frames_;
  std::vector<GroupedEdge> edges_;
  std::vector<GroupedEdge> feed_edges_;  // by number of the feed
  int num_feeds_ = 0;
  std::vector<Fetch> fetches_;
};

}  // namespace

ExecutorPlan::ExecutorPlan(const std::vector<PlacedGraph>& graphs, int num_feeds,
                           int num_fetches, KernelCache* kernel_cache) {
  Planner planner(this, graphs, num_feeds, num_fetches);
  planner.AddNodes(kernel_cache);
  planner.AddEdges();
  VLOG(1) << "Executor: " << num_nodes_to_run << " nodes, " << edges.size() << " edges, "
          << num_feeds << " feeds, " << num_fetches << " fetches, " << graphs.size()
          << " devices";
}

}  // namespace minitf
