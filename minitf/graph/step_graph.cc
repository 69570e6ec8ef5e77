// StepGraph: pruning, and copying what is left.
//
// Exercise   exercises/03_session

#include "minitf/graph/step_graph.h"

#include <set>
#include <unordered_map>
#include <utility>

#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

bool IsVariable(const Node& node) { return node.type() == "VarHandleOp"; }

// The nodes that a step must run, in an order in which it can.
std::vector<Node*> NodesToRun(const RunRequest& request) {
  for (const Output& feed : request.feeds) RequireExists(feed);
  for (const Output& fetch : request.fetches) RequireExists(fetch);
  std::vector<Node*> needed = request.targets;
  // LAB(03.4) begin: add to `needed` the nodes that have to run for the fetches
  std::set<std::pair<const Node*, int>> fed;
  for (const Output& feed : request.feeds) fed.emplace(feed.node, feed.index);
  for (const Output& fetch : request.fetches) {
    if (!fed.contains({fetch.node, fetch.index})) needed.push_back(fetch.node);
  }
  // LAB(03.4) end
  return TopologicalOrder(Ancestors(needed, request.feeds));
}

// A graph that was read from a file may have nodes through which a session has fed a step
// and fetched from it. Their numbers are those of that step, not of this one.
void RequireNotOfASession(const Node& node) {
  if (node.role() != OpRole::kArg && node.role() != OpRole::kRetval) return;
  throw Error(errors::InvalidArgument(
      "node ", node.Describe(),
      " stands for a feed or a fetch of the step that it was made for; it cannot run in "
      "another one, only be fed"));
}

// Makes the copy, node by node.
class Copier {
 public:
  Copier(const RunRequest& request, const std::vector<Node*>& nodes) : request_(request) {
    if (!nodes.empty()) copies_.resize(nodes.front()->graph().num_nodes(), nullptr);
    step_.graph = std::make_shared<Graph>();
    for (size_t i = 0; i < request.feeds.size(); ++i) AddArg(i);
  }

  // Requires: all inputs have been copied, but for edges back from a NextIteration.
  void Copy(const Node& node) {
    RequireNotOfASession(node);
    if (node.facts().state == StateUse::kChanges) RequireNoChangeOfFed(node);
    std::vector<Output> inputs;
    inputs.reserve(node.inputs().size());
    for (const Output& input : node.inputs()) {
      inputs.push_back(CopyOf(input));
      if (inputs.back().node != nullptr) continue;
      // A Merge whose other input is the NextIteration of a loop, to be set in the end.
      inputs.back() = inputs.front();
      has_back_edge_.push_back(&node);
    }
    std::vector<Node*> control_inputs;
    // LAB(03.4) begin: the copies of those that `node` waits for, as far as they are run
    for (const Node* control_input : node.control_inputs()) {
      // One that is not run has been fed.
      if (Node* copy = CopyOf(control_input)) control_inputs.push_back(copy);
    }
    // LAB(03.4) end
    copies_[node.id()] =
        step_.graph->CopyNode(node, std::move(inputs), std::move(control_inputs));
  }

  StepGraph Finish() {
    for (const Node* node : has_back_edge_) {
      for (size_t i = 0; i < node->inputs().size(); ++i) {
        step_.graph->UpdateInput(CopyOf(node), static_cast<int>(i),
                                 CopyOf(node->inputs()[i]));
      }
    }
    for (size_t i = 0; i < request_.fetches.size(); ++i) AddRetval(i);
    for (const Node* target : request_.targets) step_.targets.push_back(CopyOf(target));
    return std::move(step_);
  }

 private:
  void AddArg(size_t i) {
    const Output& feed = request_.feeds[i];
    const FeedType type = TypeOfFeed(feed);
    NodeSpec spec;
    spec.op = "_Arg";
    spec.name = StrCat("feed/", feed.node->name(), '_', feed.index);
    spec.attrs = {{"T", type.dtype}, {"index", static_cast<int64_t>(i)}};
    spec.origin = feed.node->origin();
    Node* arg = step_.graph->AddNode(std::move(spec));
    step_.graph->MergeOutputShape(arg->output(0), type.shape);
    step_.args.push_back(arg);
    if (IsVariable(*feed.node)) arg = AddFedVariable(*feed.node, arg->output(0));
    fed_[feed.node].emplace_back(feed.index, arg);
  }

  // Throws InvalidArgument if a handle that `node` takes is that of a fed variable.
  void RequireNoChangeOfFed(const Node& node) const {
    for (const Output& input : node.inputs()) {
      if (input.dtype() != DType::kResource) continue;
      const Node* variable = input.node;  // or an Enter or Switch that passes it on
      while (!variable->inputs().empty()) variable = variable->inputs()[0].node;
      if (!IsVariable(*variable) || !fed_.contains(variable)) continue;
      throw Error(errors::InvalidArgument("variable '", variable->name(),
                                          "' is fed, and no op can change it ",
                                          "in this step, as ", node.Describe(),
                                          " does; expected a step that ", "only reads it")
                      .AtNode(node.name()));
    }
  }

  // Adds the node that replaces the handle of `variable`, on the same device.
  Node* AddFedVariable(const Node& variable, const Output& value) {
    NodeSpec spec;
    spec.op = "_FedVariable";
    spec.name = variable.name();
    spec.inputs = {value};
    const AttrValue* classes = variable.attrs().Find("_class");
    if (classes != nullptr) spec.attrs.Set("_class", *classes);
    spec.device = variable.device();
    spec.origin = variable.origin();
    return step_.graph->AddNode(std::move(spec));
  }

  void AddRetval(size_t i) {
    const Output& fetch = request_.fetches[i];
    NodeSpec spec;
    spec.op = "_Retval";
    spec.name = StrCat("fetch/", fetch.node->name(), '_', fetch.index);
    spec.inputs = {CopyOf(fetch)};
    spec.attrs = {{"index", static_cast<int64_t>(i)}};
    spec.origin = fetch.node->origin();
    step_.retvals.push_back(step_.graph->AddNode(std::move(spec)));
  }

  // Null for one that is not run.
  Node* CopyOf(const Node* node) const { return copies_[node->id()]; }

  // What stands for `output` in the copy. Its node is null if it is not copied yet.
  Output CopyOf(const Output& output) const {
    // LAB(03.4) begin: return the output of the _Arg if it is fed, else that of the copy
    if (const auto fed = fed_.find(output.node); fed != fed_.end()) {
      for (const auto& [index, arg] : fed->second) {
        if (index == output.index) return arg->output(0);
      }
    }
    return {CopyOf(output.node), output.index};
    // LAB(03.4) end
  }

  const RunRequest& request_;
  StepGraph step_;
  std::vector<Node*> copies_;  // by id of the original
  // By node: which of its outputs are fed, each with its _Arg or _FedVariable.
  std::unordered_map<const Node*, std::vector<std::pair<int, Node*>>> fed_;
  std::vector<const Node*> has_back_edge_;
};

}  // namespace

FeedType TypeOfFeed(const Output& feed) {
  if (!IsVariable(*feed.node)) return {feed.dtype(), feed.shape()};
  const Attrs& attrs = feed.node->attrs();
  return {attrs.Get<DType>("dtype"), attrs.Get<PartialShape>("shape")};
}

StepGraph MakeStepGraph(const RunRequest& request) {
  const std::vector<Node*> nodes = NodesToRun(request);  // checks the request, too
  Copier copier(request, nodes);
  for (const Node* node : nodes) copier.Copy(*node);
  return copier.Finish();
}

}  // namespace minitf
