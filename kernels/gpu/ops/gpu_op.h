// What the ops of cards share: the stream, errors, and how tensors are handed to kernels.
//
// Compute puts kernels into the stream of its card and returns; the results are there
// when the stream has come so far. Memory for one call may be let go at once, since
// whoever gets it next comes later in the same stream.
//
// Read next  kernels/gpu/ops/cwise.cc

#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/common/broadcast_plan.h"
#include "kernels/gpu/device/cuda_stream.h"
#include "kernels/gpu/device/device_address.h"
#include "kernels/gpu/elementwise.h"
#include "minitf/framework/op_kernel.h"

namespace minitf::gpu {

/// The stream of the kernel's card, which becomes the current card of this thread.
inline cudaStream_t StreamOf(const OpKernelContext& ctx) {
  return static_cast<CudaStream*>(ctx.stream())->Use();
}

/// Throws Internal if a launch went wrong.
inline void CheckLaunch(cudaError_t error) {
  ThrowIfError(StatusOf(error, "launching a kernel"));
}

/// The first element, for a launch. Requires: T is the C++ type of the dtype.
template <typename T>
const T* DataOf(const Tensor& tensor) {
  return Revealed(tensor.flat<T>().data());
}
template <typename T>
T* DataOf(Tensor* tensor) {
  return Revealed(tensor->mutable_flat<T>().data());
}
/// The same where the kernel knows the type by itself.
inline const void* BytesOf(const Tensor& tensor) { return Revealed(tensor.data()); }
inline void* BytesOf(Tensor* tensor) { return Revealed(tensor->mutable_data()); }

/// Room on the card for the time of the call. Null for no elements.
template <typename T>
T* RoomFor(OpKernelContext* ctx, int64_t count, Tensor* room) {
  if (count == 0) return nullptr;
  ThrowIfError(ctx->allocate_temp(DTypeOf<T>(), Shape{count}, room));
  return DataOf<T>(room);
}

inline DType DTypeFrom(ElementType type) {
  switch (type) {
    case ElementType::kBool: return DType::kBool;
    case ElementType::kInt32: return DType::kInt32;
    case ElementType::kInt64: return DType::kInt64;
    case ElementType::kFloat32: return DType::kFloat32;
    case ElementType::kFloat64: return DType::kFloat64;
  }
  return DType::kInvalid;
}

/// How to walk through `inputs`, which broadcast to `output`. Throws Unimplemented if
/// that takes more axes than a kernel has.
inline Broadcast BroadcastOf(const Shape& output, std::span<const Shape* const> inputs) {
  const BroadcastPlan plan(output, inputs);
  Broadcast broadcast;
  if (plan.axes().size() > Broadcast::kMaxAxes) {
    throw Error(errors::Unimplemented("broadcasting to ", output, " takes more than ",
                                      Broadcast::kMaxAxes, " axes on a card"));
  }
  for (const BroadcastPlan::Axis& axis : plan.axes()) {
    broadcast.size[broadcast.num_axes] = axis.size;
    for (size_t i = 0; i < inputs.size(); ++i) {
      broadcast.stride[i][broadcast.num_axes] = axis.strides[i];
    }
    ++broadcast.num_axes;
  }
  return broadcast;
}

/// Registers kernel T of `op` on cards, for float and double.
template <template <typename> typename Op>
void RegisterFloating(const Kernel& kernel) {
  const auto add = [&]<typename T>() {
    RegisterKernel<Op<T>>(Kernel(kernel).On(Device::kGpu).Type<T>("T"));
  };
  add.template operator()<float>();
  add.template operator()<double>();
}

}  // namespace minitf::gpu
