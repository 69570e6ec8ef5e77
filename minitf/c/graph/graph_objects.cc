// Handles of graphs and operations, checked.

#include "minitf/c/graph/graph_objects.h"

#include <algorithm>
#include <shared_mutex>

#include "minitf/base/caught.h"

namespace minitf::c {

Node* NodeIn(const Graph& graph, const TF_Operation* oper, std::string_view argument) {
  auto* const node = const_cast<Node*>(NodeOf(&NotNull(oper, argument)));
  if (&node->graph() != &graph) {
    ThrowInvalidArgument(argument, ": operation ", node->Describe(),
                         " belongs to another graph");
  }
  return node;
}

Output OutputIn(const Graph& graph, TF_Output output, std::string_view argument) {
  const Output result{NodeIn(graph, output.oper, argument), output.index};
  RequireExists(result);
  return result;
}

std::vector<Output> OutputsIn(const Graph& graph, const TF_Output* outputs, int count,
                              std::string_view argument) {
  RequireList(outputs, count, argument);
  std::vector<Output> results;
  for (int i = 0; i < count; ++i) {
    results.push_back(OutputIn(graph, outputs[i], argument));
  }
  return results;
}

void Describe(TF_OperationDescription* desc,
              const std::function<void(TF_OperationDescription&)>& fill) {
  Guarded(nullptr, [&] {
    const auto description = Descriptions::Get(desc, "desc");
    try {
      fill(*description);
    } catch (...) {
      if (description->error.ok()) description->error = CaughtStatus();
    }
  });
}

bool HasPrefix(const Graph& graph, const std::string& name) {
  const std::shared_lock reading(graph.mutex());
  const std::string folder = name + '/';
  return std::ranges::any_of(graph.nodes(), [&](const Node* node) {
    return node->name() == name || node->name().starts_with(folder);
  });
}

void RequireFreePrefix(const Graph& graph, const std::string& name) {
  if (!HasPrefix(graph, name)) return;
  ThrowInvalidArgument("the prefix '", name,
                       "' is the name of an operation of the graph,",
                       " or the beginning of such a name; expected a new prefix");
}

}  // namespace minitf::c

namespace c = minitf::c;
using minitf::Graph;
using minitf::Output;
using minitf::Require;

TF_Graph* TF_NewGraph(void) {
  return c::Guarded<TF_Graph*>(
      nullptr, nullptr, [] { return c::Graphs::Add(std::make_shared<TF_Graph>()); });
}

void TF_DeleteGraph(TF_Graph* g) {
  c::Guarded(nullptr, [&] {
    const auto graph = c::Graphs::Remove(g);
    if (graph == nullptr) return;
    c::Descriptions::RemoveIf(
        [&](const TF_OperationDescription& desc) { return desc.graph == graph; });
  });
}

void TF_GraphSetTensorShape(TF_Graph* graph, TF_Output output, const int64_t* dims,
                            const int num_dims, TF_Status* status) {
  c::Guarded(status, [&] {
    Graph& target = *c::Graphs::Get(graph, "graph")->graph;
    const Output at = c::OutputIn(target, output, "output");
    target.MergeOutputShape(at, c::PartialShapeOfC(dims, num_dims));
  });
}

int TF_GraphGetTensorNumDims(TF_Graph* graph, TF_Output output, TF_Status* status) {
  return c::Guarded(status, -1, [&] {
    const Graph& source = *c::Graphs::Get(graph, "graph")->graph;
    const std::shared_lock reading(source.mutex());
    const minitf::PartialShape& shape = c::OutputIn(source, output, "output").shape();
    return shape.has_rank() ? shape.rank() : -1;
  });
}

void TF_GraphGetTensorShape(TF_Graph* graph, TF_Output output, int64_t* dims,
                            int num_dims, TF_Status* status) {
  c::Guarded(status, [&] {
    const Graph& source = *c::Graphs::Get(graph, "graph")->graph;
    const std::shared_lock reading(source.mutex());
    const Output at = c::OutputIn(source, output, "output");
    const minitf::PartialShape& shape = at.shape();
    if (!shape.has_rank()) return;
    Require(num_dims == shape.rank(), "num_dims is ", num_dims, ", but the shape of ",
            at.name(), " is ", shape, "; expected ", shape.rank());
    c::RequireList(dims, num_dims, "dims");
    std::ranges::copy(shape.sizes(), dims);
  });
}

TF_Operation* TF_GraphOperationByName(TF_Graph* graph, const char* oper_name) {
  return c::Guarded<TF_Operation*>(nullptr, nullptr, [&] {
    const Graph& source = *c::Graphs::Get(graph, "graph")->graph;
    const std::string name = c::TextOf(oper_name, "oper_name");
    const std::shared_lock reading(source.mutex());
    return c::OperOf(source.FindNode(name));
  });
}

TF_Operation* TF_GraphNextOperation(TF_Graph* graph, size_t* pos) {
  return c::Guarded<TF_Operation*>(nullptr, nullptr, [&]() -> TF_Operation* {
    const Graph& source = *c::Graphs::Get(graph, "graph")->graph;
    size_t& next = c::NotNull(pos, "pos");
    const std::shared_lock reading(source.mutex());
    while (next < static_cast<size_t>(source.num_nodes())) {
      minitf::Node* const node = source.node(static_cast<int>(next++));
      if (node != nullptr) return c::OperOf(node);
    }
    return nullptr;
  });
}

void TF_UpdateEdge(TF_Graph* graph, TF_Output new_src, TF_Input dst, TF_Status* status) {
  c::Guarded(status, [&] {
    Graph& target = *c::Graphs::Get(graph, "graph")->graph;
    minitf::Node* const node = c::NodeIn(target, dst.oper, "dst");
    target.UpdateInput(node, dst.index, c::OutputIn(target, new_src, "new_src"));
  });
}
