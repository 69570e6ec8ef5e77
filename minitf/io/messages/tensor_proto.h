// Tensors and shapes to messages, and back.
//
// A message from a file may claim anything. The two claims that could hurt are a shape of
// very many elements with few bytes to back it, and elements that are no values of their
// type. TensorFlow lets the last element of a list stand for all that are missing, so
// that a weight of zeros takes five bytes; the caller therefore says how many bytes may
// be filled in this way (Expansion).
//
// Compare    tensorflow/core/framework/tensor.cc, FromProto and AsProtoField;
//            tensorflow/python/framework/tensor_util.py
// Read next  minitf/io/messages/tensor_bytes.h

#pragma once

#include <cstddef>

#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

namespace proto {
class TensorProto;
class TensorShapeProto;
}  // namespace proto

/// How many bytes may still be made of elements that stand in no message.
struct Expansion {
  size_t bytes_left = size_t{1} << 28;
};

/// Throws InvalidArgument: a size less than -1, or a product of 2^63 or more.
PartialShape ShapeFromProto(const proto::TensorShapeProto& message);
void ShapeToProto(const PartialShape& shape, proto::TensorShapeProto* message);

/// Throws InvalidArgument: an element type that minitf does not have or that has no
/// values of its own (resource), a shape not fully known, elements that do not fit it;
/// ResourceExhausted: `expansion` is used up.
Tensor TensorFromProto(const proto::TensorProto& message, Expansion* expansion);

/// A scalar and a single element stand in the list of their type, where they can be read
/// in text; more elements in tensor_content. Throws Unimplemented for a resource.
void TensorToProto(const Tensor& tensor, proto::TensorProto* message);

/// As above, with all elements in tensor_content: of strings first the lengths, as
/// varints, then their bytes. What TensorFlow's ops that serialize write.
void TensorToProtoContent(const Tensor& tensor, proto::TensorProto* message);

}  // namespace minitf
