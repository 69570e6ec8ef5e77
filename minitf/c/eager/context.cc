// Contexts of eager execution, and their options.
//
// A context is little more than its options: devices, threads, variables and cached
// kernels of eager mode belong to the process (minitf/eager/dispatch.h).
//
// Compare    tensorflow/c/eager/c_api.cc

#include "minitf/c/eager/context.h"

#include <utility>

#include "minitf/c/graph/session_objects.h"
#include "minitf/c/internal.h"
#include "minitf/c/live_objects.h"
#include "minitf/eager/dispatch.h"
#include "minitf/framework/device_name.h"
#include "minitf/protos/step_stats.pb.h"
#include "minitf/runtime/devices/local_devices.h"
#include "minitf/runtime/session_config.h"

using minitf::DeviceName;
using minitf::Error;
using minitf::Require;
using minitf::SessionOptions;
using minitf::ThrowInvalidArgument;
using minitf::c::Guarded;
using minitf::c::LiveObjects;
using minitf::c::NotNull;
using minitf::c::TextOf;
using minitf::c::ThrowUnimplemented;

namespace minitf::c {

std::string EagerDeviceNamed(std::string_view name, bool allow_soft_placement) {
  static const DeviceName& host = *new DeviceName(DeviceName::Parse(kEagerDevice));
  const DeviceName device = DeviceName::Parse(name);
  if (!device.Covers(host) && !allow_soft_placement) {
    ThrowInvalidArgument("device '", name, "' does not exist; eager ops run on ",
                         kEagerDevice);
  }
  return device.ToString();
}

void RequirePolicy(TFE_ContextDevicePlacementPolicy policy) {
  Require(TFE_DEVICE_PLACEMENT_EXPLICIT <= policy &&
              policy <= TFE_DEVICE_PLACEMENT_SILENT_FOR_INT32,
          "device placement policy is ", static_cast<int>(policy),
          "; expected a number from 0 to 3");
}

namespace {

void RefuseUnless(bool has_default, std::string_view field, int64_t value) {
  if (has_default) return;
  throw Error(errors::Unimplemented("ConfigProto.", field, " is ", value,
                                    ", which eager execution does not implement; "
                                    "expected the default"));
}

// Eager ops share the threads of the process, and have one device.
void RefuseWhatEagerLacks(const SessionOptions& config) {
  RefuseUnless(config.intra_op_threads == 0, "intra_op_parallelism_threads",
               config.intra_op_threads);
  RefuseUnless(config.inter_op_threads == 0, "inter_op_parallelism_threads",
               config.inter_op_threads);
  RefuseUnless(config.operation_timeout_ms == 0, "operation_timeout_in_ms",
               config.operation_timeout_ms);
  const auto& counts = config.devices.device_count;
  const auto num_cpus = counts.find("CPU");
  if (num_cpus != counts.end()) {
    RefuseUnless(num_cpus->second == 1, "device_count[\"CPU\"]", num_cpus->second);
  }
}

}  // namespace
}  // namespace minitf::c

TFE_ContextDevicePlacementPolicy TFE_Context::PolicyOfThread() {
  if (!has_thread_policies_) return policy;
  const std::lock_guard lock(mutex_);
  const auto entry = thread_policies_.find(std::this_thread::get_id());
  return entry == thread_policies_.end() ? policy : entry->second;
}

void TFE_Context::SetPolicyOfThread(TFE_ContextDevicePlacementPolicy thread_policy) {
  const std::lock_guard lock(mutex_);
  thread_policies_[std::this_thread::get_id()] = thread_policy;
  has_thread_policies_ = true;
}

// ---- Options --------------------------------------------------------------------------

TFE_ContextOptions* TFE_NewContextOptions(void) {
  return Guarded<TFE_ContextOptions*>(nullptr, nullptr,
                                      [] { return new TFE_ContextOptions; });
}

void TFE_ContextOptionsSetConfig(TFE_ContextOptions* options, const void* proto,
                                 size_t proto_len, TF_Status* status) {
  Guarded(status, [&] {
    TFE_ContextOptions& target = NotNull(options, "options");
    minitf::c::RequireList(proto, static_cast<int64_t>(proto_len), "proto");
    SessionOptions config =
        minitf::SessionOptionsFromConfig({static_cast<const char*>(proto), proto_len});
    minitf::c::RefuseWhatEagerLacks(config);
    target.config = std::move(config);
  });
}

void TFE_ContextOptionsSetAsync(TFE_ContextOptions* options, unsigned char enable) {
  if (options != nullptr) options->is_async = enable != 0;
}

void TFE_ContextOptionsSetDevicePlacementPolicy(TFE_ContextOptions* options,
                                                TFE_ContextDevicePlacementPolicy policy) {
  if (options != nullptr) options->policy = policy;
}

