// Examples from JSON, in the form in which protocol buffers are written as JSON.
//
// Compare    tensorflow/core/kernels/example_parsing_ops.cc, DecodeJSONExampleOp
// Read next  minitf/io/messages/tensor_proto.h

#pragma once

#include <string>
#include <string_view>

namespace minitf {

/// The bytes of the Example that `json` describes. Integers may be quoted, bytes are in
/// base64. Throws InvalidArgument unless `json` is the JSON of an Example.
std::string ExampleFromJson(std::string_view json);

}  // namespace minitf
