// Devices in Python: which there are, what they hold, and what went between them.
//
// Compare    tensorflow/python/client/device_lib.i
// Read next  python/minitf/framework/devices.py

#include <memory>
#include <string_view>

#include <pybind11/pybind11.h>

#include "minitf/runtime/devices/local_devices.h"
#include "minitf/runtime/session.h"
#include "minitf/runtime/session_config.h"
#include "python/bindings/bind.h"

namespace py = pybind11;

namespace minitf {

namespace {

// Name, type, memory limit, incarnation and description of each.
py::list AttributesOf(const LocalDevices& devices) {
  py::list list;
  for (const auto& device : devices.devices()) {
    const DeviceAttributes& attributes = device->attributes();
    list.append(py::make_tuple(attributes.name, attributes.type, attributes.memory_limit,
                               attributes.incarnation, attributes.physical_device_desc));
  }
  return list;
}

// Of each device, by name: what its allocator has counted.
py::dict MemoryOf(const LocalDevices& devices) {
  py::dict memory;
  for (const auto& device : devices.devices()) {
    const Allocator::Stats stats = device->allocator().stats();
    py::dict counted;
    counted["bytes_in_use"] = stats.bytes_in_use;
    counted["peak_bytes_in_use"] = stats.peak_bytes_in_use;
    counted["bytes_limit"] = stats.bytes_limit;
    counted["num_allocations"] = stats.num_allocations;
    counted["largest_allocation"] = stats.largest_allocation;
    memory[py::str(device->name())] = counted;
  }
  return memory;
}

py::dict TransfersOf(const LocalDevices& devices) {
  const TransferStats& transfers = devices.transfers();
  py::dict counted;
  counted["num_transfers"] = transfers.num_transfers.load();
  counted["bytes"] = transfers.bytes.load();
  counted["bytes_copied"] = transfers.bytes_copied.load();
  return counted;
}

}  // namespace

void BindDevices(py::module_& module) {
  module.def(
      "list_devices",
      [](std::string_view config) {
        return AttributesOf(LocalDevices(SessionOptionsFromConfig(config).devices));
      },
      "The devices that a session with this ConfigProto, as bytes, would have.");
  module.def("session_memory",
             [](const Session& session) { return MemoryOf(session.devices()); });
  module.def("session_transfers",
             [](const Session& session) { return TransfersOf(session.devices()); });
}

}  // namespace minitf
