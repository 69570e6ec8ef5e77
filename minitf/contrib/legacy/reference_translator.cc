// Graphs with reference variables, translated to resource variables before the import.
//
// A reference is an alias of a variable. A node that takes its value reads the variable
// when the node runs. A resource op reads or changes a variable through a handle instead.
//
//   before                        after
//   v = VariableV2                v/VarHandleOp = VarHandleOp
//                                 v = ReadVariableOp(v/VarHandleOp)
//   a = Assign(v, x)              a/AssignVariableOp = AssignVariableOp(v/VarHandleOp, x)
//                                 a = ReadVariableOp(v/VarHandleOp, ^a/AssignVariableOp)
//   s = RefSwitch(v, p)           s/Switch = Switch(v/VarHandleOp, p)
//                                 s = Switch(v, p)
//   y = Neg(v)                    y = Neg(v)
//   y = Neg(v, ^a)                y/ReadVariableOp = ReadVariableOp(v/VarHandleOp, ^a/..)
//                                 y = Neg(y/ReadVariableOp, ^a/AssignVariableOp)
//
// Each node keeps its name, and its outputs are values. A node reads the variable itself
// if another of its inputs comes after a change. It does so, too, if the reference comes
// through a branch: in a branch that is not taken the variable may have no value.
//
// In TensorFlow, Identity(v) is in the memory of the variable, and so shows later changes
// in place. Programs rely on it: averages after a training step see the new weights.
// Therefore Identity, Switch and Enter are aliases of a variable, too. The gradient with
// respect to v:0 does not flow through reads of other nodes.
//
// Compare    tensorflow/core/common_runtime/executor.cc, PrepareInputs
// Read next  docs/files.md

#include <algorithm>
#include <bitset>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "minitf/contrib/families.h"
#include "minitf/contrib/legacy/reference_ops.h"
#include "minitf/graph/import_graph_def.h"
#include "minitf/protos/graph.pb.h"

namespace minitf {
namespace {

const FamilyRegistrar kFamily("legacy");

using proto::GraphDef;
using proto::NodeDef;

// A set of variables. Variables that share a bit count as one variable: some nodes then
// get a read of their own that they do not need.
using Variables = std::bitset<1024>;

struct Edge {
  int source = -1;  // index of the node in the file; -1 if unknown, or if is_mapped
  int index = 0;    // of its output, or TensorName::kControl
  bool is_mapped = false;
  bool is_reference = false;
  bool is_alias = false;  // a value in the memory of a variable
};

struct ReferenceNode {
  const ReferenceOp* op = nullptr;
  size_t first_edge = 0;
  int num_references = 0;  // how many of the first inputs must be references
  bool lends_handle = false;
  Variables origins;  // which the reference may be of
  Variables changed;  // by this node, or by those before it
  Variables changed_in_place;
  std::string handle;  // names of new nodes
  std::string change;
};

class Translator {
 public:
  Translator(const GraphDef& def, const ImportOptions& options, GraphDef* result)
      : def_(def), options_(options), result_(*result) {}

  // False if the graph has no references.
  bool Translate() {
    if (!FindOps()) return false;
    ReadEdges();
    for (int i = 0; i < size(); ++i) CheckReferences(i);
    FollowChanges();
    MarkAliases();
    for (int i = 0; i < size(); ++i) NameNewNodes(i);
    *result_.mutable_versions() = def_.versions();
    *result_.mutable_library() = def_.library();
    for (int i = 0; i < size(); ++i) Emit(i);
    return true;
  }

 private:
  int size() const { return def_.node_size(); }
  std::span<const Edge> EdgesOf(int i) const {
    return {edges_.data() + nodes_[i].first_edge,
            edges_.data() + nodes_[i + 1].first_edge};
  }
  bool IsMerge(int i) const {
    const OpDef* const op = Ops().Find(def_.node(i).op());
    return nodes_[i].op->resource_op == "Merge" ||
           (op != nullptr && op->facts.role == OpRole::kMerge);
  }

