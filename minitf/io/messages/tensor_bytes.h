// Tensors as bytes: a serialized TensorProto, in one of two forms.
//
// Compare    tensorflow/core/kernels/parse_tensor_op.cc, serialize_sparse_op.cc
// Read next  minitf/io/queues/queue_element.h

#pragma once

#include <string>
#include <string_view>

#include "minitf/io/messages/tensor_proto.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// How the strings of a tensor are written; numbers always stand in tensor_content.
enum class StringForm {
  kListed,  ///< in string_val, as SerializeTensor does
  kPacked,  ///< in tensor_content, as SerializeSparse does
};

/// A serialized TensorProto. Throws Unimplemented for a resource.
std::string TensorToBytes(const Tensor& tensor, StringForm form);

/// The tensor of a serialized TensorProto in any form. Throws InvalidArgument for bytes
/// that are none, and as TensorFromProto does.
Tensor TensorFromBytes(std::string_view bytes, Expansion* expansion);

}  // namespace minitf
