// ImportGraphDef: names first, then edges, then an order, then the nodes.

#include "minitf/graph/import_graph_def.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "minitf/framework/op_def_parser.h"
#include "minitf/graph/attr_proto.h"
#include "minitf/graph/graph_def.h"
#include "minitf/graph/later_attrs.h"
#include "minitf/graph/node_batch.h"
#include "minitf/protos/graph.pb.h"

namespace minitf {
namespace {

constexpr std::string_view kColocationPrefix = "loc:@";

// Far more than any op has. Attributes are looked up one after another.
constexpr int kMostAttrs = 1000;

// The input of a node, as the file has it.
struct Edge {
  int source = 0;  // number of the node in the file, or kMapped
  int index = 0;   // of its output, or TensorName::kControl
  Output mapped;   // what the caller has put in its place
  bool is_back_edge = false;
};
constexpr int kMapped = -1;

GraphDefRewrite rewrite_before_import = nullptr;

class Importer {
 public:
  Importer(const proto::GraphDef& def, const ImportOptions& options, Graph* graph)
      : def_(def), options_(options), graph_(*graph), batch_(graph) {}

  ImportResult Import() {
    CheckVersions();
    IndexNames();
    ReadEdges();
    result_.first_node = graph_.num_nodes();
    nodes_.resize(size());
    batch_.Reserve(size());
    for (const int i : Order()) AddNode(i);
    CloseLoops();
    FindReturns();
    batch_.Commit();
    return std::move(result_);
  }

 private:
  int size() const { return def_.node_size(); }
  std::span<const Edge> EdgesOf(int i) const {
    return {edges_.data() + first_edge_[i], edges_.data() + first_edge_[i + 1]};
  }
  // The number of the node called `name`, or -1.
  int Find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? -1 : found->second;
  }
  // The definition of the op called `name`, or null. Few ops make up most graphs, so this
  // table is much smaller than that of all ops.
  const OpDef* FindDef(const std::string& name) {
    const auto [found, is_new] = ops_.try_emplace(name, nullptr);
    if (is_new) found->second = Ops().Find(name);
    return found->second;
  }
  // Whether node `i` has an output `index`, which is known once it has been added.
  bool HasOutput(int i, int index) const {
    return i >= 0 && index < nodes_[i]->num_outputs();
  }

  void CheckVersions() const;
  void IndexNames();
  void ReadEdges();
  Edge ReadEdge(const proto::NodeDef& node, const std::string& input);
  std::vector<int> Order() const;
  [[noreturn]] void RefuseCycle(const std::vector<int>& pending) const;
  std::string NameFor(const std::string& name) const;
  Attrs AttrsOf(const proto::NodeDef& node, const OpDef& op);
  Output StandIn(int i) const;
  void AddNode(int i);
  void MergeShapes(Node* node, const proto::NodeDef& def);
  void PrefixColocation(const proto::NodeDef& node, AttrValue* groups) const;
  void CloseLoops();
  void FindReturns();

