// Strings in the encoding of TensorFlow 1.15: offsets, then lengths as varints and bytes.
//
// Compare    tensorflow/c/c_api.cc, TF_StringEncode; tensorflow/c/tf_tensor.cc
// Read next  minitf/c/string_codec.cc

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf::c {

/// The bytes of a TF_STRING tensor with these elements.
std::string EncodeStrings(std::span<const std::string> strings);

/// Decodes the strings of a TF_STRING tensor of `shape`. Throws InvalidArgument for an
/// offset or length that leads out of the bytes.
Tensor DecodeStrings(const Shape& shape, std::string_view bytes);

}  // namespace minitf::c
