// TopologicalOrder by Kahn's method: a node that waits for nothing comes next, and the
// nodes behind it wait for one node less. Nodes that are left over wait for each other.
//
// Exercise   exercises/03_session

#include "minitf/graph/topological_order.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>

namespace minitf {
namespace {

// The only edge that may close a cycle: a loop brings its variables back through it.
bool IsBackEdge(const Node& from, const Node& to) {
  return from.role() == OpRole::kNextIteration && to.role() == OpRole::kMerge;
}

// Calls `visit(from)` for every node that `node` waits for, once for each edge.
template <typename Visit>
void ForEachInputNode(const Node& node, Visit visit) {
  for (const Output& input : node.inputs()) {
    if (!IsBackEdge(*input.node, node)) visit(input.node);
  }
  for (Node* control_input : node.control_inputs()) visit(control_input);
}

// Some nodes of a graph, numbered in order of id, with the edges between them reversed:
// from a node to those that wait for it.
class WaitingNodes {
 public:
  explicit WaitingNodes(std::vector<Node*> nodes) : nodes_(std::move(nodes)) {
    const auto id_of = [](const Node* node) { return node->id(); };
    if (!std::ranges::is_sorted(nodes_, {}, id_of)) std::ranges::sort(nodes_, {}, id_of);
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    if (!nodes_.empty()) numbers_.assign(nodes_.back()->id() + 1, -1);
    for (int i = 0; i < size(); ++i) numbers_[nodes_[i]->id()] = i;

    // Edges are counted, then placed: the consumers of i stand in
    // consumers_[first_consumer_[i]] .. consumers_[first_consumer_[i + 1]].
    pending_.assign(size(), 0);
    first_consumer_.assign(size() + 1, 0);
    ForEachEdge([this](int from, int to) {
      ++pending_[to];
      ++first_consumer_[from + 1];
    });
    for (int i = 0; i < size(); ++i) first_consumer_[i + 1] += first_consumer_[i];
    consumers_.resize(first_consumer_.back());
    std::vector<int> next = first_consumer_;
    ForEachEdge([&](int from, int to) { consumers_[next[from]++] = to; });
  }

  int size() const { return static_cast<int>(nodes_.size()); }

