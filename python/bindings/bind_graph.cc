// Graphs in Python: adding nodes, and asking about them by number.
//
// Compare    tensorflow/python/framework/c_api_util.py, tensorflow/c/python_api.h
// Read next  python/minitf/framework/graph.py

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/base/logging.h"
#include "minitf/graph/graph.h"
#include "python/bindings/attr_bridge.h"
#include "python/bindings/bind.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/graph_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

using Handles = std::vector<int64_t>;

// Adds a node and returns its number. What the op's definition or its shape function has
// against the inputs is a ValueError, as it is in TensorFlow.
int64_t AddNode(Graph& graph, const std::string& op, std::string name,
                const Handles& inputs, std::vector<int> input_lengths,
                const Handles& control_inputs, const py::object& attrs,
                std::pair<std::string, std::string> device_and_origin) {
  VLOG(2) << "pybind11: add node with op " << op << " and " << inputs.size() << " inputs";
  NodeSpec spec;
  spec.op = op;
  spec.name = std::move(name);
  spec.attrs = AttrsFromPython(FindOp(op), attrs);
  spec.inputs = OutputsOf(graph, inputs);
  spec.input_lengths = std::move(input_lengths);
  spec.control_inputs = NodesOf(graph, control_inputs);
  spec.device = std::move(device_and_origin.first);
  spec.origin = std::move(device_and_origin.second);
  try {
    return graph.AddNode(std::move(spec))->id();
  } catch (const Error& error) {
    if (error.status().code() != Code::kInvalidArgument) throw;
    throw py::value_error(error.what());
  }
}

Handles InputsOf(const Graph& graph, int64_t id) {
  Handles handles;
  for (const Output& input : NodeOf(graph, id)->inputs())
    handles.push_back(HandleOf(input));
  return handles;
}

Handles ControlInputsOf(const Graph& graph, int64_t id) {
  Handles ids;
  for (const Node* node : NodeOf(graph, id)->control_inputs()) ids.push_back(node->id());
  return ids;
}

// The nodes that have output `handle` as an input; each as often as it has it.
Handles ConsumersOf(const Graph& graph, int64_t handle) {
  const Output output = OutputOf(graph, handle);
  Handles ids;
  for (const Node* node : graph.nodes())
    for (const Output& input : node->inputs())
      if (input == output) ids.push_back(node->id());
  return ids;
}

py::object AttrOf(const Graph& graph, int64_t id, const std::string& name) {
  const Node* node = NodeOf(graph, id);
  const AttrValue* value = node->attrs().Find(name);
  if (value == nullptr) {
    throw py::value_error(
        StrCat("Operation '", node->name(), "' has no attr named '", name, "'."));
  }
  const AttrDef* def = node->op().FindAttr(name);
  const std::string kind = def == nullptr ? "" : def->kind;
  return py::make_tuple(kind, AttrToPython(*value));
}

std::vector<std::string> AttrNamesOf(const Graph& graph, int64_t id) {
  std::vector<std::string> names;
  for (const auto& [name, value] : NodeOf(graph, id)->attrs()) names.push_back(name);
  return names;
}

void SetAttr(Graph& graph, int64_t id, const std::string& name, const py::object& value) {
  Node* node = NodeOf(graph, id);
  py::dict values;
  values[py::str(name)] = value;
  for (const auto& [key, attr] : AttrsFromPython(node->op(), values))
    graph.SetAttr(node, key, attr);
}

void MergeShape(Graph& graph, int64_t handle, const py::object& shape) {
  try {
    graph.MergeOutputShape(OutputOf(graph, handle), ShapeFromPython(shape));
  } catch (const Error& error) {
    throw py::value_error(error.what());
  }
}

py::object ConstantValue(const Graph& graph, int64_t handle) {
  const auto value = graph.ConstantValue(OutputOf(graph, handle));
  if (!value.has_value()) return py::none();
  return WrapEagerTensor(MakeEagerTensor(*value));
}

int64_t FindNode(const Graph& graph, const std::string& name) {
  const Node* node = graph.FindNode(name);
  return node == nullptr ? -1 : node->id();
}

void BindNodes(py::class_<Graph, std::shared_ptr<Graph>>& graph) {
  graph.def("name", [](const Graph& g, int64_t id) { return NodeOf(g, id)->name(); })
      .def("type", [](const Graph& g, int64_t id) { return NodeOf(g, id)->type(); })
      .def("device", [](const Graph& g, int64_t id) { return NodeOf(g, id)->device(); })
      .def("origin", [](const Graph& g, int64_t id) { return NodeOf(g, id)->origin(); })
      .def("num_outputs",
           [](const Graph& g, int64_t id) { return NodeOf(g, id)->num_outputs(); })
      .def("inputs", &InputsOf)
      .def("control_inputs", &ControlInputsOf)
      .def("attr", &AttrOf)
      .def("attr_names", &AttrNamesOf)
      .def("dtype",
           [](const Graph& g, int64_t handle) {
             return static_cast<int>(OutputOf(g, handle).dtype());
           })
      .def("shape",
           [](const Graph& g, int64_t handle) {
             return ShapeToPython(OutputOf(g, handle).shape());
           })
      .def("consumers", &ConsumersOf)
      .def("constant_value", &ConstantValue)
      .def("constant_value_as_shape", [](const Graph& g, int64_t handle) {
        return ShapeToPython(g.ConstantValueAsShape(OutputOf(g, handle)));
      });
}

}  // namespace

void BindGraph(py::module_& module) {
  py::class_<Graph, std::shared_ptr<Graph>> graph(module, "GraphCore",
                                                  "Nodes and edges, by number.");
  graph.def(py::init([] { return std::make_shared<Graph>(); }))
      .def("add_node", &AddNode)
      .def("find", &FindNode, "The number of the node of that name, or -1.")
      .def("num_nodes", &Graph::num_nodes)
      .def("unique_name", &Graph::UniqueName)
      .def("add_control_input",
           [](Graph& g, int64_t node, int64_t control_input) {
             g.AddControlInput(NodeOf(g, node), NodeOf(g, control_input));
           })
      .def("update_input",
           [](Graph& g, int64_t node, int i, int64_t value) {
             g.UpdateInput(NodeOf(g, node), i, OutputOf(g, value));
           })
      .def("set_device",
           [](Graph& g, int64_t id, std::string device) {
             g.SetDevice(NodeOf(g, id), std::move(device));
           })
      .def("set_attr", &SetAttr)
      .def("merge_shape", &MergeShape)
      .def("finalize", &Graph::Finalize)
      .def_property_readonly("finalized", &Graph::finalized)
      .def_property_readonly("version", &Graph::version);
  BindNodes(graph);
}

}  // namespace minitf
