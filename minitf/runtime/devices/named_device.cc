// NamedDevice: what it can run.

#include "minitf/runtime/devices/named_device.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace minitf {
namespace {

bool Contains(const std::vector<DType>& types, DType type) {
  return std::ranges::find(types, type) != types.end();
}

// Whether `op` needs the host itself, so that no GPU runs it.
bool IsForHostOnly(const OpDef& op, const Signature& signature) {
  const auto& [inputs, outputs] = signature;
  return op.facts.is_host_only || Contains(inputs, DType::kString) ||
         Contains(outputs, DType::kString);
}

// The kernel for a call; none if there is none.
std::optional<KernelChoice> ChoiceFor(const OpDef& op, const Attrs& attrs,
                                      Device device) {
  try {
    return ChooseKernel(op, attrs, device);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether all of the call's arguments are in host memory by intent: shapes and counters.
bool IsOfSizes(const KernelDef& kernel, const Attrs& attrs) {
  const AttrValue* type = attrs.Find(kernel.host_memory_if_int32);
  const auto* dtype = type == nullptr ? nullptr : std::get_if<DType>(type);
  return dtype != nullptr && *dtype == DType::kInt32;
}

}  // namespace

NamedDevice::NamedDevice(DeviceAttributes attributes, Device kernels, int priority)
    : attributes_(std::move(attributes)),
      parsed_name_(DeviceName::Parse(attributes_.name)),
      kernels_(kernels),
      priority_(priority) {}

bool NamedDevice::HasKernel(const OpDef& op, const Attrs& attrs,
                            const Signature& signature) const {
  if (!is_cpu() && IsForHostOnly(op, signature)) return false;
  // The executor itself stands for these two.
  if (op.facts.role == OpRole::kArg || op.facts.role == OpRole::kRetval) {
    return is_cpu();
  }
  return ChoiceFor(op, attrs, kernels_).has_value();
}

bool NamedDevice::HasOwnKernel(const OpDef& op, const Attrs& attrs,
                               const Signature& signature) const {
  if (!HasKernel(op, attrs, signature)) return false;
  if (kernels_ == Device::kCpu) return true;
  const KernelChoice choice = ChooseKernel(op, attrs, kernels_);
  return !choice.is_on_host || IsOfSizes(*choice.kernel, attrs);
}

MemoryTypes NamedDevice::MemoryTypesOf(const OpDef& op, const Attrs& attrs,
                                       const Signature& signature) const {
  const auto& [inputs, outputs] = signature;
  if (is_cpu()) {
    return {std::vector(inputs.size(), MemoryType::kHost),
            std::vector(outputs.size(), MemoryType::kHost)};
  }
  return MemoryTypesFor(ChooseKernel(op, attrs, kernels_), op, attrs, signature);
}

}  // namespace minitf
