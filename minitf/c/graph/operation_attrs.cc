// Reading the attributes of operations.

#include <algorithm>
#include <cstring>
#include <shared_mutex>
#include <type_traits>
#include <utility>
#include <variant>

#include "minitf/c/c_api_operation.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/graph/attr_proto.h"
#include "minitf/graph/graph_def.h"
#include "minitf/io/messages/tensor_proto.h"
#include "minitf/protos/graph.pb.h"
#include "minitf/protos/tensor.pb.h"

namespace minitf::c {
namespace {

// Returns the attribute. Throws an error with the code `missing` if the operation does
// not have it. The functions of TensorFlow differ in this code.
AttrValue AttrOf(const TF_Operation* oper, const char* attr_name,
                 Code missing = Code::kInvalidArgument) {
  const Node& node = *NodeOf(&NotNull(oper, "oper"));
  const std::string name = TextOf(attr_name, "attr_name");
  const std::shared_lock reading(node.graph().mutex());
  const AttrValue* const value = node.attrs().Find(name);
  if (value != nullptr) return *value;
  throw Error(Status(
      missing, StrCat("operation ", node.Describe(), " has no attribute '", name, "'")));
}

// As above. Throws InvalidArgument if the attribute holds no T.
template <typename T>
T AttrOf(const TF_Operation* oper, const char* attr_name,
         Code missing = Code::kInvalidArgument) {
  AttrValue value = AttrOf(oper, attr_name, missing);
  T* const held = std::get_if<T>(&value);
  if (held == nullptr) {
    ThrowInvalidArgument("operation ", NodeOf(oper)->Describe(), ": attribute '",
                         attr_name, "' is of kind ", KindOf(value), "; expected ",
                         KindOf(AttrValue(T{})));
  }
  return std::move(*held);
}

// Writes an attribute of type T as convert(value).
template <typename T, typename To, typename Convert>
void Read(TF_Operation* oper, const char* attr_name, To* value, TF_Status* status,
          const Convert& convert) {
  Guarded(status, [&] {
    NotNull(value, "value");
    *value = convert(AttrOf<T>(oper, attr_name, Code::kNotFound));
  });
}

// Writes the first `max_values` elements of a list of T, each as convert(element).
template <typename T, typename To, typename Convert>
void ReadList(TF_Operation* oper, const char* attr_name, To* values, int max_values,
              TF_Status* status, const Convert& convert) {
  Guarded(status, [&] {
    RequireList(values, max_values, "values");
    const auto list = AttrOf<std::vector<T>>(oper, attr_name);
    const auto count = std::min(list.size(), static_cast<size_t>(max_values));
    for (size_t i = 0; i < count; ++i) values[i] = convert(list[i]);
  });
}

constexpr auto kSame = [](const auto& value) { return value; };

// The kind of one value of type T.
template <typename T>
constexpr TF_AttrType KindOfType() {
  if (std::is_same_v<T, std::string>) return TF_ATTR_STRING;
  if (std::is_same_v<T, int64_t>) return TF_ATTR_INT;
  if (std::is_same_v<T, float>) return TF_ATTR_FLOAT;
  if (std::is_same_v<T, bool>) return TF_ATTR_BOOL;
  if (std::is_same_v<T, DType>) return TF_ATTR_TYPE;
  return std::is_same_v<T, PartialShape> ? TF_ATTR_SHAPE : TF_ATTR_TENSOR;
}

// total_size of one value.
template <typename T>
int64_t SizeOfValue(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return static_cast<int64_t>(value.size());
  } else if constexpr (std::is_same_v<T, PartialShape>) {
    return value.has_rank() ? value.rank() : -1;
  } else {
    return -1;
  }
}

template <typename T>
TF_AttrMetadata MetadataOf(const T& value) {
  return {0, -1, KindOfType<T>(), SizeOfValue(value)};
}

template <typename T>
TF_AttrMetadata MetadataOf(const std::vector<T>& list) {
  const bool has_size = std::is_same_v<T, std::string> || std::is_same_v<T, PartialShape>;
  int64_t total = has_size ? 0 : -1;
  if (has_size) {
    for (const auto& value : list) total += std::max<int64_t>(SizeOfValue<T>(value), 0);
  }
  return {1, static_cast<int64_t>(list.size()), KindOfType<T>(), total};
}

proto::TensorShapeProto MessageOf(const PartialShape& shape) {
  proto::TensorShapeProto message;
  ShapeToProto(shape, &message);
  return message;
}

}  // namespace
}  // namespace minitf::c

