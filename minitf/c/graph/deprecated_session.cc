// Sessions that own their graph, with names in place of operations.

#include <algorithm>
#include <shared_mutex>
#include <string_view>
#include <utility>

#include "minitf/c/c_api_graph_def.h"
#include "minitf/c/graph/session_objects.h"
#include "minitf/graph/import_graph_def.h"

struct TF_DeprecatedSession {
  std::shared_ptr<TF_Session> session;
};

namespace minitf::c {
namespace {

using OldSessions = LiveObjects<TF_DeprecatedSession>;

// The node that `name` names. Throws NotFound if it does not exist.
Node* FindNamed(const Graph& graph, std::string_view name) {
  Node* const node = graph.FindNode(name);
  if (node != nullptr) return node;
  throw Error(errors::NotFound("the graph has no operation '", name, "'"));
}

// The outputs that "a:0", "b" and so on name.
std::vector<Output> OutputsNamed(const Graph& graph, const char* const* names, int count,
                                 std::string_view argument) {
  RequireList(names, count, argument);
  const std::shared_lock reading(graph.mutex());
  std::vector<Output> outputs;
  for (int i = 0; i < count; ++i) {
    const std::string name = TextOf(names[i], argument);
    const auto [node, index] = ParseInput(name);
    Require(index >= 0, argument, " has the control input '", name,
            "'; expected a name such as 'a:0'");
    outputs.push_back({FindNamed(graph, node), index});
    RequireExists(outputs.back());
  }
  return outputs;
}

std::vector<Node*> NodesNamed(const Graph& graph, const char* const* names, int count) {
  RequireList(names, count, "target_oper_names");
  const std::shared_lock reading(graph.mutex());
  std::vector<Node*> nodes;
  for (int i = 0; i < count; ++i) {
    nodes.push_back(FindNamed(graph, TextOf(names[i], "target_oper_names")));
  }
  return nodes;
}

}  // namespace
}  // namespace minitf::c

namespace c = minitf::c;

TF_DeprecatedSession* TF_NewDeprecatedSession(const TF_SessionOptions* opts,
                                              TF_Status* status) {
  return c::Guarded<TF_DeprecatedSession*>(status, nullptr, [&] {
    return c::OldSessions::Add(std::make_shared<TF_DeprecatedSession>(
        TF_DeprecatedSession{c::MakeSession(std::make_shared<TF_Graph>(), opts)}));
  });
}

void TF_CloseDeprecatedSession(TF_DeprecatedSession* session, TF_Status* status) {
  c::Guarded(status,
             [&] { c::Close(c::OldSessions::Get(session, "session")->session.get()); });
}

void TF_DeleteDeprecatedSession(TF_DeprecatedSession* session, TF_Status* status) {
  c::Guarded(status, [&] {
    c::Close(c::OldSessions::Get(session, "session")->session.get());
    c::OldSessions::Remove(session);
  });
}

void TF_ExtendGraph(TF_DeprecatedSession* session, const void* proto, size_t proto_len,
                    TF_Status* status) {
  c::Guarded(status, [&] {
    const auto target = c::OldSessions::Get(session, "session");
    const TF_Buffer bytes = {proto, proto_len, nullptr};
    c::ImportByName(target->session->graph.get(), c::BytesOfC(&bytes, "proto"));
  });
}

void TF_Run(TF_DeprecatedSession* session, const TF_Buffer* run_options,
            const char** input_names, TF_Tensor** inputs, int ninputs,
            const char** output_names, TF_Tensor** outputs, int noutputs,
            const char** target_oper_names, int ntargets, TF_Buffer* run_metadata,
            TF_Status* status) {
  c::ClearTensors(outputs, noutputs);
  c::Guarded(status, [&] {
    const auto target = c::OldSessions::Get(session, "session")->session;
    const minitf::Graph& graph = *target->graph->graph;
    minitf::RunRequest request;
    request.feeds = c::OutputsNamed(graph, input_names, ninputs, "input_names");
    request.fetches = c::OutputsNamed(graph, output_names, noutputs, "output_names");
    request.targets = c::NodesNamed(graph, target_oper_names, ntargets);
    c::RequireList(inputs, ninputs, "inputs");
    c::RequireList(outputs, noutputs, "outputs");
    c::RunStep(target.get(), request, inputs, {run_options, run_metadata}, outputs);
  });
  for (int i = 0; inputs != nullptr && i < ninputs; ++i) TF_DeleteTensor(inputs[i]);
}

TF_DeviceList* TF_DeprecatedSessionListDevices(TF_DeprecatedSession* session,
                                               TF_Status* status) {
  return c::Guarded<TF_DeviceList*>(status, nullptr, [&] {
    const auto target = c::OldSessions::Get(session, "session")->session;
    return c::DeviceLists::Add(
        std::make_shared<TF_DeviceList>(TF_DeviceList{c::DevicesOf(target->session)}));
  });
}
