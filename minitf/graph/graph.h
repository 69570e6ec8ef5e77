// Graph: nodes, joined by edges along which tensors will flow.
//
// A node is one call of an op that has not happened yet. Its inputs are outputs of other
// nodes; a control input carries no tensor and says only "after that one". A user's graph
// only grows: a session prunes, rewrites and cuts up a copy of its own (step_graph.h).
//
// A node is checked when it is added: the op exists, inputs and attributes fit its
// definition, and its shape function accepts the shapes. So a mistake is reported where
// it is made, under the name of the node:
//
//   Node 'b' (MatMul): inner sizes differ: a is [2,3], b is [4,5]
//
//   names     unique in a graph: the second "MatMul" becomes "MatMul_1". Case does not
//             make two names different, since names become file names
//   tensors   output i of node "a" is called "a:i"
//   cycles    AddNode cannot make one; AddControlInput and UpdateInput can, and a session
//             reports it
//   threads   any number may build: what changes the graph takes mutex() alone. A thread
//             that reads while another may build holds mutex() shared; a node's own name,
//             op, types and origin never change, and are read without it
//
// Compare    tensorflow/core/graph/graph.h, tensorflow/python/framework/ops.py
// Read next  minitf/graph/node_batch.h

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/framework/op.h"
#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

class Graph;
class Node;

/// Output `index` of `node`: one end of an edge.
struct Output {
  Node* node = nullptr;
  int index = 0;

  friend bool operator==(const Output& a, const Output& b) = default;

  DType dtype() const;
  const PartialShape& shape() const;
  /// "a:0".
  std::string name() const;
};

class Node {
 public:
  int id() const { return id_; }
  const std::string& name() const { return name_; }
  const OpDef& op() const { return *op_; }
  /// The name of the op, such as "MatMul".
  const std::string& type() const { return op_->name; }
  const OpFacts& facts() const { return op_->facts; }
  OpRole role() const { return op_->facts.role; }
  const Attrs& attrs() const { return attrs_; }

  const std::vector<Output>& inputs() const { return inputs_; }
  const std::vector<Node*>& control_inputs() const { return control_inputs_; }
  int num_outputs() const { return static_cast<int>(signature_->output_types.size()); }
  Output output(int i) { return {this, i}; }
  DType output_type(int i) const { return signature_->output_types[i]; }
  const PartialShape& output_shape(int i) const { return output_shapes_[i]; }
  const Signature& signature() const { return *signature_; }

  /// The device that was asked for, exactly as it was given; "" if none was.
  const std::string& device() const { return device_; }
  /// The user's line that made the node, such as "train.py:12"; "" if not known.
  const std::string& origin() const { return origin_; }
  Graph& graph() const { return *graph_; }
  /// In a session's copy, the node of the user's graph that this one is a copy of; null
  /// for one that was not there before.
  const Node* source() const { return source_; }

  /// "'b' (MatMul)", for messages.
  std::string Describe() const;
  /// How often the node was changed since it was added, and how often its attributes
  /// were.
  int num_edits() const { return num_edits_; }
  int num_attr_edits() const { return num_attr_edits_; }

 private:
  friend class Graph;
  friend class NodeBatch;

  Graph* graph_ = nullptr;
  const Node* source_ = nullptr;
  int id_ = 0;
  std::string name_;
  const OpDef* op_ = nullptr;
  Attrs attrs_;
  std::vector<Output> inputs_;
  std::vector<Node*> control_inputs_;
  std::shared_ptr<const Signature> signature_;  // copies of the node share it
  std::vector<PartialShape> output_shapes_;
  std::string device_;
  std::string origin_;
  int num_edits_ = 0;
  int num_attr_edits_ = 0;
};

/// What AddNode needs. Only `op` must be set.
struct NodeSpec {
  std::string op;
  /// Made unique; "" stands for the op's name. One that ends in "/", as a scope does, is
  /// taken as it is without the slash.
  std::string name;
  std::vector<Output> inputs;
  /// How many of `inputs` make up each argument of the op; empty if the op has at most
  /// one list, whose length then follows.
  std::vector<int> input_lengths;
  std::vector<Node*> control_inputs;
  Attrs attrs;
  std::string device;
  std::string origin;
};

class Graph {
 public:
  Graph();
  ~Graph();

  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Adds a node. The result lives as long as the graph. Throws NotFound for an op that
  /// is not registered, InvalidArgument for a name, inputs or attributes that do not fit
  /// (the message starts with the node's name and op), FailedPrecondition when the graph
  /// is finalized. A graph that threw is as it was before.
  Node* AddNode(NodeSpec spec);

