// NamedDevice: what it can run.

#include "minitf/runtime/devices/named_device.h"

#include <algorithm>
#include <utility>
#include <vector>

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

NamedDevice::NamedDevice(DeviceAttributes attributes, Device kernels, int priority)
    : attributes_(std::move(attributes)),
      parsed_name_(DeviceName::Parse(attributes_.name)),
      kernels_(kernels),
      priority_(priority) {}

bool NamedDevice::HasKernel(const OpDef& op, const Attrs& attrs,
                            const Signature& signature) const {
  if (is_emulated() && IsForHostOnly(op, signature)) return false;
  // The executor itself stands for these two.
  if (op.facts.role == OpRole::kArg || op.facts.role == OpRole::kRetval) {
    return is_cpu();
  }
  return IsRegistered(op, attrs, kernels_);
}

MemoryTypes NamedDevice::MemoryTypesOf(const OpDef& op, const Attrs& attrs,
                                       const Signature& signature) const {
  const auto& [inputs, outputs] = signature;
  if (is_cpu()) {
    return {std::vector(inputs.size(), MemoryType::kHost),
            std::vector(outputs.size(), MemoryType::kHost)};
  }
  return MemoryTypesFor(FindKernel(op, attrs, kernels_), op, attrs, signature);
}

}  // namespace minitf
