// DeviceName: which device is meant, in full or in part.
//
// The name of a device has five parts. A program may give some of them, and the placer
// (minitf/runtime/placer.h) looks for the devices that fit:
//
//   /job:localhost/replica:0/task:0/device:GPU:1     in full
//   /device:GPU:1   /gpu:1   gpu:1                   card 1 of any process
//   /job:ps/task:2                                   any device of that process
//   /device:CPU:*   /job:*                           * is any, as if it were not said
//
// A part that is not there fits everything. The type is written in capitals in the full
// form, and read in any case.
//
// Compare    tensorflow/core/util/device_name_utils.h
// Read next  minitf/framework/cancellation.h

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "minitf/base/status.h"

namespace minitf {

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  ///< "CPU" or "GPU", or another in capitals
  std::optional<int> index;

  /// What `text` says; no part for "" and "/". InvalidArgument if it is no device name.
  static Status Parse(std::string_view text, DeviceName* name);
  /// As above. Throws what that returns.
  static DeviceName Parse(std::string_view text);

  /// Whether all five parts are there, so that it can name one device only.
  bool IsFull() const { return job && replica && task && type && index; }

  /// Whether every device that `other` may mean is one that this may mean.
  bool Covers(const DeviceName& other) const;
  /// Whether there may be a device that both mean.
  bool IsCompatibleWith(const DeviceName& other) const;

  /// Adds what `other` says. InvalidArgument if the two contradict each other; then
  /// nothing changes. If `allow_soft`, a contradiction in the index makes it be forgotten
  /// instead, and one in the type both of them.
  Status Merge(const DeviceName& other, bool allow_soft = false);

  /// The canonical form: "/job:ps/replica:0/task:1/device:GPU:0", and of it only what is
  /// there. A type without an index is "/device:GPU:*".
  std::string ToString() const;

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

std::ostream& operator<<(std::ostream& out, const DeviceName& name);

}  // namespace minitf
