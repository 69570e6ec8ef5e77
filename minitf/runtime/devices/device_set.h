// DeviceSet: the devices among which the nodes of a graph are placed.
//
// They may be of this process or of others. The set does not own them: those of this
// process belong to a LocalDevices (local_devices.h).
//
// Compare    tensorflow/core/common_runtime/device_set.h
// Read next  minitf/runtime/devices/local_device.h

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "minitf/runtime/devices/named_device.h"

namespace minitf {

class DeviceSet {
 public:
  /// `devices`, which must outlive the set; the first one is the host. Throws
  /// InvalidArgument if there is none, if the first is no CPU, or if two have one name.
  explicit DeviceSet(std::vector<const NamedDevice*> devices);

  const std::vector<const NamedDevice*>& devices() const { return devices_; }
  /// A CPU, where feeds come in and fetches go out.
  const NamedDevice& host() const { return *devices_.front(); }

  /// The device called `name`, in full and in any spelling; null if there is none.
  const NamedDevice* Find(std::string_view name) const;
  /// All devices that `name` may mean: by priority, then in the order of devices().
  std::vector<const NamedDevice*> Matching(const DeviceName& name) const;
  /// Their names, with commas between, as they stand in messages.
  std::string Names() const;

 private:
  const std::vector<const NamedDevice*> devices_;
  std::unordered_map<std::string_view, const NamedDevice*> by_name_;
};

}  // namespace minitf
