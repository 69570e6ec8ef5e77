// Session options out of a ConfigProto, the message in which TensorFlow's users write
// them.
//
// Compare    tensorflow/core/protobuf/config.proto
// Read next  minitf/eager/dispatch.h

#pragma once

#include <string_view>

#include "minitf/runtime/session.h"

namespace minitf {

/// What `bytes`, a ConfigProto, asks for. Throws InvalidArgument for bytes that are none,
/// and for settings that make no sense.
SessionOptions SessionOptionsFromConfig(std::string_view bytes);

/// What one run is asked for in a RunOptions message.
struct RunOptionsMessage {
  int64_t timeout_ms = 0;
  bool traces = false;
  bool wants_partition_graphs = false;
};
RunOptionsMessage ParseRunOptions(std::string_view bytes);

}  // namespace minitf
