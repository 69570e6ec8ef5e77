// Sessions: making them, running steps, listing devices.

#include <algorithm>
#include <mutex>
#include <utility>

#include "minitf/base/logging.h"
#include "minitf/c/graph/session_objects.h"
#include "minitf/runtime/executor/step_trace.h"
#include "minitf/runtime/session_config.h"

namespace minitf::c {

std::shared_ptr<TF_Session> MakeSession(std::shared_ptr<TF_Graph> graph,
                                        const TF_SessionOptions* options) {
  const auto settings = SessionSettings::Get(options, "opts");
  if (!settings->target.empty() && settings->target != "local") {
    throw Error(errors::NotFound("No session factory registered for the target '",
                                 settings->target, "'; minitf knows '' and 'local'"));
  }
  std::shared_ptr<Graph> nodes = graph->graph;
  return std::shared_ptr<TF_Session>(
      new TF_Session{std::move(graph), Session(std::move(nodes), settings->options)});
}

void ClearTensors(TF_Tensor** values, int count) {
  if (values != nullptr && count > 0) std::fill_n(values, count, nullptr);
}

void Close(TF_Session* session) {
  session->is_closed = true;
  session->session.Close();
}

void RunStep(TF_Session* session, const RunRequest& request,
             TF_Tensor* const* input_values, const RunMessages& messages,
             TF_Tensor** output_values) {
  if (session->is_closed) throw Error(errors::Cancelled(kSessionClosed));
  Require(!request.fetches.empty() || !request.targets.empty(),
          "the step has nothing to do; expected at least one output or target");
  VLOG(2) << "C API: run step with " << request.feeds.size() << " feeds";
  RunOptionsMessage parsed;
  if (messages.options != nullptr) {
    parsed = ParseRunOptions(BytesOfC(messages.options, "run_options"));
  }
  Require(messages.metadata == nullptr || messages.metadata->data == nullptr,
          "Passing non-empty run_metadata is invalid.");
  std::vector<Tensor> feeds;
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    feeds.push_back(TensorOfC(input_values[i], "an element of input_values"));
  }

  StepTrace trace;
  RunOptions options;
  options.timeout_ms = parsed.timeout_ms;
  if (parsed.traces && messages.metadata != nullptr) options.observer = &trace;
  const auto callable = session->session.Prepare(request);
  std::vector<Tensor> fetches = session->session.Run(*callable, feeds, options);

  std::vector<std::unique_ptr<TF_Tensor>> outputs;
  for (Tensor& fetch : fetches) outputs.push_back(TensorToC(std::move(fetch)));
  if (messages.metadata != nullptr) {
    std::vector<const Graph*> partitions;
    if (parsed.wants_partition_graphs)
      partitions = session->session.PartitionGraphs(*callable);
    FillBuffer(messages.metadata, trace.Serialize(partitions));
  }
  for (size_t i = 0; i < outputs.size(); ++i) output_values[i] = outputs[i].release();
}

std::vector<DeviceAttributes> DevicesOf(const Session& session) {
  std::vector<DeviceAttributes> devices;
  for (const auto& device : session.devices().devices()) {
    devices.push_back(device->attributes());
  }
  return devices;
}

namespace {

// The nodes of the targets. Throws as NodeIn does.
std::vector<Node*> TargetsIn(const Graph& graph, const TF_Operation* const* target_opers,
                             int ntargets) {
  RequireList(target_opers, ntargets, "target_opers");
  std::vector<Node*> targets;
  for (int i = 0; i < ntargets; ++i) {
    targets.push_back(NodeIn(graph, target_opers[i], "an element of target_opers"));
  }
  return targets;
}

// Returns what `read` returns for device `index`, or `otherwise` with an error.
template <typename Result, typename Read>
Result ReadDevice(const TF_DeviceList* list, int index, TF_Status* status,
                  Result otherwise, const Read& read) {
  return Guarded<Result>(status, otherwise, [&] {
    const auto& devices = DeviceLists::Get(list, "list")->devices;
    const auto count = static_cast<int>(devices.size());
    Require(0 <= index && index < count, "index is ", index, ", but the list has ", count,
            " devices");
    return read(devices[index]);
  });
}

}  // namespace
}  // namespace minitf::c

namespace c = minitf::c;
using minitf::DeviceAttributes;

TF_SessionOptions* TF_NewSessionOptions(void) {
  return c::Guarded<TF_SessionOptions*>(nullptr, nullptr, [] {
    return c::SessionSettings::Add(std::make_shared<TF_SessionOptions>());
  });
}

