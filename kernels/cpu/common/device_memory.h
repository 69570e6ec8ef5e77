// Device memory: where a tensor must lie that stays on a device for longer than a step.
//
// The CPU's kernels also run for GPUs that are emulated
// (minitf/runtime/devices/local_device.h), which have memory of their own. A kernel that
// allocates through its context gets that memory. One that keeps a tensor that came from
// elsewhere, as Const and the assignment to a variable do, brings it there with this.
//
// Read next  kernels/cpu/state/locked_variables.h

#pragma once

#include <cstring>

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/stream.h"

namespace minitf {

/// Whether `device` has memory apart from that of the host.
inline bool HasOwnMemory(const DeviceContext& device) {
  return device.allocator != nullptr && device.allocator != &CpuAllocator();
}

/// `value`, copied into the memory of `device` if that is not the host's. Elements that
/// are no plain numbers stay where they are. Throws ResourceExhausted.
inline Tensor InMemoryOf(const DeviceContext& device, const Tensor& value) {
  if (!HasOwnMemory(device) || !IsPlain(value.dtype())) return value;
  Tensor copy(value.dtype(), value.shape(), *device.allocator);
  if (device.stream != nullptr) {
    device.stream->Copy(copy.mutable_data(), value.data(), value.num_bytes());
    ThrowIfError(device.stream->Synchronize());
  } else if (copy.num_bytes() > 0) {
    std::memcpy(copy.mutable_data(), value.data(), copy.num_bytes());
  }
  return copy;
}

}  // namespace minitf
