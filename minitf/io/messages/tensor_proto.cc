// Tensors and shapes to messages, and back.

#include "minitf/io/messages/tensor_proto.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "minitf/protos/tensor.pb.h"

namespace minitf {
namespace {

// The list that holds elements of type T. Those of complex numbers are two to an element.
template <typename T>
auto* MutableListOf(proto::TensorProto* message) {
  if constexpr (std::is_same_v<T, float>)
    return message->mutable_float_val();
  else if constexpr (std::is_same_v<T, double>)
    return message->mutable_double_val();
  else if constexpr (std::is_same_v<T, int64_t>)
    return message->mutable_int64_val();
  else if constexpr (std::is_same_v<T, uint32_t>)
    return message->mutable_uint32_val();
  else if constexpr (std::is_same_v<T, uint64_t>)
    return message->mutable_uint64_val();
  else if constexpr (std::is_same_v<T, bool>)
    return message->mutable_bool_val();
  else if constexpr (std::is_same_v<T, complex64>)
    return message->mutable_scomplex_val();
  else if constexpr (std::is_same_v<T, complex128>)
    return message->mutable_dcomplex_val();
  else if constexpr (kIsHalf<T>)
    return message->mutable_half_val();
  else
    return message->mutable_int_val();
}
template <typename T>
const auto& ListOf(const proto::TensorProto& message) {
  // This only takes an address, so one table of types serves both.
  return *MutableListOf<T>(const_cast<proto::TensorProto*>(&message));
}

template <typename T>
constexpr bool kIsComplex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

// What lies in memory: the types of 16 bits go by their bits.
template <typename T>
using Stored = std::conditional_t<kIsHalf<T>, uint16_t, T>;

void TakeFrom(Expansion* expansion, int64_t count, size_t bytes_each) {
  if (static_cast<uint64_t>(count) > expansion->bytes_left / bytes_each) {
    throw Error(errors::ResourceExhausted(
        "a tensor claims ", count, " elements more than its message holds, of ",
        bytes_each, " bytes each; ", expansion->bytes_left, " bytes are allowed"));
  }
  expansion->bytes_left -= count * bytes_each;
}

// How many of `count` elements to take from a list of `available`; the others are to be
// copies of its last, or zeros.
int64_t CountGiven(int64_t available, int64_t count, size_t bytes_each,
                   Expansion* expansion) {
  const int64_t given = std::min(available, count);
  TakeFrom(expansion, count - given, bytes_each);
  return given;
}

template <typename T>
void FillFromList(const proto::TensorProto& message, Expansion* expansion, int64_t count,
                  const Shape& shape, Tensor* tensor) {
  const auto& list = ListOf<T>(message);
  constexpr int kPerElement = kIsComplex<T> ? 2 : 1;
  const int64_t given =
      CountGiven(list.size() / kPerElement, count, sizeof(Stored<T>), expansion);
  *tensor = Tensor(DTypeOf<T>(), shape);
  auto* const to = static_cast<Stored<T>*>(tensor->mutable_data());
  for (int64_t i = 0; i < given; ++i) {
    const auto at = static_cast<int>(i * kPerElement);
    if constexpr (kIsComplex<T>)
      to[i] = T(list[at], list[at + 1]);
    else
      to[i] = static_cast<Stored<T>>(list[at]);
  }
  std::fill(to + given, to + count, given > 0 ? to[given - 1] : Stored<T>());
}

// All lengths, then all bytes: "abc" and "d" are 3, 1, a, b, c, d.
Tensor StringsFromContent(const std::string& content, const Shape& shape) {
  const auto count = static_cast<uint64_t>(shape.num_elements());
  Require(count <= content.size(), "a tensor of ", count, " strings has ", content.size(),
          " bytes of tensor_content, which do not hold their lengths");
  google::protobuf::io::CodedInputStream in(
      reinterpret_cast<const uint8_t*>(content.data()), static_cast<int>(content.size()));
  std::vector<uint32_t> lengths(count);
  uint64_t total = 0;
  for (uint32_t& length : lengths) {
    Require(in.ReadVarint32(&length), "a tensor of ", count,
            " strings has lengths in tensor_content that cannot be read");
    total += length;
  }
  const auto first = static_cast<size_t>(in.CurrentPosition());
  Require(total == content.size() - first, "a tensor of ", count, " strings with ", total,
          " bytes has ", content.size() - first, " in tensor_content");

  Tensor tensor(DType::kString, shape);
  const char* next = content.data() + first;
  for (uint64_t i = 0; i < count; ++i) {
    tensor.mutable_flat<std::string>()[i].assign(next, lengths[i]);
    next += lengths[i];
  }
  return tensor;
}

Tensor StringsFrom(const proto::TensorProto& message, const Shape& shape,
                   Expansion* expansion) {
  if (!message.tensor_content().empty()) {
    return StringsFromContent(message.tensor_content(), shape);
  }
  const auto& list = message.string_val();
  const int64_t count = shape.num_elements();
  const size_t bytes_of_last = list.empty() ? 0 : list[list.size() - 1].size();
  const int64_t given =
      CountGiven(list.size(), count, sizeof(std::string) + bytes_of_last, expansion);
  Tensor tensor(DType::kString, shape);
  const auto to = tensor.mutable_flat<std::string>();
  for (int64_t i = 0; i < given; ++i) to[i] = list[static_cast<int>(i)];
  for (int64_t i = given; given > 0 && i < count; ++i) to[i] = to[given - 1];
  return tensor;
}

Tensor FromContent(const std::string& content, DType dtype, const Shape& shape) {
  const size_t size = SizeOf(dtype);
  const auto count = static_cast<uint64_t>(shape.num_elements());
  Require(content.size() % size == 0 && content.size() / size == count, "a tensor of ",
          dtype, ' ', shape, " has ", content.size(), " bytes of tensor_content, not ",
          count, " * ", size);
  Tensor tensor(dtype, shape);
  if (content.empty()) return tensor;
  std::memcpy(tensor.mutable_data(), content.data(), content.size());
  if (dtype == DType::kBool) {  // any byte but 0 and 1 would be no bool
    auto* const bytes = static_cast<uint8_t*>(tensor.mutable_data());
    std::transform(bytes, bytes + count, bytes, [](uint8_t byte) { return byte != 0; });
  }
  return tensor;
}

template <typename T>
void AppendToList(const Tensor& tensor, proto::TensorProto* message) {
  const auto* const from = static_cast<const Stored<T>*>(tensor.data());
  auto* const list = MutableListOf<T>(message);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if constexpr (kIsComplex<T>) {
      list->Add(from[i].real());
      list->Add(from[i].imag());
    } else {
      list->Add(from[i]);
    }
  }
}

// Type and shape.
void DescribeTensor(const Tensor& tensor, proto::TensorProto* message) {
  if (!tensor.has_value() || tensor.dtype() == DType::kResource) {
    throw Error(errors::Unimplemented("a tensor of ", tensor.dtype(),
                                      " cannot be written as bytes"));
  }
  message->set_dtype(static_cast<proto::DataType>(tensor.dtype()));
  ShapeToProto(tensor.shape(), message->mutable_tensor_shape());
}

}  // namespace

