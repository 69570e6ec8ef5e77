// LocalDevices: the devices of this process that a session has.
//
// How many GPUs there are is decided as in TensorFlow: CUDA_VISIBLE_DEVICES says which
// cards the process sees (empty: none; unset: all, which are kNumEmulatedCards),
// visible_device_list which of these a session sees and in which order, and device_count
// how many of them it takes. They are numbered from 0 whatever the cards' numbers are.
// Whether they are real is up to MINITF_GPU (minitf/runtime/devices/gpu_backend.h).
//
// In the placer's order of preference a real GPU comes before the CPU. An emulated one
// comes after it, since it can only be slower than the CPU that it runs on. Where
// CUDA_VISIBLE_DEVICES names cards they are meant to be used, so it comes first, too.
//
// Compare    tensorflow/core/common_runtime/device_mgr.h, device_factory.h
// Read next  minitf/runtime/placer.h

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/runtime/devices/device_set.h"
#include "minitf/runtime/devices/local_device.h"

namespace minitf {

/// How many GPUs are emulated on a machine without any, unless more are asked for.
inline constexpr int kNumEmulatedCards = 4;
/// No process has more devices of one type.
inline constexpr int kMaxDevicesOfAType = 256;

struct DeviceOptions {
  std::string job = "localhost";
  int task = 0;
  /// How many devices of each type, at most; what is missing is 1 CPU and all GPUs.
  std::map<std::string, int> device_count;
  /// Numbers of visible cards, such as "1,0"; empty: all, in their order.
  std::string visible_device_list;
  /// Which part of each card's memory the session may use; 0 stands for all.
  double gpu_memory_fraction = 0;
  /// Lets nodes without a device go to an emulated GPU, as they would to a card.
  /// So does CUDA_VISIBLE_DEVICES, if it is not empty.
  bool prefer_emulated_gpus = false;
  ThreadPool* threads = nullptr;         ///< for kernels; null: those of the process
  ResourceManager* resources = nullptr;  ///< of the session
};

/// What has gone from one device to another, or from one memory of a device to the other.
struct TransferStats {
  std::atomic<int64_t> num_transfers = 0;
  std::atomic<int64_t> bytes = 0;         ///< of the tensors
  std::atomic<int64_t> bytes_copied = 0;  ///< less where devices share memory
};

class LocalDevices {
 public:
  /// Makes the devices. Throws InvalidArgument for options that make no sense.
  explicit LocalDevices(const DeviceOptions& options);
  ~LocalDevices();

  LocalDevices(const LocalDevices&) = delete;
  LocalDevices& operator=(const LocalDevices&) = delete;

  /// CPUs first, each type by index.
  const std::vector<std::unique_ptr<LocalDevice>>& devices() const { return devices_; }
  /// CPU:0, where feeds come in and fetches go out.
  const LocalDevice& host() const { return *devices_.front(); }
  /// The device called `name`, in full and in any spelling; null if there is none.
  const LocalDevice* Find(std::string_view name) const;

  /// The same, for placer and partition.
  const DeviceSet& set() const { return *set_; }
  TransferStats& transfers() const { return transfers_; }

 private:
  std::vector<std::unique_ptr<LocalDevice>> devices_;
  std::optional<DeviceSet> set_;
  mutable TransferStats transfers_;
};

/// The numbers of the cards that `visible` (the value of CUDA_VISIBLE_DEVICES, none if it
/// is unset) lets a process see of `num_cards`. Like CUDA, stops at the first entry that
/// is no number of a card.
std::vector<int> VisibleCards(const std::optional<std::string>& visible, int num_cards);

/// Those of `cards` that `list` names by their place in it, such as "1,0"; all for "".
/// Throws InvalidArgument for a place that there is not, or that comes twice.
std::vector<int> SelectCards(const std::vector<int>& cards, const std::string& list);

}  // namespace minitf