namespace c = minitf::c;
using minitf::Code;
using minitf::DType;
using minitf::PartialShape;
using minitf::Require;

TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation* oper, const char* attr_name,
                                            TF_Status* status) {
  return c::Guarded(status, TF_AttrMetadata{}, [&] {
    return std::visit([](const auto& value) { return c::MetadataOf(value); },
                      c::AttrOf(oper, attr_name));
  });
}

void TF_OperationGetAttrString(TF_Operation* oper, const char* attr_name, void* value,
                               size_t max_length, TF_Status* status) {
  c::Guarded(status, [&] {
    const auto text = c::AttrOf<std::string>(oper, attr_name);
    const size_t length = std::min(text.size(), max_length);
    Require(value != nullptr || length == 0, "value is null; expected ", length,
            " bytes");
    if (length > 0) std::memcpy(value, text.data(), length);
  });
}

void TF_OperationGetAttrStringList(TF_Operation* oper, const char* attr_name,
                                   void** values, size_t* lengths, int max_values,
                                   void* storage, size_t storage_size,
                                   TF_Status* status) {
  c::Guarded(status, [&] {
    const auto list = c::AttrOf<std::vector<std::string>>(oper, attr_name);
    c::RequireList(values, max_values, "values");
    c::RequireList(lengths, max_values, "lengths");
    const auto count = std::min(list.size(), static_cast<size_t>(max_values));
    size_t total = 0;
    for (size_t i = 0; i < count; ++i) total += list[i].size();
    Require(total <= storage_size, "storage_size is ", storage_size, "; ", count,
            " strings of attribute '", attr_name, "' need ", total);
    Require(storage != nullptr || total == 0, "storage is null; expected ", total,
            " bytes");
    auto* to = static_cast<char*>(storage);
    for (size_t i = 0; i < count; ++i) {
      values[i] = to;
      lengths[i] = list[i].size();
      if (lengths[i] > 0) to += list[i].copy(to, lengths[i]);
    }
  });
}

void TF_OperationGetAttrInt(TF_Operation* oper, const char* attr_name, int64_t* value,
                            TF_Status* status) {
  c::Read<int64_t>(oper, attr_name, value, status, c::kSame);
}

void TF_OperationGetAttrIntList(TF_Operation* oper, const char* attr_name,
                                int64_t* values, int max_values, TF_Status* status) {
  c::ReadList<int64_t>(oper, attr_name, values, max_values, status, c::kSame);
}

void TF_OperationGetAttrFloat(TF_Operation* oper, const char* attr_name, float* value,
                              TF_Status* status) {
  c::Read<float>(oper, attr_name, value, status, c::kSame);
}

void TF_OperationGetAttrFloatList(TF_Operation* oper, const char* attr_name,
                                  float* values, int max_values, TF_Status* status) {
  c::ReadList<float>(oper, attr_name, values, max_values, status, c::kSame);
}

void TF_OperationGetAttrBool(TF_Operation* oper, const char* attr_name,
                             unsigned char* value, TF_Status* status) {
  c::Read<bool>(oper, attr_name, value, status, c::kSame);
}

void TF_OperationGetAttrBoolList(TF_Operation* oper, const char* attr_name,
                                 unsigned char* values, int max_values,
                                 TF_Status* status) {
  c::ReadList<bool>(oper, attr_name, values, max_values, status,
                    [](bool value) { return static_cast<unsigned char>(value); });
}

void TF_OperationGetAttrType(TF_Operation* oper, const char* attr_name,
                             TF_DataType* value, TF_Status* status) {
  c::Read<DType>(oper, attr_name, value, status, c::DTypeToC);
}

