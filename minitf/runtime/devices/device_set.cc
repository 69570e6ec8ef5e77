// DeviceSet: finding devices by name.

#include "minitf/runtime/devices/device_set.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "minitf/base/text.h"

namespace minitf {

DeviceSet::DeviceSet(std::vector<const NamedDevice*> devices)
    : devices_(std::move(devices)) {
  Require(!devices_.empty(), "a set of devices needs at least one, the host");
  Require(host().is_cpu(), "the host must be a CPU, got ", host().name());
  for (const NamedDevice* device : devices_) {
    const bool is_new = by_name_.emplace(device->name(), device).second;
    Require(is_new, "two devices are called ", device->name());
  }
}

const NamedDevice* DeviceSet::Find(std::string_view name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    return found->second;
  }
  DeviceName parsed;
  if (!DeviceName::Parse(name, &parsed).ok() || !parsed.IsFull()) return nullptr;
  const auto found = by_name_.find(parsed.ToString());
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<const NamedDevice*> DeviceSet::Matching(const DeviceName& name) const {
  std::vector<const NamedDevice*> matching;
  for (const NamedDevice* device : devices_) {
    if (name.Covers(device->parsed_name())) matching.push_back(device);
  }
  std::ranges::stable_sort(matching, std::greater<>(), &NamedDevice::priority);
  return matching;
}

std::string DeviceSet::Names() const {
  std::vector<std::string_view> names;
  for (const NamedDevice* device : devices_) names.push_back(device->name());
  return Join(names, ", ");
}

}  // namespace minitf