  bool FindOps();
  void ReadEdges();
  Edge ReadEdge(const std::string& input) const;
  int NumReferences(int i) const;
  void CheckReferences(int i) const;
  void FollowChanges();
  bool Update(int i);
  bool IsAlias(int i) const;
  void MarkAliases();
  bool NeedsRead(int i, const Edge& edge) const;
  void LendHandle(int i);
  void NameNewNodes(int i);
  std::string NewName(const NodeDef& node, std::string_view op);

  void Emit(int i);
  void EmitRead(int i, std::string_view after);
  std::string EmitReadBefore(int i, const Edge& edge);
  void EmitTranslated(int i, const std::string& name, int num_handles);
  NodeDef* Add(const std::string& name, const std::string& op, const NodeDef& origin);
  void CopyAttrs(const NodeDef& node, NodeDef* copy) const;
  void AddInputs(int i, int num_handles, NodeDef* copy);
  std::string Handle(const Edge& edge) const;
  std::string Control(int i) const;

  const GraphDef& def_;
  const ImportOptions& options_;
  GraphDef& result_;
  std::unordered_map<std::string_view, int> numbers_;  // by name
  std::unordered_set<std::string> new_names_;
  std::vector<ReferenceNode> nodes_;  // by index in the file, and one past the last
  std::vector<Edge> edges_;
};

// ---- What the file says ---------------------------------------------------------------

bool Translator::FindOps() {
  const auto is_reference_op = [](const NodeDef& node) {
    return FindReferenceOp(node.op()).kind != ReferenceKind::kNone;
  };
  if (std::ranges::none_of(def_.node(), is_reference_op)) return false;
  nodes_.resize(size() + 1);
  numbers_.reserve(size());
  for (int i = 0; i < size(); ++i) {
    const NodeDef& node = def_.node(i);
    numbers_.emplace(node.name(), i);
    const ReferenceOp& op = FindReferenceOp(node.op());
    nodes_[i].op = &op;
    if (op.kind == ReferenceKind::kNone) continue;
    const bool has_op = !op.refusal.empty() || Ops().Has(op.resource_op);
    Require(op.refusal.empty() && has_op, "Node '", node.name(), "' (", node.op(),
            ") has no translation to a resource variable: ",
            has_op ? op.refusal : "minitf has no op " + op.resource_op);
  }
  return true;
}

void Translator::ReadEdges() {
  for (int i = 0; i < size(); ++i) {
    nodes_[i].first_edge = edges_.size();
    for (const std::string& input : def_.node(i).input()) {
      edges_.push_back(ReadEdge(input));
    }
  }
  nodes_[size()].first_edge = edges_.size();
  for (int i = 0; i < size(); ++i) nodes_[i].num_references = NumReferences(i);
}

Edge Translator::ReadEdge(const std::string& input) const {
  const auto [name, index] = ParseInput(input);
  Edge edge{-1, index};
  edge.is_mapped = options_.input_map.contains({std::string(name), index});
  const auto found = numbers_.find(name);
  if (edge.is_mapped || found == numbers_.end()) return edge;
  edge.source = found->second;
  const ReferenceOp& op = *nodes_[edge.source].op;
  const int num_references = op.resource_op == "Switch" ? 2 : 1;
  edge.is_reference = op.returns_reference() && 0 <= index && index < num_references;
  return edge;
}

// How many of the first inputs of node `i` must be references.
int Translator::NumReferences(int i) const {
  using enum ReferenceKind;
  const ReferenceOp& op = *nodes_[i].op;
  if (op.kind == kNone || op.kind == kVariable) return 0;
  if (op.kind == kForward && !IsMerge(i)) return 1;
  const auto is_value = [](const ArgDef& arg) { return arg.type != DType::kResource; };
  const auto is_control = [](const Edge& edge) {
    return edge.index == TensorName::kControl;
  };
  if (op.kind == kForward) {
    const auto edges = EdgesOf(i);
    return static_cast<int>(std::ranges::find_if(edges, is_control) - edges.begin());
  }
  const auto& inputs = Ops().Find(op.resource_op)->inputs;
  return static_cast<int>(std::ranges::find_if(inputs, is_value) - inputs.begin());
}

void Translator::CheckReferences(int i) const {
  const NodeDef& node = def_.node(i);
  const auto edges = EdgesOf(i);
  for (int k = 0; k < nodes_[i].num_references; ++k) {
    Require(k < static_cast<int>(edges.size()), "Node '", node.name(), "' (", node.op(),
            ") has ", edges.size(), " inputs; expected ", nodes_[i].num_references,
            " references to variables and what follows them");
    const Edge& edge = edges[k];
    Require(edge.source >= 0 || edge.is_mapped, "Node '", node.name(),
            "': Unknown input node '", node.input(k), "'");
    Require(edge.is_reference, "Node '", node.name(), "' (", node.op(), "): input ", k,
            " is '", node.input(k), "', a value; expected a reference to a variable",
            edge.is_mapped ? ", and input_map has a value for it" : "");
  }
}

// ---- Which node comes after which change ----------------------------------------------

void Translator::FollowChanges() {
  std::vector<std::pair<int, int>> consumers;  // of source; index of the consumer
  std::deque<int> queue;
  std::vector<bool> is_queued(size(), true);
  int num_variables = 0;
  for (int i = 0; i < size(); ++i) {
    queue.push_back(i);
    if (nodes_[i].op->kind == ReferenceKind::kVariable) {
      nodes_[i].origins.set(num_variables++ % nodes_[i].origins.size());
    }
    for (const Edge& edge : EdgesOf(i)) {
      if (edge.source >= 0) consumers.emplace_back(edge.source, i);
    }
  }
  std::ranges::sort(consumers);
  while (!queue.empty()) {
    const int i = queue.front();
    queue.pop_front();
    is_queued[i] = false;
    if (!Update(i)) continue;
    auto consumer = std::ranges::lower_bound(consumers, std::pair(i, 0));
    for (; consumer != consumers.end() && consumer->first == i; ++consumer) {
      if (is_queued[consumer->second]) continue;
      is_queued[consumer->second] = true;
      queue.push_back(consumer->second);
    }
  }
}

// Whether the sets of node `i`, which follow from those of its inputs, have grown.
bool Translator::Update(int i) {
  ReferenceNode& node = nodes_[i];
  const auto edges = EdgesOf(i);
  Variables origins = node.origins;
  Variables changed = node.changed;
  Variables in_place = node.changed_in_place;
  for (int k = 0; k < static_cast<int>(edges.size()); ++k) {
    if (edges[k].source < 0) continue;
    const ReferenceNode& source = nodes_[edges[k].source];
    changed |= source.changed;
    in_place |= source.changed_in_place;
    const bool is_alias =
        k == 0 && IsAlias(i) && (edges[k].is_reference || IsAlias(edges[k].source));
    if (is_alias) origins |= source.origins;
    if (k >= node.num_references) continue;
    if (node.op->is_change()) changed |= source.origins;
    // Assign may give the variable other memory instead.
    if (node.op->is_change() && def_.node(i).op() != "Assign") in_place |= source.origins;
    if (k == 0 || node.op->kind == ReferenceKind::kForward) origins |= source.origins;
  }
  const bool has_grown = origins != node.origins || changed != node.changed ||
                         in_place != node.changed_in_place;
  node.origins = origins;
  node.changed = changed;
  node.changed_in_place = in_place;
  return has_grown;
}

// Whether the op of node `i` returns the memory of its first input.
bool Translator::IsAlias(int i) const {
  const std::string& op = def_.node(i).op();
  return op == "Identity" || op == "Switch" || op == "Enter";
}

void Translator::MarkAliases() {
  for (Edge& edge : edges_) {
    if (edge.source < 0 || edge.index == TensorName::kControl) continue;
    edge.is_alias = IsAlias(edge.source) && nodes_[edge.source].origins.any();
  }
}

// Whether node `i` may see another value of the variable than the source of `edge` saw.
// A Merge takes the first input that comes, and waits for no other.
bool Translator::NeedsRead(int i, const Edge& edge) const {
  if ((!edge.is_reference && !edge.is_alias) || IsMerge(i)) return false;
  if (nodes_[edge.source].op->resource_op == "Switch") return true;
  Variables changed;
  for (const Edge& other : EdgesOf(i)) {
    if (other.source < 0 || other.source == edge.source) continue;
    const ReferenceNode& source = nodes_[other.source];
    changed |= edge.is_reference ? source.changed : source.changed_in_place;
  }
  return (changed & nodes_[edge.source].origins).any();
}

// ---- The new nodes --------------------------------------------------------------------

void Translator::NameNewNodes(int i) {
  using enum ReferenceKind;
  ReferenceNode& node = nodes_[i];
  const auto edges = EdgesOf(i);
  for (int k = 0; k < static_cast<int>(edges.size()); ++k) {
    if (k >= node.num_references && !NeedsRead(i, edges[k])) continue;
    LendHandle(edges[k].source);
  }
  const std::string& op = node.op->resource_op;
  if (node.op->kind == kChange) node.change = NewName(def_.node(i), op);
  if (node.op->kind == kVariable || node.op->kind == kForward) {
    node.handle = NewName(def_.node(i), op);
  }
}

// Has node `i` return a handle beside its value, and the nodes that it needs for that.
void Translator::LendHandle(int i) {
  while (nodes_[i].op->kind == ReferenceKind::kChange || IsAlias(i)) {
    if (nodes_[i].lends_handle) return;
    nodes_[i].lends_handle = true;
    nodes_[i].handle = NewName(def_.node(i), IsAlias(i) ? def_.node(i).op() : "Identity");
    i = EdgesOf(i)[0].source;
  }
}

// A name below that of `node` that no node has.
std::string Translator::NewName(const NodeDef& node, std::string_view op) {
  const std::string name = StrCat(node.name(), '/', op);
  std::string numbered = name;
  for (int number = 1; numbers_.contains(numbered) || !new_names_.insert(numbered).second;
       ++number) {
    numbered = StrCat(name, '_', number);
  }
  return numbered;
}

void Translator::Emit(int i) {
  using enum ReferenceKind;
  const ReferenceNode& node = nodes_[i];
  const std::string& name = def_.node(i).name();
  switch (node.op->kind) {
    case kNone:
      EmitTranslated(i, name, 0);
      if (node.lends_handle) EmitTranslated(i, node.handle, 1);
      return;
    case kQuery:
    case kCount: return EmitTranslated(i, name, node.num_references);
    case kVariable:
      EmitTranslated(i, node.handle, node.num_references);
      return EmitRead(i, "");
    case kForward:
      EmitTranslated(i, node.handle, node.num_references);
      return EmitTranslated(i, name, 0);
    case kChange:
      EmitTranslated(i, node.change, node.num_references);
      return EmitRead(i, node.change);
  }
}

// The op that does to handles or values what node `i` does to references.
void Translator::EmitTranslated(int i, const std::string& name, int num_handles) {
  const NodeDef& node = def_.node(i);
  const bool is_new = name != node.name();
  const bool is_value = nodes_[i].op->kind == ReferenceKind::kNone;
  NodeDef* const copy = Add(name, is_value ? node.op() : nodes_[i].op->resource_op, node);
  if (is_value) {
    *copy->mutable_attr() = node.attr();
  } else {
    CopyAttrs(node, copy);
  }
  auto& attrs = *copy->mutable_attr();
  // Early versions gave the last outputs of the gradient another shape, which files hold.
  const bool has_early_shapes = node.op() == "FusedBatchNormGrad";
  if (is_new || has_early_shapes) attrs.erase("_output_shapes");
  if (is_new && (is_value || nodes_[i].op->kind == ReferenceKind::kForward)) {
    attrs["T"].set_type(proto::DT_RESOURCE);
  }
  AddInputs(i, num_handles, copy);
}

// The read that has the name of node `i`: of a variable, or of what a change has made.
void Translator::EmitRead(int i, std::string_view after) {
  const NodeDef& node = def_.node(i);
  const ReferenceNode& info = nodes_[i];
  const std::string handle = after.empty() ? info.handle : Handle(EdgesOf(i)[0]);
  if (info.lends_handle) {
    NodeDef* const identity = Add(info.handle, "Identity", node);
    (*identity->mutable_attr())["T"].set_type(proto::DT_RESOURCE);
    identity->add_input(handle);
    identity->add_input(StrCat('^', after));
  }
  NodeDef* const read = Add(node.name(), "ReadVariableOp", node);
  read->add_input(handle);
  if (!after.empty()) read->add_input(StrCat('^', after));
  for (const auto& [name, value] : node.attr()) {
    if (name.starts_with('_')) (*read->mutable_attr())[name] = value;
    if (name == "dtype" || name == "T") (*read->mutable_attr())["dtype"] = value;
  }
}

// Reads for node `i` alone, after all of its other inputs. Returns the name of the read.
std::string Translator::EmitReadBefore(int i, const Edge& edge) {
  const NodeDef& source = def_.node(edge.source);
  const std::string name = NewName(def_.node(i), "ReadVariableOp");
  NodeDef* const read = Add(name, "ReadVariableOp", source);
  read->add_input(Handle(edge));
  std::set<std::string> controls;
  for (const Edge& other : EdgesOf(i)) {
    if (other.source < 0 || other.source == edge.source) continue;
    const std::string control = Control(other.source);
    if (controls.insert(control).second) read->add_input(control);
  }
  for (const auto& [key, value] : source.attr()) {
    if (key == "_class") (*read->mutable_attr())[key] = value;
    if (key == "dtype" || key == "T") (*read->mutable_attr())["dtype"] = value;
  }
  return name;
}

// On the device of `origin`.
NodeDef* Translator::Add(const std::string& name, const std::string& op,
                         const NodeDef& origin) {
  NodeDef* const node = result_.add_node();
  node->set_name(name);
  node->set_op(op);
  node->set_device(origin.device());
  return node;
}

// The attributes of `node` that the op of `copy` has, too, under their names there.
void Translator::CopyAttrs(const NodeDef& node, NodeDef* copy) const {
  const OpDef& op = *Ops().Find(copy->op());
  auto& attrs = *copy->mutable_attr();
  for (const auto& [name, value] : node.attr()) {
    if (name == "T" && op.FindAttr("T") == nullptr) {
      attrs["dtype"] = value;
    } else if (op.FindAttr(name) != nullptr ||
               (name != "use_locking" && name != "validate_shape" && name != "dtype")) {
      attrs[name] = value;
    }
  }
  if (node.op() == "Assign") {
    const auto validates = node.attr().find("validate_shape");
    const bool has_value = validates != node.attr().end();
    attrs["_validate_shape"].set_b(!has_value || validates->second.b());
  }
  // The first op for variables could not tell a scalar from an unknown shape.
  if (node.op() == "Variable" && attrs["shape"].shape().dim_size() == 0) {
    attrs["shape"].mutable_shape()->set_unknown_rank(true);
  }
}

void Translator::AddInputs(int i, int num_handles, NodeDef* copy) {
  const NodeDef& node = def_.node(i);
  const auto edges = EdgesOf(i);
  for (int k = 0; k < static_cast<int>(edges.size()); ++k) {
    const Edge& edge = edges[k];
    if (edge.source >= 0 && edge.index == TensorName::kControl) {
      copy->add_input(Control(edge.source));
    } else if (k < num_handles) {
      copy->add_input(Handle(edge));
    } else if (NeedsRead(i, edge)) {
      copy->add_input(EmitReadBefore(i, edge));
    } else {
      copy->add_input(node.input(k));
    }
  }
}

// The handle for the reference that `edge` is.
std::string Translator::Handle(const Edge& edge) const {
  const std::string& handle = nodes_[edge.source].handle;
  return edge.index == 0 ? handle : StrCat(handle, ':', edge.index);
}

// The control input that waits for node `i`, and for no read that has its name.
std::string Translator::Control(int i) const {
  const ReferenceNode& node = nodes_[i];
  if (node.op->kind == ReferenceKind::kChange) return '^' + node.change;
  const bool is_value = node.op->kind == ReferenceKind::kNone || node.handle.empty();
  return '^' + (is_value ? def_.node(i).name() : node.handle);
}

[[maybe_unused]] const bool kIsSet = SetGraphDefRewrite(
    [](const GraphDef& def, const ImportOptions& options, GraphDef* result) {
      return Translator(def, options, result).Translate();
    });

}  // namespace
}  // namespace minitf
