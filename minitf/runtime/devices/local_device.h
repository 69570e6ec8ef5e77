// LocalDevice: a device of this process, with memory, threads and a stream.
//
//   CPU:0, CPU:1   host memory, the kernels of kernels/cpu. There are as many as
//                  device_count says, 1 unless it says otherwise
//   GPU:0, GPU:1   memory and an allocator of their own, with a limit, a stream, and the
//                  kernels of kernels/gpu, on a card or in the emulator (gpu_backend.h).
//                  A call without such a kernel runs the CPU's, on the host beside the
//                  card
//
// Where there is neither card nor emulator, a GPU still has an allocator and a stream of
// its own, and the CPU's kernels work on what was sent there. So a program for two GPUs
// runs on any machine, and what it moves between devices can be seen and counted.
//
// Copies between host and GPU go through the GPU's stream, and so do its kernels.
//
// Compare    tensorflow/core/common_runtime/local_device.h, gpu/gpu_util.h
// Read next  minitf/runtime/devices/emulated_stream.h

#pragma once

#include <functional>
#include <memory>

#include "minitf/base/status.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/stream.h"
#include "minitf/runtime/devices/device_allocator.h"
#include "minitf/runtime/devices/named_device.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

class LocalDevice final : public NamedDevice {
 public:
  /// Without an allocator the memory is the host's, and without a stream all work is done
  /// at once, as on a CPU. `context` has the threads and the state of the session;
  /// allocators and stream are set here.
  LocalDevice(DeviceAttributes attributes, Device kernels, int priority,
              DeviceAllocator::Ptr allocator, std::shared_ptr<Stream> stream,
              const DeviceContext& context);

  /// What its kernels are given.
  const DeviceContext& context() const { return context_; }
  Allocator& allocator() const { return *context_.allocator; }
  Stream* stream() const { return context_.stream; }  ///< null on a CPU

  /// Whether it sees the memory of `other` without a copy.
  bool SharesMemoryWith(const LocalDevice& other) const;

 private:
  const DeviceAllocator::Ptr allocator_;
  DeviceContext context_;
  DeviceContext host_context_;  // of kernels that run on the host beside a card
  const std::shared_ptr<Stream> stream_;
};

/// Gets a tensor that was copied, or, with an error, one without a value.
using CopyCallback = std::function<void(const Status& status, Tensor copy)>;

/// Brings `value`, which is in the memory of `from`, to that of `to`, and calls `done`
/// once: here and now where nothing is to be copied, otherwise in the stream's thread.
/// Where the two share memory, and where elements are no plain numbers, the copy shares
/// the elements. ResourceExhausted when `to` has no room.
void CopyToDevice(Tensor value, const LocalDevice& from, const LocalDevice& to,
                  CopyCallback done);

}  // namespace minitf
