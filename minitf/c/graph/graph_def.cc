// GraphDefs out of graphs and into them, with the options of an import.

#include "minitf/graph/graph_def.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/arena.h>

#include "minitf/base/caught.h"
#include "minitf/c/c_api_graph_def.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/c/op_messages.h"
#include "minitf/graph/import_graph_def.h"
#include "minitf/protos/graph.pb.h"

struct TF_ImportGraphDefOptions {
  struct Mapping {
    minitf::TensorName key;
    TF_Output value;
  };

  std::string prefix;
  std::string default_device;
  bool uniquify_names = false;
  bool uniquify_prefix = false;
  std::vector<Mapping> input_map;
  std::vector<TF_Operation*> control_dependencies;
  std::vector<minitf::TensorName> return_tensors;
  std::vector<std::string> return_nodes;
  minitf::Status error;  ///< the first error of a setter
};

struct TF_ImportGraphDefResults {
  std::vector<TF_Output> outputs;
  std::vector<TF_Operation*> opers;
  std::vector<std::string> missing_names;
  std::vector<const char*> missing_name_pointers;
  std::vector<int> missing_indexes;
};

namespace minitf::c {
namespace {

using ImportSettings = LiveObjects<TF_ImportGraphDefOptions>;
using ImportResults = LiveObjects<TF_ImportGraphDefResults>;

// Calls `set` with options that exist. Keeps the first error that it throws.
template <typename Set>
void Change(TF_ImportGraphDefOptions* opts, const Set& set) {
  Guarded(nullptr, [&] {
    const auto options = ImportSettings::Get(opts, "opts");
    try {
      set(*options);
    } catch (...) {
      if (options->error.ok()) options->error = CaughtStatus();
    }
  });
}

// The prefix without its last slash.
std::string PrefixFor(const Graph& graph, const TF_ImportGraphDefOptions& options) {
  std::string prefix = options.prefix;
  if (prefix.ends_with('/')) prefix.pop_back();
  if (prefix.empty()) return prefix;
  if (!options.uniquify_prefix) {
    RequireFreePrefix(graph, prefix);
    return prefix;
  }
  std::string free = prefix;
  for (int number = 1; HasPrefix(graph, free); ++number) {
    free = StrCat(prefix, '_', number);
  }
  return free;
}

void RequireFreeNames(const Graph& graph, const proto::GraphDef& def) {
  const std::shared_lock reading(graph.mutex());
  for (const proto::NodeDef& node : def.node()) {
    Require(graph.FindNode(node.name()) == nullptr, "Node name '", node.name(),
            "' already exists in the Graph");
  }
}

// Lets the nodes that were imported from `first_node` on run after `dependencies`. A node
// with an imported input does so already.
void AddDependencies(const std::vector<Node*>& dependencies, int first_node,
                     Graph* graph) {
  const auto is_new = [&](const Node* node) { return node->id() >= first_node; };
  for (int id = first_node; !dependencies.empty() && id < graph->num_nodes(); ++id) {
    Node* const node = graph->node(id);
    const bool waits = std::ranges::any_of(node->inputs(), is_new, &Output::node) ||
                       std::ranges::any_of(node->control_inputs(), is_new);
    if (waits) continue;
    for (Node* const dependency : dependencies) graph->AddControlInput(node, dependency);
  }
}

ImportOptions OptionsFor(const Graph& graph, const TF_ImportGraphDefOptions& options) {
  ImportOptions result;
  result.prefix = PrefixFor(graph, options);
  for (const auto& [key, value] : options.input_map) {
    result.input_map[key] = key.index == TensorName::kControl
                                ? Output{NodeIn(graph, value.oper, "dst"), 0}
                                : OutputIn(graph, value, "dst");
  }
  for (const TensorName& name : options.return_tensors) {
    Require(name.index >= 0, "Requested return tensor '", name.node, ':', name.index,
            "' not found in graph def");
  }
  result.return_tensors = options.return_tensors;
  result.return_nodes = options.return_nodes;
  return result;
}

std::shared_ptr<TF_ImportGraphDefResults> ResultsToC(const ImportResult& result) {
  auto results = std::make_shared<TF_ImportGraphDefResults>();
  for (const Output& output : result.tensors)
    results->outputs.push_back(OutputToC(output));
  for (Node* const node : result.nodes) results->opers.push_back(OperOf(node));
  for (const TensorName& key : result.missing_keys) {
    results->missing_names.push_back(key.node);
    results->missing_indexes.push_back(key.index);
  }
  for (const std::string& name : results->missing_names) {
    results->missing_name_pointers.push_back(name.c_str());
  }
  return results;
}

std::shared_ptr<TF_ImportGraphDefResults> Import(
    TF_Graph* handle, const TF_Buffer* graph_def,
    const TF_ImportGraphDefOptions* options_handle) {
  const auto target = Graphs::Get(handle, "graph");
  const auto options = ImportSettings::Get(options_handle, "options");
  ThrowIfError(options->error);
  google::protobuf::Arena arena;
  auto* const def = google::protobuf::Arena::CreateMessage<proto::GraphDef>(&arena);
  ParseArgument(BytesOfC(graph_def, "graph_def"), "graph_def", def);
  for (proto::NodeDef& node : *def->mutable_node()) {
    if (node.device().empty()) node.set_device(options->default_device);
  }

  Graph& graph = *target->graph;
  std::vector<Node*> dependencies;
  for (TF_Operation* const oper : options->control_dependencies) {
    dependencies.push_back(NodeIn(graph, oper, "oper"));
  }
  const std::lock_guard lock(target->names);
  const ImportOptions import_options = OptionsFor(graph, *options);
  const bool may_rename = !import_options.prefix.empty() || options->uniquify_names;
  if (!may_rename) RequireFreeNames(graph, *def);
  const ImportResult result = ImportGraphDef(*def, import_options, &graph);
  AddDependencies(dependencies, result.first_node, &graph);
  return ResultsToC(result);
}

// Maps inputs that the message does not have to nodes of the graph.
std::map<TensorName, Output> InputsOutOf(const Graph& graph, const proto::GraphDef& def) {
  std::set<std::string_view> names;
  for (const proto::NodeDef& node : def.node()) names.insert(node.name());
  std::map<TensorName, Output> inputs;
  const std::shared_lock reading(graph.mutex());
  for (const proto::NodeDef& node : def.node()) {
    for (const std::string& input : node.input()) {
      const auto [name, index] = ParseInput(input);
      Node* const known = names.contains(name) ? nullptr : graph.FindNode(name);
      if (known == nullptr) continue;
      inputs[{std::string(name), index}] = {known, std::max(index, 0)};
    }
  }
  return inputs;
}

// Writes a list that `results` own, and its length.
template <typename Element>
void WriteOwned(std::vector<Element>* list, int* count, Element** elements) {
  if (count != nullptr) *count = static_cast<int>(list->size());
  if (elements != nullptr) *elements = list->data();
}

}  // namespace

void ImportByName(TF_Graph* graph, std::string_view graph_def) {
  proto::GraphDef def;
  ParseArgument(graph_def, "graph_def", &def);
  const std::lock_guard lock(graph->names);
  RequireFreeNames(*graph->graph, def);
  ImportOptions options;
  options.input_map = InputsOutOf(*graph->graph, def);
  ImportGraphDef(def, options, graph->graph.get());
}

}  // namespace minitf::c

