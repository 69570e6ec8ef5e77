// Rendezvous: where a tensor that one device sends waits for another that receives it.
//
// An edge between the partitions of two devices becomes a Send and a Recv. They meet
// here, under a key that names both devices and the edge. The first of the two leaves its
// tensor or its callback. A Send never waits. A waiting Recv blocks no thread.
//
//   key   send device ; its incarnation ; receive device ; name of the edge ; frame:iter
//         /job:mnist/replica:1/task:2/CPU:0;0000000000001ed2;
//         /job:mnist/replica:1/task:2/device:GPU:0;var0;0:0     (one line in truth)
//
// A device draws its incarnation when it starts, so keys of an earlier process do not
// match. Tensors under one key arrive in order. Each step has its own rendezvous.
//
// Compare    tensorflow/core/framework/rendezvous.h
// Read next  minitf/framework/stream.h

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

class CancellationManager;
struct DeviceContext;

/// Which iteration of which loop a tensor belongs to. Outside of loops both are 0.
struct FrameAndIter {
  int64_t frame_id = 0;
  int64_t iter_id = 0;

  friend bool operator==(const FrameAndIter&, const FrameAndIter&) = default;
};

class Rendezvous {
 public:
  /// A key, taken apart. The views look into `full_key`.
  struct ParsedKey {
    std::string full_key;
    std::string_view src_device;
    uint64_t src_incarnation = 0;
    std::string_view dst_device;
    std::string_view edge_name;

    ParsedKey() = default;
    ParsedKey(const ParsedKey& other);
    ParsedKey& operator=(const ParsedKey& other);
  };

  /// What the kernel that sends or receives says about itself.
  struct Args {
    const DeviceContext* device = nullptr;  ///< null: no device, as in tests
    CancellationManager* cancellation = nullptr;
    /// Whether the tensor is sent from, or wanted in, the memory of the device's host.
    bool in_host_memory = false;
  };

  /// Gets what a Recv waited for. A dead tensor has no value.
  using DoneCallback =
      std::function<void(const Status& status, const Args& send_args,
                         const Args& recv_args, Tensor value, bool is_dead)>;

  virtual ~Rendezvous() = default;

  /// Leaves `value` under `key`, or hands it to the Recv that waits there. Never waits.
  /// Fails with the status of StartAbort after that was called.
  virtual Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
                      bool is_dead) = 0;

  /// Calls `done` once: with the tensor, when one is sent; with the status of StartAbort,
  /// after that was called; with Cancelled, when args.cancellation is cancelled. It may
  /// be called before this returns, or from another thread.
  virtual void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) = 0;

  /// From now on every Send and Recv, also one that waits, ends with `status`, which must
  /// not be ok. The first call decides.
  virtual void StartAbort(const Status& status) = 0;

  /// What a watchdog looks at.
  struct Activity {
    int64_t num_events = 0;  ///< grows with every Send and Recv that is not refused
    std::vector<std::string> waiting_keys;  ///< under which a Recv waits, sorted
  };
  virtual Activity activity() const = 0;

  /// Waits for RecvAsync. DeadlineExceeded after `timeout_ms`, if that is not negative.
  Status Recv(const ParsedKey& key, const Args& args, Tensor* value, bool* is_dead,
              int64_t timeout_ms = -1);

  static std::string CreateKey(std::string_view src_device, uint64_t src_incarnation,
                               std::string_view dst_device, std::string_view edge_name,
                               const FrameAndIter& frame_iter);
  /// InvalidArgument for anything that CreateKey, given names of devices in full, could
  /// not have made.
  static Status ParseKey(std::string_view key, ParsedKey* parsed);
};

/// A rendezvous within one process: a table of tensors and callbacks. It hands on what it
/// is given, and copies nothing between devices, as the one of
/// minitf/runtime/intra_process_rendezvous.h does. In debug builds a watchdog
/// (rendezvous_watchdog.h) looks after it.
std::shared_ptr<Rendezvous> NewLocalRendezvous();

}  // namespace minitf
