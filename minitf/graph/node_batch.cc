// NodeBatch: adding under one lock, and taking back.

#include "minitf/graph/node_batch.h"

#include <string>
#include <utility>

namespace minitf {
namespace {

// As the graph keeps names that are in use.
std::string LowerCase(std::string name) {
  for (char& c : name) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

}  // namespace

NodeBatch::NodeBatch(Graph* graph)
    : graph_(graph), lock_(graph->mutex_), first_id_(graph->num_nodes()) {}

NodeBatch::~NodeBatch() {
  if (is_committed_) return;
  while (graph_->num_nodes() > first_id_) {
    const Node& node = *graph_->nodes_.back();
    if (name_is_new_[node.id() - first_id_]) {
      graph_->names_in_use_.erase(LowerCase(node.name()));
    }
    graph_->by_name_.erase(node.name());
    graph_->nodes_.pop_back();
  }
}

void NodeBatch::Reserve(int count) {
  graph_->nodes_.reserve(graph_->nodes_.size() + count);
  graph_->by_name_.reserve(graph_->by_name_.size() + count);
  graph_->names_in_use_.reserve(graph_->names_in_use_.size() + count);
  name_is_new_.reserve(count);
}

Node* NodeBatch::AddNode(NodeSpec spec) {
  const size_t num_names = graph_->names_in_use_.size();
  Node* const node = graph_->AddNodeLocked(std::move(spec));
  name_is_new_.push_back(graph_->names_in_use_.size() > num_names);
  return node;
}

void NodeBatch::ForgetShapes(Node* node) {
  for (PartialShape& shape : node->output_shapes_) shape = PartialShape();
}

void NodeBatch::MergeShape(Node* node, int output, const PartialShape& shape) {
  PartialShape& known = node->output_shapes_[output];
  known = known.MergedWith(shape);
}

void NodeBatch::SetBackEdge(Node* merge, int i, Output value) {
  RequireExists(value);
  const DType wanted = merge->signature().input_types[i];
  Require(value.dtype() == wanted, "Node ", merge->Describe(), ": input ", i, " is ",
          wanted, ", cannot come from ", value.name(), ", which is ", value.dtype());
  merge->inputs_[i] = value;
}

}  // namespace minitf