namespace c = minitf::c;
using minitf::Require;

void TF_GraphToGraphDef(TF_Graph* graph, TF_Buffer* output_graph_def, TF_Status* status) {
  c::Guarded(status, [&] {
    google::protobuf::Arena arena;
    auto* const def =
        google::protobuf::Arena::CreateMessage<minitf::proto::GraphDef>(&arena);
    minitf::GraphToProto(*c::Graphs::Get(graph, "graph")->graph, {}, def);
    c::FillBuffer(output_graph_def, *def);
  });
}

void TF_GraphGetOpDef(TF_Graph* graph, const char* op_name, TF_Buffer* output_op_def,
                      TF_Status* status) {
  c::Guarded(status, [&] {
    c::Graphs::Get(graph, "graph");
    const auto& op = minitf::FindOp(c::TextOf(op_name, "op_name"));
    c::FillBuffer(output_op_def, c::OpDefBytes(op));
  });
}

void TF_GraphVersions(TF_Graph* graph, TF_Buffer* output_version_def, TF_Status* status) {
  c::Guarded(status, [&] {
    c::Graphs::Get(graph, "graph");
    minitf::proto::VersionDef versions;
    versions.set_producer(minitf::kGraphDefVersion);
    versions.set_min_consumer(minitf::kGraphDefVersionMinConsumer);
    c::FillBuffer(output_version_def, versions);
  });
}

// ---- Options --------------------------------------------------------------------------

TF_ImportGraphDefOptions* TF_NewImportGraphDefOptions(void) {
  return c::Guarded<TF_ImportGraphDefOptions*>(nullptr, nullptr, [] {
    return c::ImportSettings::Add(std::make_shared<TF_ImportGraphDefOptions>());
  });
}

void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions* opts) {
  c::Guarded(nullptr, [&] { c::ImportSettings::Remove(opts); });
}

void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions* opts,
                                       const char* prefix) {
  c::Change(opts, [&](auto& options) { options.prefix = c::TextOf(prefix, "prefix"); });
}

