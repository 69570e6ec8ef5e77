// Graph: adding nodes and changing them.

#include "minitf/graph/graph.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <unordered_set>
#include <utility>

#include "minitf/base/caught.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

constexpr bool IsLetterOrDigit(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
}

// A name begins with a letter, a digit or a dot. After that it may also have underlines,
// hyphens, slashes and backslashes.
void RequireValidName(std::string_view name) {
  const auto may_follow = [](char c) {
    return IsLetterOrDigit(c) || c == '_' || c == '.' || c == '\\' || c == '-' ||
           c == '/';
  };
  const bool is_valid = !name.empty() && (IsLetterOrDigit(name[0]) || name[0] == '.') &&
                        std::ranges::all_of(name, may_follow);
  Require(is_valid, "'", name, "' is not a valid node name");
}

std::string LowerCase(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string Describe(std::string_view name, const OpDef& op) {
  return StrCat('\'', name, "' (", op.name, ')');
}

// The nodes in their order, each once.
std::vector<Node*> WithoutRepeats(std::vector<Node*> nodes) {
  if (nodes.size() < 2) return nodes;
  std::unordered_set<const Node*> seen;
  std::erase_if(nodes, [&](const Node* node) { return !seen.insert(node).second; });
  return nodes;
}

// Calls `action`. An Error that it throws gets the node in front of its message.
template <typename Action>
void WithNodeName(const Node& node, Action action) {
  try {
    action();
  } catch (const Error& error) {
    throw Error(error.status().WithPrefix(StrCat("Node ", node.Describe(), ": ")));
  }
}

}  // namespace

std::string Node::Describe() const { return minitf::Describe(name_, *op_); }

Graph::Graph() = default;
Graph::~Graph() = default;

Node* Graph::AddNode(NodeSpec spec) {
  const std::unique_lock lock(mutex_);
  return AddNodeLocked(std::move(spec));
}

Node* Graph::AddNodeLocked(NodeSpec spec) {
  RequireNotFinalized();
  auto node = std::make_unique<Node>();
  node->graph_ = this;
  node->id_ = num_nodes();
  node->op_ = &FindOp(spec.op);
  node->attrs_ = std::move(spec.attrs);
  node->inputs_ = std::move(spec.inputs);
  node->device_ = std::move(spec.device);
  node->origin_ = std::move(spec.origin);
  node->control_inputs_ = WithoutRepeats(std::move(spec.control_inputs));

  const auto refuse = [&](const Status& reason) {
    const std::string name = NameFor(spec, /*mark_as_used=*/false);
    const std::string described = minitf::Describe(name, *node->op_);
    throw Error(reason.WithPrefix(StrCat("Node ", described, ": ")));
  };
  try {
    Check(node.get(), spec.input_lengths);
  } catch (...) {
    refuse(CaughtStatus());
  }
  node->name_ = NameFor(spec, /*mark_as_used=*/true);
  by_name_.emplace(node->name_, node.get());
  nodes_.push_back(std::move(node));
  ++version_;
  return nodes_.back().get();
}

// Works out the attributes, element types and shapes of a node from its inputs.
void Graph::Check(Node* node, const std::vector<int>& input_lengths) const {
  std::vector<DType> types;
  types.reserve(node->inputs_.size());
  for (const Output& input : node->inputs_) {
    RequireMine(input);
    types.push_back(input.dtype());
  }
  for (const Node* control_input : node->control_inputs_) RequireMine(control_input);
  node->signature_ = std::make_shared<const Signature>(
      CompleteAttrs(*node->op_, types, input_lengths, &node->attrs_));
  node->output_shapes_ = InferShapes(*node);
}

std::vector<PartialShape> Graph::InferShapes(const Node& node) const {
  const auto num_inputs = node.inputs_.size();
  std::vector<PartialShape> shapes;
  std::vector<Tensor> values;
  std::vector<const Tensor*> value_pointers;
  std::vector<PartialShape> value_shapes;
  shapes.reserve(num_inputs);
  for (size_t i = 0; i < num_inputs; ++i) {
    const Output& input = node.inputs_[i];
    shapes.push_back(input.shape());
    if (auto value = ConstantValue(input)) {
      values.resize(num_inputs);
      values[i] = *std::move(value);
    } else if (auto sizes = ConstantValueAsShape(input); sizes.has_rank()) {
      value_shapes.resize(num_inputs);
      value_shapes[i] = std::move(sizes);
    }
  }
  for (const Tensor& value : values) {
    value_pointers.push_back(value.has_value() ? &value : nullptr);
  }

  InferenceContext ctx(shapes, node.signature().input_types, node.attrs_, value_pointers,
                       value_shapes);
  if (node.op_->shape_fn) node.op_->shape_fn(&ctx);
  ctx.Finish(node.num_outputs());
  return ctx.outputs();
}

