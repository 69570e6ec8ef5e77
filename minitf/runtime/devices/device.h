// LocalDevice: a place where kernels run. It has a name, memory of its own, and a stream.
//
//   CPU:0, CPU:1   host memory, the kernels of kernels/cpu. There are as many as
//                  device_count says, 1 unless it says otherwise
//   GPU:0, GPU:1   emulated where there is no card: memory and allocator of its own with
//                  a limit, a stream of its own, and the CPU's kernels, which work on
//                  copies that were sent there. So a program for two GPUs runs on any
//                  machine, and what it moves between devices can be seen and counted
//
// How many GPUs there are is decided as in TensorFlow: CUDA_VISIBLE_DEVICES says which
// cards the process sees (empty: none; unset: all, which are kNumEmulatedCards),
// visible_device_list which of these a session sees and in which order, and device_count
// how many of them it takes. They are numbered from 0 whatever the cards' numbers are.
//
// Where a node goes that nobody has placed is the placer's business (placer.h). It asks
// for `priority`: a real GPU comes before the CPU. An emulated one comes after it, since
// it can only be slower than the CPU that it runs on; but whoever names cards in
// CUDA_VISIBLE_DEVICES wants them used, and then it comes first, too.
//
// Compare    tensorflow/core/framework/device_base.h, common_runtime/device_factory.h
// Read next  minitf/runtime/devices/device_set.h

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "minitf/framework/device_name.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/runtime/devices/device_allocator.h"

namespace minitf {

/// Work for a device, done one after another in the order in which it was handed in.
///
/// That of an emulated device does it at once, in the thread that hands it in. That of a
/// card would return at once, and do the work some time before Synchronize returns.
class DeviceStream {
 public:
  /// Requires: `work` does not hand in work itself.
  void Enqueue(const std::function<void()>& work);
  /// Returns when all that was handed in before is done.
  void Synchronize();
  int64_t num_enqueued() const;

 private:
  mutable std::mutex mutex_;
  int64_t num_enqueued_ = 0;
};

/// What a device tells about itself.
struct DeviceAttributes {
  std::string name;  ///< in full
  std::string type;  ///< "CPU" or "GPU"
  int64_t memory_limit = 0;
  uint64_t incarnation = 0;  ///< drawn when the process met the device
  std::string physical_device_desc;
};

class LocalDevice {
 public:
  /// `kernels` says whose kernels run on it, `priority` where it stands in the placer's
  /// order of preference, the greatest first. `context.allocator` is set here.
  LocalDevice(DeviceAttributes attributes, Device kernels, int priority,
              DeviceAllocator::Ptr allocator, const DeviceContext& context);

  LocalDevice(const LocalDevice&) = delete;
  LocalDevice& operator=(const LocalDevice&) = delete;

  const std::string& name() const { return attributes_.name; }
  const std::string& type() const { return attributes_.type; }
  const DeviceName& parsed_name() const { return parsed_name_; }
  uint64_t incarnation() const { return attributes_.incarnation; }
  const DeviceAttributes& attributes() const { return attributes_; }

  Device kernels() const { return kernels_; }
  int priority() const { return priority_; }
  bool is_cpu() const { return type() == "CPU"; }
  /// A GPU that there is only in name.
  bool is_emulated() const { return !is_cpu() && kernels_ == Device::kCpu; }

  /// What its kernels are given.
  const DeviceContext& context() const { return context_; }
  Allocator& allocator() const { return *context_.allocator; }
  DeviceStream& stream() { return stream_; }

  /// Whether it sees the memory of `other` without a copy.
  bool SharesMemoryWith(const LocalDevice& other) const;

  /// Whether it can run a call of `op` with `attrs`. An emulated GPU has the CPU's
  /// kernels, but for ops that work with the host alone, as in TensorFlow: on strings, on
  /// queues, readers and the like, on Python, and on the terminal.
  bool HasKernel(const OpDef& op, const Attrs& attrs, const Signature& signature) const;

 private:
  const DeviceAttributes attributes_;
  const DeviceName parsed_name_;
  const Device kernels_;
  const int priority_;
  const DeviceAllocator::Ptr allocator_;
  DeviceContext context_;
  DeviceStream stream_;
};

/// `value`, which is in the memory of `from`, in that of `to`. Where they share memory,
/// and where elements are no plain numbers, the result shares the elements. Throws
/// ResourceExhausted when `to` has no room.
Tensor CopyToDevice(const Tensor& value, LocalDevice& from, LocalDevice& to);

}  // namespace minitf
