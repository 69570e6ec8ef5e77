// Laying out a part of a graph for running.

#include "minitf/runtime/executor_plan.h"

#include <algorithm>
#include <unordered_map>

#include "minitf/base/logging.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

// The nodes that a step must run, in an order in which it can.
std::vector<Node*> NodesToRun(const std::vector<Output>& feeds,
                              const std::vector<Output>& fetches,
                              const std::vector<Node*>& targets) {
  for (const Output& feed : feeds) RequireExists(feed);
  std::vector<Node*> needed = targets;
  for (const Output& fetch : fetches) {
    RequireExists(fetch);
    if (std::ranges::find(feeds, fetch) == feeds.end()) needed.push_back(fetch.node);
  }
  return TopologicalOrder(Ancestors(needed, feeds));
}

// Collects the edges of all nodes and feeds, then lays them out in the plan.
class EdgeLayout {
 public:
  EdgeLayout(ExecutorPlan* plan, const std::vector<Node*>& order,
             const std::vector<Output>& feeds)
      : plan_(*plan),
        data_edges_(plan->output_types.size()),
        control_edges_(order.size()),
        feed_edges_(feeds.size()) {
    for (size_t i = 0; i < order.size(); ++i) numbers_.emplace(order[i], i);
    for (size_t i = 0; i < feeds.size(); ++i) {
      feeds_[feeds[i].node].push_back({feeds[i].index, static_cast<int>(i)});
    }
  }

  // From `source` into `slot`, for node `to`, which is -1 for a fetch.
  void AddData(const Output& source, int slot, int to) {
    if (const int feed = FeedOf(source); feed >= 0) {
      feed_edges_[feed].push_back({slot, -1});
      return;
    }
    const PlannedNode& from = plan_.nodes[numbers_.at(source.node)];
    data_edges_[from.first_output + source.index].push_back({slot, to});
    if (to >= 0) ++plan_.pending[to];
  }

  // A node that is not run has been fed.
  void AddControl(const Node* source, int to) {
    const auto from = numbers_.find(source);
    if (from == numbers_.end()) return;
    control_edges_[from->second].push_back({-1, to});
    ++plan_.pending[to];
  }

  void Finish() {
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
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
      if (plan_.pending[i] == 0) plan_.roots.push_back(i);
    }
  }

 private:
  using Edges = std::vector<PlannedEdge>;

  struct Feed {
    int output;
    int number;
  };

  // The number of the feed that stands for `source`, or -1.
  int FeedOf(const Output& source) const {
    const auto found = feeds_.find(source.node);
    if (found == feeds_.end()) return -1;
    for (const Feed& feed : found->second) {
      if (feed.output == source.index) return feed.number;
    }
    return -1;
  }

  // Returns where the edges end.
  static int32_t Append(const Edges& edges, Edges* all) {
    all->insert(all->end(), edges.begin(), edges.end());
    return static_cast<int32_t>(all->size());
  }

  ExecutorPlan& plan_;
  std::unordered_map<const Node*, size_t> numbers_;
  std::unordered_map<const Node*, std::vector<Feed>> feeds_;
  std::vector<Edges> data_edges_;  // by output, as output_types
  std::vector<Edges> control_edges_;
  std::vector<Edges> feed_edges_;
};

}  // namespace

ExecutorPlan::ExecutorPlan(const std::vector<Output>& feeds,
                           const std::vector<Output>& fetches,
                           const std::vector<Node*>& targets,
                           const DeviceContext& device_context, KernelCache* kernel_cache)
    : device(device_context) {
  const std::vector<Node*> order = NodesToRun(feeds, fetches, targets);
  for (const Node* node : order) {
    kernels.push_back(kernel_cache->Get(*node, device));
    PlannedNode planned;
    planned.kernel = kernels.back().get();
    planned.is_expensive = planned.kernel->IsExpensive();
    planned.first_slot = num_slots;
    planned.num_inputs = static_cast<int32_t>(node->inputs().size());
    planned.first_output = static_cast<int32_t>(output_types.size());
    planned.num_outputs = node->num_outputs();
    num_slots += planned.num_inputs;
    max_outputs = std::max(max_outputs, planned.num_outputs);
    const auto& types = node->signature().output_types;
    output_types.insert(output_types.end(), types.begin(), types.end());
    nodes.push_back(planned);
    graph_nodes.push_back(node);
  }
  pending.assign(order.size(), 0);
  first_fetch_slot = num_slots;
  num_slots += static_cast<int>(fetches.size());

  EdgeLayout layout(this, order, feeds);
  for (int i = 0; i < num_nodes(); ++i) {
    int slot = nodes[i].first_slot;
    for (const Output& input : order[i]->inputs()) layout.AddData(input, slot++, i);
    for (const Node* source : order[i]->control_inputs()) layout.AddControl(source, i);
  }
  for (size_t i = 0; i < fetches.size(); ++i) {
    layout.AddData(fetches[i], first_fetch_slot + static_cast<int>(i), -1);
    fetch_names.push_back(fetches[i].name());
  }
  layout.Finish();
  VLOG(1) << "Executor: " << num_nodes() << " nodes, " << edges.size() << " edges, "
          << feeds.size() << " feeds, " << fetches.size() << " fetches, "
          << targets.size() << " targets";
}

}  // namespace minitf