PartialShape ShapeFromProto(const proto::TensorShapeProto& message) {
  if (message.unknown_rank()) {
    Require(message.dim_size() == 0, "a shape of unknown rank has ", message.dim_size(),
            " sizes");
    return {};
  }
  std::vector<int64_t> sizes;
  sizes.reserve(message.dim_size());
  for (const auto& dim : message.dim()) {
    Require(dim.size() >= PartialShape::kUnknown, "a shape has the size ", dim.size());
    sizes.push_back(dim.size());
  }
  PartialShape shape(sizes);
  if (shape.IsFullyKnown()) (void)shape.ToShape();  // the product must be a number
  return shape;
}

void ShapeToProto(const PartialShape& shape, proto::TensorShapeProto* message) {
  message->set_unknown_rank(!shape.has_rank());
  for (const int64_t size : shape.sizes()) message->add_dim()->set_size(size);
}

Tensor TensorFromProto(const proto::TensorProto& message, Expansion* expansion) {
  const int number = message.dtype();
  Require(0 <= number && number < kNumDTypes && SizeOf(DType(number)) > 0,
          "a tensor has the element type number ", number,
          ", which minitf does not have");
  const auto dtype = static_cast<DType>(number);
  Require(dtype != DType::kResource, "a tensor of resources cannot be read from bytes");
  const PartialShape partial = ShapeFromProto(message.tensor_shape());
  Require(partial.IsFullyKnown(), "a tensor has the shape ", partial,
          ", which is not fully known");
  const Shape shape = partial.ToShape();
  const int64_t count = shape.num_elements();
  Require(count <= std::numeric_limits<int64_t>::max() / 64, "a tensor has the shape ",
          shape, ", which is too large");

  if (dtype == DType::kString) return StringsFrom(message, shape, expansion);
  if (!message.tensor_content().empty()) {
    return FromContent(message.tensor_content(), dtype, shape);
  }
  Tensor tensor;
  VisitDType(dtype, [&]<typename T>() {
    if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, ResourceHandle>) {
      FillFromList<T>(message, expansion, count, shape, &tensor);
    }
  });
  return tensor;
}

void TensorToProto(const Tensor& tensor, proto::TensorProto* message) {
  DescribeTensor(tensor, message);
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.flat<std::string>())
      message->add_string_val(text);
  } else if (tensor.num_elements() > 1) {
    message->set_tensor_content(tensor.data(), tensor.num_bytes());
  } else {
    VisitDType(tensor.dtype(), [&]<typename T>() {
      if constexpr (!std::is_same_v<T, std::string> &&
                    !std::is_same_v<T, ResourceHandle>) {
        AppendToList<T>(tensor, message);
      }
    });
  }
}

void TensorToProtoContent(const Tensor& tensor, proto::TensorProto* message) {
  DescribeTensor(tensor, message);
  if (tensor.num_elements() == 0) return;
  if (tensor.dtype() != DType::kString) {
    message->set_tensor_content(tensor.data(), tensor.num_bytes());
    return;
  }
  std::string content;
  {
    google::protobuf::io::StringOutputStream stream(&content);
    google::protobuf::io::CodedOutputStream out(&stream);
    const auto strings = tensor.flat<std::string>();
    for (const auto& text : strings)
      out.WriteVarint32(static_cast<uint32_t>(text.size()));
    for (const auto& text : strings) out.WriteString(text);
  }
  message->set_tensor_content(std::move(content));
}

}  // namespace minitf
