// Graphs and tensors as messages. Python has messages of its own, so the two sides
// exchange bytes.
//
// Compare    tensorflow/c/c_api.h, TF_GraphImportGraphDefWithResults
// Read next  python/minitf/framework/graph_io.py

#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <google/protobuf/arena.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/graph/graph_def.h"
#include "minitf/graph/import_graph_def.h"
#include "minitf/graph/later_attrs.h"
#include "minitf/io/messages/tensor_proto.h"
#include "minitf/protos/graph.pb.h"
#include "python/bindings/bind.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/graph_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

using google::protobuf::Arena;

py::bytes GraphDefOf(const Graph& graph, int first_node, bool add_shapes) {
  Arena arena;
  auto* const def = Arena::CreateMessage<proto::GraphDef>(&arena);
  GraphToProto(graph, {first_node, add_shapes}, def);
  return ToBytes(*def);
}

std::vector<std::pair<std::string_view, std::string_view>> LaterAttrNames() {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const LaterAttr& attr : LaterAttrs()) names.emplace_back(attr.op, attr.name);
  return names;
}

py::bytes NodeDefOf(const Graph& graph, int64_t id) {
  proto::NodeDef def;
  const std::shared_lock lock(graph.mutex());
  NodeToProto(*NodeOf(graph, id), /*add_shapes=*/false, &def);
  return ToBytes(def);
}

// `map` has (node, index, handle) for every tensor that is to be replaced. Returns the
// number of the first new node, the handles of `tensors`, the numbers of `nodes`, and the
// keys of `map` that are in the message nowhere.
py::tuple Import(Graph& graph, const py::bytes& bytes, std::string prefix,
                 const std::vector<std::tuple<std::string, int, int64_t>>& map,
                 const std::vector<std::pair<std::string, int>>& tensors,
                 std::vector<std::string> nodes, std::string origin) {
  ImportOptions options;
  options.prefix = std::move(prefix);
  for (const auto& [node, index, handle] : map) {
    options.input_map[{node, index}] = OutputOf(graph, handle);
  }
  for (const auto& [node, index] : tensors) {
    options.return_tensors.push_back({node, index});
  }
  options.return_nodes = std::move(nodes);
  options.origin = std::move(origin);

  Arena arena;
  auto* const def = Arena::CreateMessage<proto::GraphDef>(&arena);
  FromBytes(std::string_view(bytes), "graph_def", def);
  ImportResult result;
  try {
    result = ImportGraphDef(*def, options, &graph);
  } catch (const Error& error) {
    if (error.status().code() != Code::kInvalidArgument) throw;
    throw py::value_error(error.what());
  }
  std::vector<int64_t> handles;
  for (const Output& tensor : result.tensors) handles.push_back(HandleOf(tensor));
  std::vector<int> ids;
  for (const Node* node : result.nodes) ids.push_back(node->id());
  std::vector<std::pair<std::string, int>> missing;
  for (const TensorName& key : result.missing_keys) {
    missing.emplace_back(key.node, key.index);
  }
  return py::make_tuple(result.first_node, handles, ids, missing);
}

py::bytes TensorProtoOf(const py::object& tensor) {
  proto::TensorProto message;
  TensorToProto(UnwrapEagerTensor(tensor).tensor, &message);
  return ToBytes(message);
}

py::object TensorOf(const py::bytes& bytes) {
  proto::TensorProto message;
  FromBytes(std::string_view(bytes), "tensor", &message);
  Expansion expansion;
  return WrapEagerTensor(MakeEagerTensor(TensorFromProto(message, &expansion)));
}

}  // namespace

void BindGraphDef(py::module_& module) {
  module.def("graph_def", &GraphDefOf, "The GraphDef of a graph, as bytes.");
  module.def("node_def", &NodeDefOf, "The NodeDef of a node, as bytes.");
  module.def("import_graph_def", &Import, "Adds the nodes of a GraphDef to a graph.");
  module.def("later_attrs", &LaterAttrNames,
             "(op, attribute) for all that TensorFlow has added to ops since 1.15.");
  module.def("tensor_proto", &TensorProtoOf, "The TensorProto of a tensor, as bytes.");
  module.def("tensor_from_proto", &TensorOf, "The tensor of a TensorProto.");
  module.attr("COMPILER_VERSION") = __VERSION__;
  module.attr("GRAPH_DEF_VERSION") = kGraphDefVersion;
  module.attr("GRAPH_DEF_VERSION_MIN_CONSUMER") = kGraphDefVersionMinConsumer;
  module.attr("GRAPH_DEF_VERSION_MIN_PRODUCER") = kGraphDefVersionMinProducer;
}

}  // namespace minitf
