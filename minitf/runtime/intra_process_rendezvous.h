// IntraProcessRendezvous: a rendezvous between the devices of one process.
//
// A local rendezvous hands on the tensor that it is given, and that lies in the memory of
// the device it was made on. This one wraps a local one. When the two have met, it has
// the tensor copied to the memory in which it is wanted, that of the device that receives
// or of its host, unless it lies there already. The stream that copies calls the callback
// of the Recv when the copy is done.
//
// A session makes one for each step, so that two steps never mix.
//
// Compare    tensorflow/core/common_runtime/rendezvous_mgr.h
// Read next  minitf/runtime/rendezvous_watchdog.h

#pragma once

#include <memory>

#include "minitf/framework/rendezvous.h"
#include "minitf/runtime/devices/local_devices.h"

namespace minitf {

/// Keys must name devices of `devices`, which must outlive the result. What goes over is
/// counted in devices.transfers().
std::shared_ptr<Rendezvous> NewIntraProcessRendezvous(const LocalDevices& devices);

}  // namespace minitf