Node* Graph::AddConstant(const Tensor& value, std::string name) {
  NodeSpec spec;
  spec.op = "Const";
  spec.name = std::move(name);
  spec.attrs = {{"value", value}, {"dtype", value.dtype()}};
  return AddNode(std::move(spec));
}

Node* Graph::FindNode(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> nodes;
  nodes.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    if (node != nullptr) nodes.push_back(node.get());
  }
  return nodes;
}

int Graph::num_nodes() const { return static_cast<int>(nodes_.size()); }

std::string Graph::UniqueName(std::string_view name, bool mark_as_used) {
  const std::unique_lock lock(mutex_);
  return FreeName(name, mark_as_used);
}

// A name once given stays given (but for names of copies), so the numbers below the one
// that was free last are all taken and need not be tried again: many nodes of one name
// cost no more than others.
std::string Graph::FreeName(std::string_view name, bool mark_as_used) {
  // Copies have no place in names_in_use_: most graphs of them give no names at all.
  const auto is_name_of_copy = [this](std::string_view text) {
    return is_copy_ && by_name_.contains(text);
  };
  const std::string base = LowerCase(name);
  if (!names_in_use_.contains(base) && !is_name_of_copy(name)) {
    if (mark_as_used) names_in_use_.emplace(base, 1);
    return std::string(name);
  }
  // Stays where it is, also when the table grows.
  int& next_number = names_in_use_.try_emplace(base, 1).first->second;
  for (int number = next_number;; ++number) {
    const std::string suffix = '_' + std::to_string(number);
    std::string numbered = std::string(name) + suffix;
    if (is_name_of_copy(numbered) || names_in_use_.contains(base + suffix)) continue;
    if (mark_as_used) {
      names_in_use_.emplace(base + suffix, 1);
      next_number = number + 1;
    }
    return numbered;
  }
}

// The name of the node that `spec` asks for. Throws InvalidArgument if it cannot have it.
std::string Graph::NameFor(const NodeSpec& spec, bool mark_as_used) {
  std::string_view name = spec.name.empty() ? spec.op : spec.name;
  // An op such as _Send has a name that a node may not have.
  if (spec.name.empty())
    name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  const bool is_exact = name.size() > 1 && name.back() == '/';
  if (is_exact) name.remove_suffix(1);
  RequireValidName(name);
  if (!is_exact) return FreeName(name, mark_as_used);
  Require(FindNode(name) == nullptr, "there is a node '", name, "' already");
  if (mark_as_used) names_in_use_.try_emplace(LowerCase(name), 1);
  return std::string(name);
}

void Graph::AddControlInput(Node* node, Node* control_input) {
  const std::unique_lock lock(mutex_);
  RequireNotFinalized();
  RequireMine(node);
  RequireMine(control_input);
  if (std::ranges::count(node->control_inputs_, control_input) > 0) return;
  node->control_inputs_.push_back(control_input);
  CountEdit(node);
}

Node* Graph::CopyNode(const Node& source, std::vector<Output> inputs,
                      std::vector<Node*> control_inputs) {
  const std::unique_lock lock(mutex_);
  auto node = std::make_unique<Node>(source);
  node->graph_ = this;
  is_copy_ = true;
  // A copy of a copy is still one of the user's node, or of none; and if that was edited,
  // so is this.
  if (!source.graph_->is_copy_) {
    node->source_ = &source;
    node->num_attr_edits_ = 0;
  }
  node->id_ = num_nodes();
  node->inputs_ = std::move(inputs);
  node->control_inputs_ = std::move(control_inputs);
  node->num_edits_ = 0;
  by_name_.emplace(node->name_, node.get());
  nodes_.push_back(std::move(node));
  ++version_;
  return nodes_.back().get();
}

void Graph::RemoveNode(Node* node) {
  const std::unique_lock lock(mutex_);
  RequireMine(node);
  by_name_.erase(node->name_);
  nodes_[node->id_].reset();
  ++version_;
  ++num_edits_;
}

