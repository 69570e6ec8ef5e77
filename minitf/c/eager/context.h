// The objects behind the handles of eager/c_api.h.
//
// Compare    tensorflow/c/eager/c_api_internal.h
// Read next  minitf/c/eager/context.cc

#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/c/eager/c_api.h"
#include "minitf/c/eager/op_trace.h"
#include "minitf/framework/attrs.h"
#include "minitf/framework/op.h"
#include "minitf/runtime/session.h"
#include "minitf/tensor/tensor.h"

namespace minitf::c {

/// The only device of eager ops.
inline constexpr const char* kEagerDevice =
    "/job:localhost/replica:0/task:0/device:CPU:0";

/// Throws InvalidArgument unless eager ops run on a device called `name`. An empty name
/// selects the default device. With `allow_soft_placement`, ops of another device run on
/// the CPU. Returns the canonical form of the name.
std::string EagerDeviceNamed(std::string_view name, bool allow_soft_placement);

/// Throws InvalidArgument for a value outside of the enumeration.
void RequirePolicy(TFE_ContextDevicePlacementPolicy policy);

}  // namespace minitf::c

struct TFE_ContextOptions {
  minitf::SessionOptions config;
  bool is_async = false;
  TFE_ContextDevicePlacementPolicy policy = TFE_DEVICE_PLACEMENT_SILENT;
};

struct TFE_Context {
  explicit TFE_Context(const TFE_ContextOptions& options)
      : config(options.config), policy(options.policy) {}

  /// The policy of this thread.
  TFE_ContextDevicePlacementPolicy PolicyOfThread();
  void SetPolicyOfThread(TFE_ContextDevicePlacementPolicy policy);

  const minitf::SessionOptions config;
  const TFE_ContextDevicePlacementPolicy policy;
  minitf::c::OpTrace trace;

 private:
  std::atomic<bool> has_thread_policies_ = false;
  std::mutex mutex_;  // guards thread_policies_
  std::map<std::thread::id, TFE_ContextDevicePlacementPolicy> thread_policies_;
};

struct TFE_TensorHandle {
  minitf::Tensor tensor;
};

struct TFE_TensorDebugInfo {
  minitf::Shape shape;
};

struct TFE_Op {
  std::shared_ptr<TFE_Context> context;
  const minitf::OpDef* def = nullptr;
  std::string device;
  minitf::Attrs attrs;
  std::vector<minitf::Tensor> inputs;
  std::vector<int> lengths;  ///< of the inputs, in the order in which they were added
  bool has_lists = false;    ///< whether TFE_OpAddInputList was called
  minitf::Status error;      ///< the first error of a setter that has no status

  /// `lengths` as minitf::RunOp expects it: empty unless it describes all inputs.
  std::vector<int> InputLengths() const;
};
