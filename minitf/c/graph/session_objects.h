// The structs behind TF_SessionOptions, TF_Session and TF_DeviceList.
//
// Compare    tensorflow/c/c_api_internal.h
// Read next  minitf/c/graph/session.cc

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "minitf/c/c_api_session.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/runtime/devices/named_device.h"
#include "minitf/runtime/session.h"

struct TF_SessionOptions {
  std::string target;
  minitf::SessionOptions options;
};

struct TF_Session {
  std::shared_ptr<TF_Graph> graph;
  minitf::Session session;
  std::atomic<bool> is_closed = false;
};

struct TF_DeviceList {
  std::vector<minitf::DeviceAttributes> devices;
};

namespace minitf::c {

using SessionSettings = LiveObjects<TF_SessionOptions>;
using Sessions = LiveObjects<TF_Session>;
using DeviceLists = LiveObjects<TF_DeviceList>;

/// Returns a session on `graph`. Throws NotFound for a target that is not this process.
std::shared_ptr<TF_Session> MakeSession(std::shared_ptr<TF_Graph> graph,
                                        const TF_SessionOptions* options);

/// The arguments of one run besides its feeds.
struct RunMessages {
  const TF_Buffer* options = nullptr;  ///< a serialized RunOptions, or null
  TF_Buffer* metadata = nullptr;       ///< for a serialized RunMetadata, or null
};

/// Closes the session: steps that run end, later steps get TF_CANCELLED.
void Close(TF_Session* session);

/// Runs one step and writes request.fetches.size() new tensors to `output_values`.
void RunStep(TF_Session* session, const RunRequest& request,
             TF_Tensor* const* input_values, const RunMessages& messages,
             TF_Tensor** output_values);

/// Sets `count` pointers to null, if there are any.
void ClearTensors(TF_Tensor** values, int count);

/// The devices of a session.
std::vector<DeviceAttributes> DevicesOf(const Session& session);

}  // namespace minitf::c