void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions* opts,
                                              const char* device) {
  c::Change(opts,
            [&](auto& options) { options.default_device = c::TextOf(device, "device"); });
}

void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions* opts,
                                              unsigned char uniquify_names) {
  c::Change(opts, [&](auto& options) { options.uniquify_names = uniquify_names != 0; });
}

void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions* opts,
                                               unsigned char uniquify_prefix) {
  c::Change(opts, [&](auto& options) { options.uniquify_prefix = uniquify_prefix != 0; });
}

void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions* opts,
                                             const char* src_name, int src_index,
                                             TF_Output dst) {
  c::Change(opts, [&](auto& options) {
    options.input_map.push_back({{c::TextOf(src_name, "src_name"), src_index}, dst});
  });
}

void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions* opts,
                                                    const char* src_name,
                                                    TF_Operation* dst) {
  TF_ImportGraphDefOptionsAddInputMapping(opts, src_name, minitf::TensorName::kControl,
                                          {dst, 0});
}

void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions* opts,
                                                  TF_Operation* oper) {
  c::Change(opts, [&](auto& options) { options.control_dependencies.push_back(oper); });
}

void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions* opts,
                                             const char* oper_name, int index) {
  c::Change(opts, [&](auto& options) {
    options.return_tensors.push_back({c::TextOf(oper_name, "oper_name"), index});
  });
}

int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions* opts) {
  return c::Guarded(nullptr, 0, [&] {
    return static_cast<int>(c::ImportSettings::Get(opts, "opts")->return_tensors.size());
  });
}

void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions* opts,
                                                const char* oper_name) {
  c::Change(opts, [&](auto& options) {
    options.return_nodes.push_back(c::TextOf(oper_name, "oper_name"));
  });
}

int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions* opts) {
  return c::Guarded(nullptr, 0, [&] {
    return static_cast<int>(c::ImportSettings::Get(opts, "opts")->return_nodes.size());
  });
}

// ---- Results --------------------------------------------------------------------------

void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults* results,
                                           int* num_outputs, TF_Output** outputs) {
  c::Guarded(nullptr, [&] {
    if (num_outputs != nullptr) *num_outputs = 0;
    const auto found = c::ImportResults::Get(results, "results");
    c::WriteOwned(&found->outputs, num_outputs, outputs);
  });
}

void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults* results,
                                              int* num_opers, TF_Operation*** opers) {
  c::Guarded(nullptr, [&] {
    if (num_opers != nullptr) *num_opers = 0;
    const auto found = c::ImportResults::Get(results, "results");
    c::WriteOwned(&found->opers, num_opers, opers);
  });
}

void TF_ImportGraphDefResultsMissingUnusedInputMappings(
    TF_ImportGraphDefResults* results, int* num_missing_unused_input_mappings,
    const char*** src_names, int** src_indexes) {
  c::Guarded(nullptr, [&] {
    int* const count = num_missing_unused_input_mappings;
    if (count != nullptr) *count = 0;
    const auto found = c::ImportResults::Get(results, "results");
    c::WriteOwned(&found->missing_name_pointers, count, src_names);
    c::WriteOwned(&found->missing_indexes, count, src_indexes);
  });
}

void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults* results) {
  c::Guarded(nullptr, [&] { c::ImportResults::Remove(results); });
}

// ---- The import -----------------------------------------------------------------------

TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResults(
    TF_Graph* graph, const TF_Buffer* graph_def, const TF_ImportGraphDefOptions* options,
    TF_Status* status) {
  return c::Guarded<TF_ImportGraphDefResults*>(status, nullptr, [&] {
    return c::ImportResults::Add(c::Import(graph, graph_def, options));
  });
}

void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph* graph, const TF_Buffer* graph_def,
                                             const TF_ImportGraphDefOptions* options,
                                             TF_Output* return_outputs,
                                             int num_return_outputs, TF_Status* status) {
  c::Guarded(status, [&] {
    const int expected = TF_ImportGraphDefOptionsNumReturnOutputs(options);
    Require(num_return_outputs == expected, "num_return_outputs is ", num_return_outputs,
            "; expected ", expected, ", the number of requested outputs");
    c::RequireList(return_outputs, num_return_outputs, "return_outputs");
    std::ranges::copy(c::Import(graph, graph_def, options)->outputs, return_outputs);
  });
}

void TF_GraphImportGraphDef(TF_Graph* graph, const TF_Buffer* graph_def,
                            const TF_ImportGraphDefOptions* options, TF_Status* status) {
  c::Guarded(status, [&] { c::Import(graph, graph_def, options); });
}