void TF_OperationGetAttrTypeList(TF_Operation* oper, const char* attr_name,
                                 TF_DataType* values, int max_values, TF_Status* status) {
  c::ReadList<DType>(oper, attr_name, values, max_values, status, c::DTypeToC);
}

void TF_OperationGetAttrShape(TF_Operation* oper, const char* attr_name, int64_t* value,
                              int num_dims, TF_Status* status) {
  c::Guarded(status, [&] {
    const auto shape = c::AttrOf<PartialShape>(oper, attr_name, Code::kNotFound);
    if (!shape.has_rank()) return;
    const int count = std::min(shape.rank(), num_dims);
    c::RequireList(value, count, "value");
    std::copy_n(shape.sizes().begin(), count, value);
  });
}

void TF_OperationGetAttrShapeList(TF_Operation* oper, const char* attr_name,
                                  int64_t** dims, int* num_dims, int num_shapes,
                                  int64_t* storage, int storage_size, TF_Status* status) {
  c::Guarded(status, [&] {
    const auto list =
        c::AttrOf<std::vector<PartialShape>>(oper, attr_name, Code::kNotFound);
    c::RequireList(dims, num_shapes, "dims");
    c::RequireList(num_dims, num_shapes, "num_dims");
    const auto count = std::min(list.size(), static_cast<size_t>(num_shapes));
    size_t total = 0;
    for (size_t i = 0; i < count; ++i) total += list[i].sizes().size();
    Require(static_cast<int64_t>(total) <= storage_size, "storage_size is ", storage_size,
            "; ", count, " shapes of attribute '", attr_name, "' need ", total);
    c::RequireList(storage, static_cast<int64_t>(total), "storage");
    for (size_t i = 0; i < count; ++i) {
      num_dims[i] = list[i].has_rank() ? list[i].rank() : -1;
      dims[i] = storage;
      storage = std::ranges::copy(list[i].sizes(), storage).out;
    }
  });
}

void TF_OperationGetAttrTensorShapeProto(TF_Operation* oper, const char* attr_name,
                                         TF_Buffer* value, TF_Status* status) {
  c::Guarded(status, [&] {
    c::FillBuffer(value, c::MessageOf(c::AttrOf<PartialShape>(oper, attr_name)));
  });
}

void TF_OperationGetAttrTensorShapeProtoList(TF_Operation* oper, const char* attr_name,
                                             TF_Buffer** values, int max_values,
                                             TF_Status* status) {
  c::Guarded(status, [&] {
    c::RequireList(values, max_values, "values");
    const auto list = c::AttrOf<std::vector<PartialShape>>(oper, attr_name);
    const auto count = std::min(list.size(), static_cast<size_t>(max_values));
    std::vector<std::unique_ptr<TF_Buffer, void (*)(TF_Buffer*)>> buffers;
    for (size_t i = 0; i < count; ++i) {
      const std::string bytes = minitf::ToBytes(c::MessageOf(list[i]));
      buffers.emplace_back(c::NewBuffer(bytes), &TF_DeleteBuffer);
    }
    for (size_t i = 0; i < count; ++i) values[i] = buffers[i].release();
  });
}

void TF_OperationGetAttrTensor(TF_Operation* oper, const char* attr_name,
                               TF_Tensor** value, TF_Status* status) {
  if (value != nullptr) *value = nullptr;
  c::Guarded(status, [&] {
    c::NotNull(value, "value");
    auto tensor = c::AttrOf<minitf::Tensor>(oper, attr_name, Code::kNotFound);
    *value = c::TensorToC(std::move(tensor)).release();
  });
}

void TF_OperationGetAttrValueProto(TF_Operation* oper, const char* attr_name,
                                   TF_Buffer* output_attr_value, TF_Status* status) {
  c::Guarded(status, [&] {
    minitf::proto::AttrValue message;
    minitf::AttrToProto(c::AttrOf(oper, attr_name), &message);
    c::FillBuffer(output_attr_value, message);
  });
}
