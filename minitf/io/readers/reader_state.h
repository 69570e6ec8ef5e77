// ReaderState: where a reader stands, as bytes.
//
// The bytes are those of TensorFlow's message ReaderBaseState: four fields, numbered 1 to
// 4, in the wire format of protocol buffers.
//
// Compare    tensorflow/core/framework/reader_base.proto
// Read next  minitf/io/readers/reader_op_kernel.h

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace minitf {

struct ReaderState {
  int64_t work_started = 0;
  int64_t work_finished = 0;
  int64_t num_records_produced = 0;
  std::string current_work;
};

/// The state as bytes. Fields that are 0 or empty are left out.
std::string ReaderStateBytes(const ReaderState& state);

/// Reads what ReaderStateBytes has made; other fields are skipped. False for bytes that
/// are no such message.
bool ParseReaderState(std::string_view bytes, ReaderState* state);

}  // namespace minitf
