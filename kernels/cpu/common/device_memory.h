// Device memory: where a tensor must lie that stays on a device for longer than a step.
//
// Some kernels run on all devices: those that pass tensors on, keep them, or move
// elements by StridedCopy. What such a kernel allocates through its context lies in the
// memory of its device. A tensor that came from elsewhere, as the value of a constant
// does, is brought there with this.
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

/// Whether the kernels of `device` reach the elements of `value` where they lie: on the
/// host, or on its card.
inline bool IsReachedFrom(const DeviceContext& device, const Tensor& value) {
  const Allocator* const there = value.allocator();
  const ElementMover* const mover = there == nullptr ? nullptr : there->mover();
  return mover == (device.allocator == nullptr ? nullptr : device.allocator->mover());
}

/// A copy of `value`, which lies on the host or on the same card, in the memory of
/// `allocator`. Throws ResourceExhausted.
inline Tensor InMemoryOf(Allocator& allocator, const Tensor& value) {
  Tensor copy(value.dtype(), value.shape(), allocator);
  if (copy.num_bytes() == 0) return copy;
  ElementMover* const mover = allocator.mover();
  const bool is_on_card = mover != nullptr && value.allocator() != nullptr &&
                          value.allocator()->mover() == mover;
  if (is_on_card) {
    const CopyLoop loop = {value.num_elements(), 1, 1};
    mover->Within(copy.mutable_data(), value.data(),
                  static_cast<int>(SizeOf(value.dtype())), {&loop, 1});
  } else if (mover != nullptr) {
    mover->FromHost(copy.mutable_data(), value.data(), value.num_bytes());
  } else {
    std::memcpy(copy.mutable_data(), value.data(), value.num_bytes());
  }
  return copy;
}

/// `value` in the memory of `device`: itself if it lies there, else a copy. Elements that
/// are no plain numbers stay where they are. Throws ResourceExhausted.
inline Tensor InMemoryOf(const DeviceContext& device, const Tensor& value) {
  if (!value.has_value() || !IsPlain(value.dtype())) return value;
  if (HasOwnMemory(device)) {
    const bool is_there = value.allocator() == device.allocator;
    return is_there ? value : InMemoryOf(*device.allocator, value);
  }
  return IsReachedFrom(device, value) ? value : value.Clone();
}

/// The same, but that it counts as there if the device reaches it where it lies.
inline Tensor ReachedFrom(const DeviceContext& device, const Tensor& value) {
  return IsReachedFrom(device, value) ? value : InMemoryOf(device, value);
}

}  // namespace minitf