  const proto::GraphDef& def_;
  const ImportOptions& options_;
  Graph& graph_;
  NodeBatch batch_;
  ImportResult result_;
  Expansion expansion_;
  std::unordered_map<std::string_view, int> numbers_;  // of nodes in the file, by name
  std::set<TensorName> used_keys_;                     // of input_map
  std::unordered_map<std::string_view, const OpDef*> ops_;  // of the file, by name
  std::vector<Edge> edges_;
  std::vector<size_t> first_edge_;  // of every node, and one past the last
  std::vector<Node*> nodes_;        // by number in the file
};

void Importer::CheckVersions() const {
  const proto::VersionDef& versions = def_.versions();
  Require(versions.min_consumer() <= kGraphDefVersion, "GraphDef min consumer version ",
          versions.min_consumer(), " above current version ", kGraphDefVersion,
          " for minitf. Please upgrade minitf.");
  Require(versions.producer() >= kGraphDefVersionMinProducer,
          "GraphDef producer version ", versions.producer(), " below min producer ",
          kGraphDefVersionMinProducer, " supported by minitf");
  Require(std::ranges::count(versions.bad_consumers(), kGraphDefVersion) == 0,
          "GraphDef disallows consumer version ", kGraphDefVersion);
}

void Importer::IndexNames() {
  numbers_.reserve(size());
  for (int i = 0; i < size(); ++i) {
    const std::string& name = def_.node(i).name();
    Require(!name.empty(), "node number ", i, " of the GraphDef has no name");
    Require(!def_.node(i).op().empty(), "Node '", name,
            "' does not specify an operation");
    Require(numbers_.emplace(name, i).second, "Node '", name, "' is not unique");
  }
}

void Importer::ReadEdges() {
  first_edge_.push_back(0);
  for (const proto::NodeDef& node : def_.node()) {
    bool is_after_control = false;
    for (const std::string& input : node.input()) {
      edges_.push_back(ReadEdge(node, input));
      const bool is_control = edges_.back().index == TensorName::kControl;
      Require(is_control || !is_after_control, "Node '", node.name(),
              "': Control dependencies must come after regular dependencies");
      is_after_control |= is_control;
    }
    first_edge_.push_back(edges_.size());
  }
}

Edge Importer::ReadEdge(const proto::NodeDef& node, const std::string& input) {
  const auto [name, index] = ParseInput(input);
  if (!options_.input_map.empty()) {
    const auto mapped = options_.input_map.find({std::string(name), index});
    if (mapped != options_.input_map.end()) {
      used_keys_.insert(mapped->first);
      return {kMapped, index, mapped->second};
    }
  }
  const int source = Find(name);
  Require(source >= 0, "Node '", node.name(), "': Unknown input node '", input, "'");
  const auto has_role = [this](const std::string& op, OpRole role) {
    const OpDef* def = FindDef(op);
    return def != nullptr && def->facts.role == role;
  };
  const bool is_back_edge = index != TensorName::kControl &&
                            has_role(node.op(), OpRole::kMerge) &&
                            has_role(def_.node(source).op(), OpRole::kNextIteration);
  return {source, index, {}, is_back_edge};
}

// Numbers in an order in which every node comes after its inputs. Of two that may come
// in either order, the one that is first in the file comes first.
std::vector<int> Importer::Order() const {
  bool is_in_order = true;
  std::vector<int> pending(size());
  std::vector<std::pair<int, int>> consumers;  // of source; number of the consumer
  consumers.reserve(edges_.size());
  for (int i = 0; i < size(); ++i) {
    for (const Edge& edge : EdgesOf(i)) {
      if (edge.source == kMapped || edge.is_back_edge) continue;
      consumers.emplace_back(edge.source, i);
      ++pending[i];
      is_in_order &= edge.source < i;
    }
  }
  std::vector<int> order;
  order.reserve(size());
  if (is_in_order) {  // as most files are
    for (int i = 0; i < size(); ++i) order.push_back(i);
    return order;
  }
  std::ranges::sort(consumers);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < size(); ++i) {
    if (pending[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    auto consumer = std::ranges::lower_bound(consumers, std::pair(next, 0));
    for (; consumer != consumers.end() && consumer->first == next; ++consumer) {
      if (--pending[consumer->second] == 0) ready.push(consumer->second);
    }
  }
  if (static_cast<int>(order.size()) < size()) RefuseCycle(pending);
  return order;
}

// Follows inputs that were never ready, until a node is met again.
void Importer::RefuseCycle(const std::vector<int>& pending) const {
  std::vector<int> path;
  std::vector<bool> seen(size());
  int at = static_cast<int>(
      std::ranges::find_if(pending, [](int count) { return count > 0; }) -
      pending.begin());
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    const auto edges = EdgesOf(at);
    at =
        std::ranges::find_if(edges, [&](const Edge& edge) {
          return edge.source != kMapped && !edge.is_back_edge && pending[edge.source] > 0;
        })->source;
  }
  std::string cycle = '\'' + def_.node(at).name() + '\'';
  const auto start = std::ranges::find(path, at);
  constexpr int kMostNames = 10;
  for (auto i = start + 1; i != path.end() && i - start < kMostNames; ++i) {
    cycle += " <- '" + def_.node(*i).name() + '\'';
  }
  throw Error(errors::InvalidArgument("The GraphDef has a cycle of ", path.end() - start,
                                      " nodes: ", cycle));
}

// The name of a node of the file in the graph. One that is taken gets a number, so that
// it is the name of no other node of the file either.
std::string Importer::NameFor(const std::string& name) const {
  std::string full = options_.prefix.empty() ? name : options_.prefix + '/' + name;
  const bool is_free = result_.first_node == 0 || graph_.FindNode(full) == nullptr;
  if (is_free) return full + '/';  // exactly this name
  for (int number = 1;; ++number) {
    const std::string numbered = StrCat(full, '_', number);
    if (graph_.FindNode(numbered) != nullptr) continue;
    if (Find(StrCat(name, '_', number)) < 0) return numbered + '/';
  }
}

Attrs Importer::AttrsOf(const proto::NodeDef& node, const OpDef& op) {
  Require(node.attr_size() <= kMostAttrs, "Node '", node.name(), "' has ",
          node.attr_size(), " attributes, more than ", kMostAttrs);
  Attrs attrs;
  for (const auto& [name, message] : node.attr()) {
    if (name == "_output_shapes") continue;
    const AttrDef* const def = op.FindAttr(name);
    const LaterAttr* const later =
        def == nullptr ? FindLaterAttr(op.name, name) : nullptr;
    const std::string kind = def != nullptr     ? def->kind
                             : later != nullptr ? later->kind
                                                : "";
    std::optional<AttrValue> value;
    try {
      value = AttrFromProto(message, kind, &expansion_);
    } catch (const Error& error) {
      throw Error(error.status().WithPrefix(
          StrCat("Node '", node.name(), "' (", op.name, "): attribute '", name, "': ")));
    }
    Require(value.has_value() || name.starts_with('_'), "Node '", node.name(), "' (",
            op.name, "): attribute '", name,
            "' is a function or a tensor list, which minitf does not have");
    if (later != nullptr) {
      const bool is_neutral =
          later->neutral.empty() ||
          (value && AttrEquals(*value, ParseAttrValue(later->kind, later->neutral)));
      Require(is_neutral, "Node '", node.name(), "' (", op.name, "): attribute '", name,
              "' is newer than TensorFlow 1.15; minitf has it as ", later->neutral,
              " only, not as ", *value);
      continue;
    }
    if (!value) continue;
    if (name == "_class") PrefixColocation(node, &*value);
    attrs.Set(name, *std::move(value));
  }
  return attrs;
}

// "loc:@w" means the node w of the file.
void Importer::PrefixColocation(const proto::NodeDef& node, AttrValue* groups) const {
  auto* const names = std::get_if<std::vector<std::string>>(groups);
  if (names == nullptr) return;
  for (std::string& name : *names) {
    if (!name.starts_with(kColocationPrefix)) continue;
    const std::string other = name.substr(kColocationPrefix.size());
    Require(Find(other) >= 0, "Node '", node.name(), "' expects to be colocated with ",
            "unknown node '", other, "'");
    if (!options_.prefix.empty()) {
      name = StrCat(kColocationPrefix, options_.prefix, '/', other);
    }
  }
}

// What a Merge has for an input that does not exist yet: one of those that do.
Output Importer::StandIn(int i) const {
  for (const Edge& edge : EdgesOf(i)) {
    if (edge.index == TensorName::kControl || edge.is_back_edge) continue;
    if (edge.source == kMapped) return edge.mapped;
    if (HasOutput(edge.source, edge.index))
      return nodes_[edge.source]->output(edge.index);
  }
  throw Error(errors::InvalidArgument("Node '", def_.node(i).name(),
                                      "' has no input from outside of its loop"));
}

void Importer::AddNode(int i) {
  const proto::NodeDef& def = def_.node(i);
  const OpDef* const op = FindDef(def.op());
  if (op == nullptr) {
    constexpr size_t kLongestName = 100;  // a longer one is no misspelled op
    const bool may_be_slip = def.op().size() <= kLongestName;
    throw Error(errors::NotFound(
        "Op type not registered '", def.op(), "', of node '", def.name(), "'",
        may_be_slip ? DidYouMean(def.op(), Ops().Keys()) : std::string()));
  }
  NodeSpec spec;
  spec.op = op->name;
  spec.name = NameFor(def.name());
  spec.attrs = AttrsOf(def, *op);
  spec.device = def.device();
  spec.origin = options_.origin;
  Output stand_in;
  for (const Edge& edge : EdgesOf(i)) {
    const bool is_control = edge.index == TensorName::kControl;
    if (edge.source == kMapped) {
      if (is_control)
        spec.control_inputs.push_back(edge.mapped.node);
      else
        spec.inputs.push_back(edge.mapped);
    } else if (is_control) {
      spec.control_inputs.push_back(nodes_[edge.source]);
    } else if (edge.is_back_edge) {
      if (stand_in.node == nullptr) stand_in = StandIn(i);
      spec.inputs.push_back(stand_in);
    } else {
      const Node& source = *nodes_[edge.source];
      Require(HasOutput(edge.source, edge.index), "Node '", def.name(),
              "': Connecting to invalid output ", edge.index, " of source node ",
              def_.node(edge.source).name(), " which has ", source.num_outputs(),
              " outputs.");
      spec.inputs.push_back(nodes_[edge.source]->output(edge.index));
    }
  }
  nodes_[i] = batch_.AddNode(std::move(spec));
  if (stand_in.node != nullptr) batch_.ForgetShapes(nodes_[i]);
  MergeShapes(nodes_[i], def);
}

// What the file says about the shapes of outputs must not contradict what follows from
// the inputs, and is added to it.
void Importer::MergeShapes(Node* node, const proto::NodeDef& def) {
  const auto found = def.attr().find("_output_shapes");
  if (found == def.attr().end()) return;
  const auto& shapes = found->second.list().shape();
  const int count = std::min(shapes.size(), node->num_outputs());
  for (int i = 0; i < count; ++i) {
    const PartialShape shape = ShapeFromProto(shapes[i]);
    Require(
        shape.IsCompatibleWith(node->output_shape(i)), "Node '", def.name(),
        "' has an _output_shapes attribute inconsistent with the GraphDef for output #",
        i, ": ", shape, ", but ", node->output_shape(i));
    batch_.MergeShape(node, i, shape);
  }
}

void Importer::CloseLoops() {
  for (int i = 0; i < size(); ++i) {
    const auto edges = EdgesOf(i);
    for (int input = 0; input < static_cast<int>(edges.size()); ++input) {
      if (!edges[input].is_back_edge) continue;
      batch_.SetBackEdge(nodes_[i], input,
                         {nodes_[edges[input].source], edges[input].index});
    }
  }
}

void Importer::FindReturns() {
  for (const TensorName& name : options_.return_tensors) {
    const auto mapped = options_.input_map.find(name);
    if (mapped != options_.input_map.end()) {
      result_.tensors.push_back(mapped->second);
      continue;
    }
    const int number = Find(name.node);
    Require(HasOutput(number, name.index), "Requested return tensor '", name.node, ':',
            name.index, "' not found in graph def");
    result_.tensors.push_back(nodes_[number]->output(name.index));
  }
  for (const std::string& name : options_.return_nodes) {
    const int number = Find(name);
    Require(number >= 0, "Requested return node '", name, "' not found in graph def");
    result_.nodes.push_back(nodes_[number]);
  }
  for (const auto& [name, output] : options_.input_map) {
    const int number = Find(name.node);
    const bool is_there =
        name.index == TensorName::kControl ? number >= 0 : HasOutput(number, name.index);
    if (!is_there && !used_keys_.contains(name)) result_.missing_keys.push_back(name);
  }
}

}  // namespace

std::pair<std::string_view, int> ParseInput(std::string_view input) {
  if (input.starts_with('^')) return {input.substr(1), TensorName::kControl};
  const size_t colon = input.rfind(':');
  if (colon == std::string_view::npos) return {input, 0};
  int index = 0;
  const char* const end = input.data() + input.size();
  const auto [rest, error] = std::from_chars(input.data() + colon + 1, end, index);
  const bool is_index = error == std::errc() && rest == end && index >= 0;
  return is_index ? std::pair(input.substr(0, colon), index) : std::pair(input, 0);
}

bool SetGraphDefRewrite(GraphDefRewrite rewrite) {
  const bool is_first = rewrite_before_import == nullptr;
  rewrite_before_import = rewrite;
  return is_first;
}

ImportResult ImportGraphDef(const proto::GraphDef& def, const ImportOptions& options,
                            Graph* graph) {
  proto::GraphDef rewritten;
  const bool is_rewritten =
      rewrite_before_import != nullptr && rewrite_before_import(def, options, &rewritten);
  return Importer(is_rewritten ? rewritten : def, options, graph).Import();
}

}  // namespace minitf
