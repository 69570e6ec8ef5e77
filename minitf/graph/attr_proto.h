// Attributes to messages, and back.
//
// Compare    tensorflow/core/framework/attr_value_util.h, node_def_util.h
// Read next  minitf/graph/graph_def.h

#pragma once

#include <optional>
#include <string_view>

#include "minitf/framework/attrs.h"
#include "minitf/io/messages/tensor_proto.h"

namespace minitf {

namespace proto {
class AttrValue;
}

/// The value of an attribute. `kind` is what its definition says, such as "list(int)",
/// which an empty list cannot say itself; "" if the op does not define the attribute.
/// Nothing for a function: minitf has no attributes of that kind. Throws InvalidArgument
/// for a message that holds no value, a list of several kinds, or a bad tensor.
std::optional<AttrValue> AttrFromProto(const proto::AttrValue& message,
                                       std::string_view kind, Expansion* expansion);

void AttrToProto(const AttrValue& value, proto::AttrValue* message);

/// The message's number of `dtype`, and back. Throws InvalidArgument for a number that
/// minitf has no element type for.
DType DTypeFromNumber(int number);

}  // namespace minitf
