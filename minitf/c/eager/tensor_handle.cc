// Tensor handles: values of eager execution.
//
// Compare    tensorflow/c/eager/c_api.cc

#include <memory>
#include <utility>

#include "minitf/c/eager/context.h"
#include "minitf/c/internal.h"
#include "minitf/c/live_objects.h"
#include "minitf/c/shared_tensor.h"

using minitf::Require;
using minitf::Tensor;
using minitf::c::Guarded;
using minitf::c::LiveObjects;

namespace {

TFE_TensorHandle* NewHandle(Tensor tensor) {
  return LiveObjects<TFE_TensorHandle>::Add(
      std::make_shared<TFE_TensorHandle>(TFE_TensorHandle{std::move(tensor)}));
}

std::shared_ptr<TFE_TensorHandle> Get(const TFE_TensorHandle* handle) {
  return LiveObjects<TFE_TensorHandle>::Get(handle, "h");
}

}  // namespace

TFE_TensorHandle* TFE_NewTensorHandle(TF_Tensor* t, TF_Status* status) {
  return Guarded<TFE_TensorHandle*>(
      status, nullptr, [&] { return NewHandle(minitf::c::SharedTensorOfC(t, "t")); });
}

void TFE_DeleteTensorHandle(TFE_TensorHandle* h) {
  LiveObjects<TFE_TensorHandle>::Remove(h);
}

TF_DataType TFE_TensorHandleDataType(TFE_TensorHandle* h) {
  const auto handle = LiveObjects<TFE_TensorHandle>::Find(h);
  return handle == nullptr ? TF_DataType{} : minitf::c::DTypeToC(handle->tensor.dtype());
}

int TFE_TensorHandleNumDims(TFE_TensorHandle* h, TF_Status* status) {
  return Guarded(status, -1, [&] { return Get(h)->tensor.rank(); });
}

int64_t TFE_TensorHandleNumElements(TFE_TensorHandle* h, TF_Status* status) {
  return Guarded<int64_t>(status, -1, [&] { return Get(h)->tensor.num_elements(); });
}

int64_t TFE_TensorHandleDim(TFE_TensorHandle* h, int dim_index, TF_Status* status) {
  return Guarded<int64_t>(status, -1, [&] { return Get(h)->tensor.dim(dim_index); });
}

const char* TFE_TensorHandleDeviceName(TFE_TensorHandle* h, TF_Status* status) {
  return Guarded<const char*>(status, nullptr, [&] {
    Get(h);
    return minitf::c::kEagerDevice;
  });
}

const char* TFE_TensorHandleBackingDeviceName(TFE_TensorHandle* h, TF_Status* status) {
  return TFE_TensorHandleDeviceName(h, status);
}

TFE_TensorHandle* TFE_TensorHandleCopySharingTensor(TFE_TensorHandle* h,
                                                    TF_Status* status) {
  return Guarded<TFE_TensorHandle*>(status, nullptr,
                                    [&] { return NewHandle(Get(h)->tensor); });
}

TF_Tensor* TFE_TensorHandleResolve(TFE_TensorHandle* h, TF_Status* status) {
  return Guarded<TF_Tensor*>(status, nullptr, [&] {
    return minitf::c::SharedTensorToC(Get(h)->tensor).release();
  });
}

TFE_TensorHandle* TFE_TensorHandleCopyToDevice(TFE_TensorHandle* h, TFE_Context* ctx,
                                               const char* device_name,
                                               TF_Status* status) {
  return Guarded<TFE_TensorHandle*>(status, nullptr, [&] {
    const auto handle = Get(h);
    const auto context = LiveObjects<TFE_Context>::Get(ctx, "ctx");
    minitf::c::EagerDeviceNamed(minitf::c::TextOf(device_name, "device_name"),
                                context->config.allow_soft_placement);
    return NewHandle(handle->tensor);
  });
}

// ---- Debug information ----------------------------------------------------------------

TFE_TensorDebugInfo* TFE_TensorHandleTensorDebugInfo(TFE_TensorHandle* h,
                                                     TF_Status* status) {
  return Guarded<TFE_TensorDebugInfo*>(
      status, nullptr, [&] { return new TFE_TensorDebugInfo{Get(h)->tensor.shape()}; });
}

void TFE_DeleteTensorDebugInfo(TFE_TensorDebugInfo* debug_info) { delete debug_info; }

int TFE_TensorDebugInfoOnDeviceNumDims(TFE_TensorDebugInfo* debug_info) {
  return debug_info == nullptr ? -1 : debug_info->shape.rank();
}

int64_t TFE_TensorDebugInfoOnDeviceDim(TFE_TensorDebugInfo* debug_info, int dim_index) {
  const bool exists =
      0 <= dim_index && dim_index < TFE_TensorDebugInfoOnDeviceNumDims(debug_info);
  return exists ? debug_info->shape.dim(dim_index) : -1;
}