void TFE_DeleteContextOptions(TFE_ContextOptions* options) { delete options; }

// ---- Contexts -------------------------------------------------------------------------

TFE_Context* TFE_NewContext(const TFE_ContextOptions* opts, TF_Status* status) {
  return Guarded<TFE_Context*>(status, nullptr, [&] {
    const TFE_ContextOptions& options = NotNull(opts, "opts");
    minitf::c::RequirePolicy(options.policy);
    if (options.is_async) ThrowUnimplemented("TFE_ContextOptionsSetAsync");
    return LiveObjects<TFE_Context>::Add(std::make_shared<TFE_Context>(options));
  });
}

void TFE_DeleteContext(TFE_Context* ctx) { LiveObjects<TFE_Context>::Remove(ctx); }

TF_DeviceList* TFE_ContextListDevices(TFE_Context* ctx, TF_Status* status) {
  return Guarded<TF_DeviceList*>(status, nullptr, [&] {
    LiveObjects<TFE_Context>::Get(ctx, "ctx");
    minitf::DeviceOptions options;
    options.device_count = {{"GPU", 0}};
    const minitf::LocalDevices devices(options);
    auto list = std::make_shared<TF_DeviceList>();
    for (const auto& device : devices.devices()) {
      list->devices.push_back(device->attributes());
    }
    return minitf::c::DeviceLists::Add(std::move(list));
  });
}

void TFE_ContextClearCaches(TFE_Context* ctx) {
  if (LiveObjects<TFE_Context>::Find(ctx) == nullptr) return;
  Guarded(nullptr, [] { minitf::ForgetKernels(); });
}

void TFE_ContextSetThreadLocalDevicePlacementPolicy(
    TFE_Context* ctx, TFE_ContextDevicePlacementPolicy policy) {
  Guarded(nullptr,
          [&] { LiveObjects<TFE_Context>::Get(ctx, "ctx")->SetPolicyOfThread(policy); });
}

TFE_ContextDevicePlacementPolicy TFE_ContextGetDevicePlacementPolicy(TFE_Context* ctx) {
  return Guarded(nullptr, TFE_DEVICE_PLACEMENT_SILENT, [&] {
    return LiveObjects<TFE_Context>::Get(ctx, "ctx")->PolicyOfThread();
  });
}

void TFE_ContextSetAsyncForThread(TFE_Context* ctx, unsigned char enable,
                                  TF_Status* status) {
  Guarded(status, [&] {
    LiveObjects<TFE_Context>::Get(ctx, "ctx");
    if (enable != 0) ThrowUnimplemented("TFE_ContextSetAsyncForThread");
  });
}

void TFE_ContextSetServerDef(TFE_Context*, int, const void*, size_t, TF_Status* status) {
  Guarded(status, [] { ThrowUnimplemented("TFE_ContextSetServerDef"); });
}

void TFE_ContextAsyncWait(TFE_Context* ctx, TF_Status* status) {
  Guarded(status, [&] { LiveObjects<TFE_Context>::Get(ctx, "ctx"); });
}

void TFE_ContextAsyncClearError(TFE_Context*) {}

// ---- Functions ------------------------------------------------------------------------

void TFE_ContextAddFunctionDef(TFE_Context*, const char*, size_t, TF_Status* status) {
  Guarded(status, [] { ThrowUnimplemented("TFE_ContextAddFunctionDef"); });
}

void TFE_ContextAddFunction(TFE_Context*, TF_Function*, TF_Status* status) {
  Guarded(status, [] { ThrowUnimplemented("TFE_ContextAddFunction"); });
}

void TFE_ContextRemoveFunction(TFE_Context*, const char*, TF_Status* status) {
  Guarded(status, [] { ThrowUnimplemented("TFE_ContextRemoveFunction"); });
}

unsigned char TFE_ContextHasFunction(TFE_Context*, const char*) { return 0; }

// ---- Run metadata and steps -----------------------------------------------------------

void TFE_ContextEnableRunMetadata(TFE_Context* ctx) {
  if (const auto context = LiveObjects<TFE_Context>::Find(ctx)) {
    context->trace.Enable(true);
  }
}

void TFE_ContextDisableRunMetadata(TFE_Context* ctx) {
  if (const auto context = LiveObjects<TFE_Context>::Find(ctx)) {
    context->trace.Enable(false);
  }
}

void TFE_ContextExportRunMetadata(TFE_Context* ctx, TF_Buffer* buf, TF_Status* status) {
  Guarded(status, [&] {
    const auto context = LiveObjects<TFE_Context>::Get(ctx, "ctx");
    NotNull(buf, "buf");
    minitf::c::FillBuffer(buf, context->trace.Take()->SerializeAsString());
  });
}

void TFE_ContextStartStep(TFE_Context*) {}

void TFE_ContextEndStep(TFE_Context*) {}