void Graph::SetControlInputs(Node* node, std::vector<Node*> control_inputs) {
  const std::unique_lock lock(mutex_);
  RequireMine(node);
  for (const Node* control_input : control_inputs) RequireMine(control_input);
  node->control_inputs_ = std::move(control_inputs);
  CountEdit(node);
}

void Graph::Rename(Node* node, std::string name) {
  const std::unique_lock lock(mutex_);
  RequireMine(node);
  RequireValidName(name);
  Require(FindNode(name) == nullptr, "there is a node '", name, "' already");
  by_name_.erase(node->name_);
  node->name_ = std::move(name);
  names_in_use_.try_emplace(LowerCase(node->name_), 1);
  by_name_.emplace(node->name_, node);
  CountEdit(node);
}

void Graph::UpdateInput(Node* node, int i, Output value) {
  const std::unique_lock lock(mutex_);
  RequireNotFinalized();
  RequireMine(node);
  WithNodeName(*node, [&] {
    const auto num_inputs = static_cast<int>(node->inputs_.size());
    Require(0 <= i && i < num_inputs, "has no input ", i, ", it has ", num_inputs);
    RequireMine(value);
    const DType dtype = node->signature().input_types[i];
    Require(value.dtype() == dtype, "input ", i, " is ", dtype, ", cannot come from ",
            value.name(), ", which is ", value.dtype());
    const Output before = std::exchange(node->inputs_[i], value);
    try {
      node->output_shapes_ = InferShapes(*node);
    } catch (...) {
      node->inputs_[i] = before;
      throw;
    }
  });
  CountEdit(node);
}

void Graph::ReconnectInput(Node* node, int i, Output value) {
  const std::unique_lock lock(mutex_);
  RequireMine(node);
  RequireMine(value);
  node->inputs_.at(i) = value;
  CountEdit(node);
}

void Graph::SetDevice(Node* node, std::string device) {
  const std::unique_lock lock(mutex_);
  RequireNotFinalized();
  RequireMine(node);
  node->device_ = std::move(device);
  CountEdit(node);
}

void Graph::SetAttr(Node* node, std::string_view name, AttrValue value) {
  const std::unique_lock lock(mutex_);
  RequireNotFinalized();
  RequireMine(node);
  WithNodeName(*node, [&] {
    Attrs changed = node->attrs_;
    changed.Set(name, std::move(value));
    const Signature& before = node->signature();
    const Signature after = CompleteAttrs(*node->op_, before.input_types, &changed);
    Require(after.input_types == before.input_types &&
                after.output_types == before.output_types,
            "attribute '", name, "' cannot be changed to ", *changed.Find(name),
            ": the outputs would have other types");
    std::swap(node->attrs_, changed);
    try {
      node->output_shapes_ = InferShapes(*node);
    } catch (...) {
      std::swap(node->attrs_, changed);
      throw;
    }
  });
  ++node->num_attr_edits_;
  CountEdit(node);
}

void Graph::MergeOutputShape(Output output, const PartialShape& shape) {
  const std::unique_lock lock(mutex_);
  RequireMine(output);
  WithNodeName(*output.node, [&] {
    PartialShape& known = output.node->output_shapes_[output.index];
    PartialShape merged = known.MergedWith(shape);
    if (merged == known) return;
    known = std::move(merged);
    CountEdit(output.node);
  });
}

void Graph::Finalize() {
  const std::unique_lock lock(mutex_);
  finalized_ = true;
}

void Graph::CountEdit(Node* node) {
  ++node->num_edits_;
  ++version_;
  ++num_edits_;
}

void Graph::RequireNotFinalized() const {
  if (!finalized_) return;
  throw Error(errors::FailedPrecondition("Graph is finalized and cannot be modified."));
}

// The messages below cost more to write than a node to add.
void Graph::RequireMine(const Node* node) const {
  Require(node != nullptr, "a node is missing");
  if (node->graph_ == this) [[likely]]
    return;
  throw Error(
      errors::InvalidArgument("node ", node->Describe(), " belongs to another graph"));
}

void Graph::RequireMine(const Output& output) const {
  RequireMine(output.node);
  RequireExists(output);
}

void RequireExists(const Output& output) {
  Require(output.node != nullptr, "a tensor has no node");
  const int num_outputs = output.node->num_outputs();
  if (0 <= output.index && output.index < num_outputs) [[likely]]
    return;
  throw Error(errors::InvalidArgument("node ", output.node->Describe(), " has no output ",
                                      output.index, ", it has ", num_outputs));
}

}  // namespace minitf
