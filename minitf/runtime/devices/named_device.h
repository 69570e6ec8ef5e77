// NamedDevice: what is known of a device in every process, its own or another.
//
// Placer and partition need no more: what a device is called, what it can run, where it
// stands in the order of preference, and the number that tells it from the device of an
// earlier process. A device of this process has memory, threads and a stream on top
// (local_device.h); of one of another process there is nothing but this.
//
// Compare    tensorflow/core/common_runtime/device.h
// Read next  minitf/runtime/devices/device_set.h

#pragma once

#include <cstdint>
#include <string>

#include "minitf/framework/device_name.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

/// What a device tells about itself.
struct DeviceAttributes {
  std::string name;  ///< in full
  std::string type;  ///< "CPU" or "GPU"
  int64_t memory_limit = 0;
  uint64_t incarnation = 0;  ///< drawn when the process met the device
  std::string physical_device_desc;
};

class NamedDevice {
 public:
  /// `kernels` says whose kernels run on it, `priority` where it stands in the placer's
  /// order of preference, the greatest first. Throws InvalidArgument for a name that is
  /// none.
  NamedDevice(DeviceAttributes attributes, Device kernels, int priority);
  virtual ~NamedDevice() = default;

  NamedDevice(const NamedDevice&) = delete;
  NamedDevice& operator=(const NamedDevice&) = delete;

  const std::string& name() const { return attributes_.name; }
  const std::string& type() const { return attributes_.type; }
  const DeviceName& parsed_name() const { return parsed_name_; }
  uint64_t incarnation() const { return attributes_.incarnation; }
  const DeviceAttributes& attributes() const { return attributes_; }

  Device kernels() const { return kernels_; }
  int priority() const { return priority_; }
  bool is_cpu() const { return type() == "CPU"; }

  /// Whether it can run a call of `op` with `attrs`: all processes have the same kernels.
  /// A GPU that has none of its own for a call takes the CPU's, but for ops that work
  /// with the host alone, as in TensorFlow: on strings, on queues, readers and the like,
  /// on Python, and on the terminal.
  bool HasKernel(const OpDef& op, const Attrs& attrs, const Signature& signature) const;
  /// Whether the call runs on the device itself, and not on the host beside it. What is
  /// int32 to be near the host, such as shapes, counts as its own.
  bool HasOwnKernel(const OpDef& op, const Attrs& attrs,
                    const Signature& signature) const;

  /// Where a call has its inputs and outputs when it runs on this device; on a CPU all is
  /// in host memory. Throws NotFound if there is no kernel.
  MemoryTypes MemoryTypesOf(const OpDef& op, const Attrs& attrs,
                            const Signature& signature) const;

 private:
  const DeviceAttributes attributes_;
  const DeviceName parsed_name_;
  const Device kernels_;
  const int priority_;
};

}  // namespace minitf