  /// A constant. Short for AddNode of a Const.
  Node* AddConstant(const Tensor& value, std::string name = "Const");

  /// The node called `name`, or null.
  Node* FindNode(std::string_view name) const;
  /// All nodes, by id: in the order in which they were added.
  std::vector<Node*> nodes() const;
  /// Null for one that was removed.
  Node* node(int id) const { return nodes_[id].get(); }
  /// How many were ever added: one more than the greatest id.
  int num_nodes() const;

  /// A name that no node has: `name`, or `name` with the first free of _1, _2, ...
  /// If `mark_as_used`, no later call returns it.
  std::string UniqueName(std::string_view name, bool mark_as_used = true);

  /// These change a node that is there. They throw FailedPrecondition when the graph is
  /// finalized, InvalidArgument when the change does not fit the op; then nothing
  /// changes. Shapes are worked out again for `node` alone, not for those that use it.
  void AddControlInput(Node* node, Node* control_input);
  /// Lets input `i` of `node` come from `value`. Requires: the element types agree.
  void UpdateInput(Node* node, int i, Output value);
  void SetDevice(Node* node, std::string device);
  /// Requires: the node's inputs and outputs keep their element types.
  void SetAttr(Node* node, std::string_view name, AttrValue value);
  /// Adds knowledge about the shape of an output. Throws InvalidArgument when it
  /// contradicts what is known. A finalized graph takes it, too.
  void MergeOutputShape(Output output, const PartialShape& shape);

  // What passes do to a session's copy, never to a user's graph:

  /// Adds a copy of `source`, a node of another graph that outlives this one. Nothing is
  /// checked again: attributes, shapes, name and device are those of `source`. Requires:
  /// `inputs` have the types of source's inputs; no node here has its name.
  Node* CopyNode(const Node& source, std::vector<Output> inputs,
                 std::vector<Node*> control_inputs);
  /// As UpdateInput, but what is known of the outputs stays as it is. Requires: `value`
  /// has the element type and the shape of what was there.
  void ReconnectInput(Node* node, int i, Output value);
  /// Requires: no node uses `node`. Other nodes keep their ids.
  void RemoveNode(Node* node);
  void SetControlInputs(Node* node, std::vector<Node*> control_inputs);
  /// Lets a node that took another's place take its name, too. Requires: no node has it.
  void Rename(Node* node, std::string name);

  /// From now on nothing may be added.
  void Finalize();
  bool finalized() const { return finalized_; }
  /// Counts changes: two equal versions mean equal graphs.
  int64_t version() const { return version_; }
  /// Counts changes of nodes that were there already: what a compiled part of the graph
  /// has to look at again. Safe to call from any thread.
  int64_t num_edits() const { return num_edits_; }

  /// The value of `output` where it is known without running anything, such as that of a
  /// constant, or the shape of a tensor whose shape is known.
  std::optional<Tensor> ConstantValue(Output output) const;
  /// `output`, taken as a list of sizes: the shape that it describes, as far as known.
  PartialShape ConstantValueAsShape(Output output) const;

  /// To be held shared while reading a graph that another thread may be changing.
  std::shared_mutex& mutex() const { return mutex_; }

 private:
  friend class NodeBatch;

  // AddNode. Requires: the caller holds mutex() alone.
  Node* AddNodeLocked(NodeSpec spec);
  void RequireNotFinalized() const;
  void RequireMine(const Node* node) const;
  void RequireMine(const Output& output) const;
  void Check(Node* node, const std::vector<int>& input_lengths) const;
  std::vector<PartialShape> InferShapes(const Node& node) const;
  std::string FreeName(std::string_view name, bool mark_as_used);
  std::string NameFor(const NodeSpec& spec, bool mark_as_used);
  void CountEdit(Node* node);

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unordered_map<std::string_view, Node*> by_name_;  // the nodes own the keys
  // Lower case; the next number to try. Names of copied nodes are in by_name_ only: they
  // are compared as they are, and free again when the node is removed.
  std::unordered_map<std::string, int> names_in_use_;
  bool finalized_ = false;
  bool is_copy_ = false;  // of a session: it has nodes that CopyNode made
  std::atomic<int64_t> version_ = 0;
  std::atomic<int64_t> num_edits_ = 0;
};

/// Throws InvalidArgument unless the node is there and has such an output.
void RequireExists(const Output& output);

inline DType Output::dtype() const { return node->output_type(index); }
inline const PartialShape& Output::shape() const { return node->output_shape(index); }
inline std::string Output::name() const { return StrCat(node->name(), ':', index); }

}  // namespace minitf
