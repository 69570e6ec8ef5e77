// LocalDevice: what it can run, and copies between the memories of two.

#include "minitf/runtime/devices/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace minitf {
namespace {

bool Contains(const std::vector<DType>& types, DType type) {
  return std::ranges::find(types, type) != types.end();
}

// Whether `op` needs the host itself, so that not even an emulated GPU runs it.
bool IsForHostOnly(const OpDef& op, const Signature& signature) {
  const auto& [inputs, outputs] = signature;
  return op.facts.is_host_only || Contains(inputs, DType::kString) ||
         Contains(outputs, DType::kString);
}

bool IsRegistered(const OpDef& op, const Attrs& attrs, Device device) {
  try {
    FindKernel(op, attrs, device);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void DeviceStream::Enqueue(const std::function<void()>& work) {
  const std::lock_guard lock(mutex_);
  ++num_enqueued_;
  work();
}

void DeviceStream::Synchronize() { const std::lock_guard lock(mutex_); }

int64_t DeviceStream::num_enqueued() const {
  const std::lock_guard lock(mutex_);
  return num_enqueued_;
}

LocalDevice::LocalDevice(DeviceAttributes attributes, Device kernels, int priority,
                         DeviceAllocator::Ptr allocator, const DeviceContext& context)
    : attributes_(std::move(attributes)),
      parsed_name_(DeviceName::Parse(attributes_.name)),
      kernels_(kernels),
      priority_(priority),
      allocator_(std::move(allocator)),
      context_(context) {
  context_.allocator = allocator_ == nullptr ? &CpuAllocator() : allocator_.get();
}

bool LocalDevice::SharesMemoryWith(const LocalDevice& other) const {
  return this == &other || (is_cpu() && other.is_cpu());
}

bool LocalDevice::HasKernel(const OpDef& op, const Attrs& attrs,
                            const Signature& signature) const {
  if (is_emulated() && IsForHostOnly(op, signature)) return false;
  // The executor itself stands for these two.
  if (op.facts.role == OpRole::kArg || op.facts.role == OpRole::kRetval) {
    return is_cpu();
  }
  return IsRegistered(op, attrs, kernels_);
}

Tensor CopyToDevice(const Tensor& value, LocalDevice& from, LocalDevice& to) {
  if (from.SharesMemoryWith(to) || !value.has_value() || !IsPlain(value.dtype())) {
    return value;
  }
  Tensor copy(value.dtype(), value.shape(), to.allocator());
  // The stream of the GPU, whichever side that is: its kernels are in order with it.
  LocalDevice& gpu = to.is_cpu() ? from : to;
  gpu.stream().Enqueue([&] {
    if (value.num_bytes() > 0) {
      std::memcpy(copy.mutable_data(), value.data(), value.num_bytes());
    }
  });
  gpu.stream().Synchronize();
  return copy;
}

}  // namespace minitf
