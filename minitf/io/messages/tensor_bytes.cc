// Tensors as bytes.

#include "minitf/io/messages/tensor_bytes.h"

#include <limits>

#include "minitf/base/quoted_bytes.h"
#include "minitf/base/status.h"
#include "minitf/protos/tensor.pb.h"

namespace minitf {
namespace {

// What protobuf reads and writes at most.
constexpr size_t kMostBytes = std::numeric_limits<int>::max();

}  // namespace

std::string TensorToBytes(const Tensor& tensor, StringForm form) {
  proto::TensorProto message;
  if (tensor.dtype() == DType::kString && form == StringForm::kListed) {
    TensorToProto(tensor, &message);
  } else {
    TensorToProtoContent(tensor, &message);
  }
  Require(message.ByteSizeLong() <= kMostBytes, "a tensor of ", tensor.dtype(), ' ',
          tensor.shape(), " takes ", message.ByteSizeLong(),
          " bytes as a message, which may have ", kMostBytes);
  return message.SerializeAsString();
}

Tensor TensorFromBytes(std::string_view bytes, Expansion* expansion) {
  proto::TensorProto message;
  const bool is_read =
      bytes.size() <= kMostBytes &&
      message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  Require(is_read, "could not parse as a TensorProto: ", QuotedBytes(bytes));
  return TensorFromProto(message, expansion);
}

}  // namespace minitf