  // The nodes that need not wait for ever, in order. Those that are left out still have
  // something in pending_.
  std::vector<Node*> Order() {
    std::vector<Node*> order;
    order.reserve(size());
    // LAB(03.1) begin: put nodes into `order`; of those that can come next, the first
    // Smallest number first, so that the order does not depend on anything but ids.
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < size(); ++i) {
      if (pending_[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      order.push_back(nodes_[i]);
      for (int e = first_consumer_[i]; e < first_consumer_[i + 1]; ++e) {
        if (--pending_[consumers_[e]] == 0) ready.push(consumers_[e]);
      }
    }
    // LAB(03.1) end
    return order;
  }

  // A cycle, in the direction of the edges, its smallest id first. Requires: Order() has
  // been called and left nodes out.
  std::vector<Node*> FindCycle() const {
    std::vector<Node*> path;
    // LAB(03.2) begin: go from node to node, and leave in `path` the cycle alone
    // Each node that still waits waits for one that still waits. Going from one to the
    // next must come back to a node seen before, and from there on it is a cycle.
    int at = 0;
    while (pending_[at] == 0) ++at;
    std::vector<int> step_of(size(), -1);
    while (step_of[at] < 0) {
      step_of[at] = static_cast<int>(path.size());
      path.push_back(nodes_[at]);
      at = FirstWaitingInput(*nodes_[at]);
    }
    path.erase(path.begin(), path.begin() + step_of[at]);
    std::ranges::reverse(path);
    const auto first = std::ranges::min_element(path, {}, &Node::id);
    std::rotate(path.begin(), first, path.end());
    // LAB(03.2) end
    return path;
  }

 private:
  // The number of `node`, or -1 if it is not one of nodes_.
  int NumberOf(const Node* node) const {
    return node->id() < static_cast<int>(numbers_.size()) ? numbers_[node->id()] : -1;
  }

  template <typename Visit>
  void ForEachEdge(Visit visit) const {
    for (int to = 0; to < size(); ++to) {
      ForEachInputNode(*nodes_[to], [&](const Node* from) {
        if (const int number = NumberOf(from); number >= 0) visit(number, to);
      });
    }
  }

  // The number of a node that still waits and for which `node` waits, or -1.
  int FirstWaitingInput(const Node& node) const {
    int found = -1;
    ForEachInputNode(node, [&](const Node* from) {
      const int number = NumberOf(from);
      if (found < 0 && number >= 0 && pending_[number] > 0) found = number;
    });
    return found;
  }

  std::vector<Node*> nodes_;
  std::vector<int> numbers_;  // by id
  std::vector<int> pending_;  // by number: how many edges a node still waits for
  std::vector<int> first_consumer_;
  std::vector<int> consumers_;
};

// "a -> b -> a". The middle of a long cycle is left out.
std::string CycleText(const std::vector<Node*>& cycle) {
  constexpr size_t kMaxNamed = 20;
  std::string text;
  for (size_t i = 0; i < std::min(cycle.size(), kMaxNamed); ++i) {
    text += cycle[i]->name() + " -> ";
  }
  if (cycle.size() > kMaxNamed) {
    text += StrCat("(", cycle.size() - kMaxNamed, " more) -> ");
  }
  return text + cycle.front()->name();
}

}  // namespace

std::vector<Node*> TopologicalOrder(const std::vector<Node*>& nodes) {
  WaitingNodes waiting(nodes);
  std::vector<Node*> order = waiting.Order();
  if (static_cast<int>(order.size()) < waiting.size()) {
    throw Error(errors::InvalidArgument("the graph has a cycle: ",
                                        CycleText(waiting.FindCycle())));
  }
  return order;
}

std::vector<Node*> Ancestors(const std::vector<Node*>& targets,
                             const std::vector<Output>& fed) {
  if (targets.empty()) return {};
  std::vector<bool> is_found(targets[0]->graph().num_nodes(), false);
  std::vector<bool> has_fed_output(is_found.size(), false);
  for (const Output& output : fed) has_fed_output[output.node->id()] = true;

  const auto by_place = [](const Output& o) { return std::pair(o.node->id(), o.index); };
  std::vector<Output> sorted_fed = fed;
  std::ranges::sort(sorted_fed, {}, by_place);
  const auto is_fed = [&](const Output& output) {
    return has_fed_output[output.node->id()] &&
           std::ranges::binary_search(sorted_fed, by_place(output), {}, by_place);
  };
  // A feed takes the place of a placeholder, and of all that the placeholder waits for.
  // A node with inputs of its own, or an effect besides its outputs, still runs.
  const auto is_source_and_fed = [&](Node* node) -> bool {
    const bool is_placeholder =
        node->inputs().empty() && node->facts().depends_on_outside;
    if (is_placeholder && has_fed_output[node->id()]) return true;
    // LAB(03.3) begin: whether `node` does nothing but give outputs, and all are fed
    if (!has_fed_output[node->id()] || !node->inputs().empty() ||
        !node->control_inputs().empty() || node->op().is_stateful()) {
      return false;
    }
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (!is_fed(node->output(i))) return false;
    }
    return true;
    // LAB(03.3) end
  };

  std::vector<Node*> found;
  const auto add = [&](Node* node) {
    if (is_found[node->id()]) return;
    is_found[node->id()] = true;
    found.push_back(node);
  };
  // LAB(03.3) begin: `add` the targets, and whatever they need
  for (Node* target : targets) add(target);
  for (size_t next = 0; next < found.size(); ++next) {
    for (const Output& input : found[next]->inputs()) {
      if (!is_fed(input)) add(input.node);
    }
    for (Node* control_input : found[next]->control_inputs()) {
      if (!is_source_and_fed(control_input)) add(control_input);
    }
  }
  // LAB(03.3) end
  std::ranges::sort(found, {}, &Node::id);
  return found;
}

}  // namespace minitf