void TF_SetTarget(TF_SessionOptions* options, const char* target) {
  c::Guarded(nullptr, [&] {
    c::SessionSettings::Get(options, "options")->target = c::TextOf(target, "target");
  });
}

void TF_SetConfig(TF_SessionOptions* options, const void* proto, size_t proto_len,
                  TF_Status* status) {
  c::Guarded(status, [&] {
    const TF_Buffer config = {proto, proto_len, nullptr};
    const auto settings = c::SessionSettings::Get(options, "options");
    settings->options = minitf::SessionOptionsFromConfig(c::BytesOfC(&config, "proto"));
  });
}

void TF_DeleteSessionOptions(TF_SessionOptions* options) {
  c::Guarded(nullptr, [&] { c::SessionSettings::Remove(options); });
}

TF_Session* TF_NewSession(TF_Graph* graph, const TF_SessionOptions* opts,
                          TF_Status* status) {
  return c::Guarded<TF_Session*>(status, nullptr, [&] {
    return c::Sessions::Add(c::MakeSession(c::Graphs::Get(graph, "graph"), opts));
  });
}

void TF_CloseSession(TF_Session* session, TF_Status* status) {
  c::Guarded(status, [&] { c::Close(c::Sessions::Get(session, "session").get()); });
}

void TF_DeleteSession(TF_Session* session, TF_Status* status) {
  c::Guarded(status, [&] {
    c::Close(c::Sessions::Get(session, "session").get());
    c::Sessions::Remove(session);
  });
}

void TF_SessionRun(TF_Session* session, const TF_Buffer* run_options,
                   const TF_Output* inputs, TF_Tensor* const* input_values, int ninputs,
                   const TF_Output* outputs, TF_Tensor** output_values, int noutputs,
                   const TF_Operation* const* target_opers, int ntargets,
                   TF_Buffer* run_metadata, TF_Status* status) {
  c::ClearTensors(output_values, noutputs);
  c::Guarded(status, [&] {
    const auto target = c::Sessions::Get(session, "session");
    const minitf::Graph& graph = *target->graph->graph;
    minitf::RunRequest request;
    request.feeds = c::OutputsIn(graph, inputs, ninputs, "inputs");
    request.fetches = c::OutputsIn(graph, outputs, noutputs, "outputs");
    request.targets = c::TargetsIn(graph, target_opers, ntargets);
    c::RequireList(input_values, ninputs, "input_values");
    c::RequireList(output_values, noutputs, "output_values");
    c::RunStep(target.get(), request, input_values, {run_options, run_metadata},
               output_values);
  });
}

// ---- Devices --------------------------------------------------------------------------

TF_DeviceList* TF_SessionListDevices(TF_Session* session, TF_Status* status) {
  return c::Guarded<TF_DeviceList*>(status, nullptr, [&] {
    const auto target = c::Sessions::Get(session, "session");
    return c::DeviceLists::Add(
        std::make_shared<TF_DeviceList>(TF_DeviceList{c::DevicesOf(target->session)}));
  });
}

void TF_DeleteDeviceList(TF_DeviceList* list) {
  c::Guarded(nullptr, [&] { c::DeviceLists::Remove(list); });
}

int TF_DeviceListCount(const TF_DeviceList* list) {
  return c::Guarded(nullptr, 0, [&] {
    return static_cast<int>(c::DeviceLists::Get(list, "list")->devices.size());
  });
}

const char* TF_DeviceListName(const TF_DeviceList* list, int index, TF_Status* status) {
  return c::ReadDevice<const char*>(
      list, index, status, nullptr,
      [](const DeviceAttributes& device) { return device.name.c_str(); });
}

const char* TF_DeviceListType(const TF_DeviceList* list, int index, TF_Status* status) {
  return c::ReadDevice<const char*>(
      list, index, status, nullptr,
      [](const DeviceAttributes& device) { return device.type.c_str(); });
}

int64_t TF_DeviceListMemoryBytes(const TF_DeviceList* list, int index,
                                 TF_Status* status) {
  return c::ReadDevice<int64_t>(
      list, index, status, -1,
      [](const DeviceAttributes& device) { return device.memory_limit; });
}

uint64_t TF_DeviceListIncarnation(const TF_DeviceList* list, int index,
                                  TF_Status* status) {
  return c::ReadDevice<uint64_t>(
      list, index, status, 0,
      [](const DeviceAttributes& device) { return device.incarnation; });
}
