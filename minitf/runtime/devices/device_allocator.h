// DeviceAllocator: the memory of one device, with a limit, and a count of what is in use.
//
// The memory itself comes from somewhere else: for a CPU from the host's allocator, for a
// GPU from that of the card. Two things are added: a limit in bytes, and a count of the
// bytes that are in use. Nothing is reserved beforehand, so the option allow_growth
// changes nothing.
//
// Tensors may outlive the session that made them, and with it the device. So the
// allocator is destroyed when its device is gone and none of its memory is in use.
//
// Compare    tensorflow/core/common_runtime/bfc_allocator.h, gpu/gpu_process_state.h
// Read next  minitf/runtime/devices/named_device.h

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "minitf/tensor/allocator.h"

namespace minitf {

class DeviceAllocator final : public Allocator {
 public:
  struct Release {
    void operator()(DeviceAllocator* allocator) const { allocator->Unref(); }
  };
  using Ptr = std::unique_ptr<DeviceAllocator, Release>;

  /// At most `limit` bytes in use at a time; 0: no limit but that of `source`, which must
  /// live forever. `name` is that of the device, for messages.
  static Ptr Make(std::string name, int64_t limit, Allocator& source);

  void* Allocate(size_t bytes) override;
  void Free(void* memory, size_t bytes) override;
  Stats stats() const override;
  ElementMover* mover() const override { return source_.mover(); }
  std::string name() const override { return name_; }

 private:
  DeviceAllocator(std::string name, int64_t limit, Allocator& source);
  ~DeviceAllocator() override = default;

  bool Take(int64_t bytes);
  void Unref();

  const std::string name_;
  const int64_t limit_;
  Allocator& source_;
  std::atomic<int64_t> num_users_{1};  // blocks in use, and the device
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> largest_{0};
  std::atomic<int64_t> num_allocations_{0};
};

}  // namespace minitf
