// Attributes to messages, and back.

#include "minitf/graph/attr_proto.h"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "minitf/protos/graph.pb.h"

namespace minitf {
namespace {

using ListValue = proto::AttrValue::ListValue;

AttrValue EmptyListOf(std::string_view kind) {
  if (kind == "list(bool)") return std::vector<bool>{};
  if (kind == "list(float)") return std::vector<float>{};
  if (kind == "list(string)") return std::vector<std::string>{};
  if (kind == "list(type)") return std::vector<DType>{};
  if (kind == "list(shape)") return std::vector<PartialShape>{};
  return std::vector<int64_t>{};
}

std::optional<AttrValue> ListFromProto(const ListValue& list, std::string_view kind) {
  const int kinds = (list.s_size() > 0) + (list.i_size() > 0) + (list.f_size() > 0) +
                    (list.b_size() > 0) + (list.type_size() > 0) +
                    (list.shape_size() > 0) + (list.tensor_size() > 0) +
                    (list.func_size() > 0);
  Require(kinds <= 1, "is a list of elements of ", kinds, " kinds");
  if (kinds == 0) return EmptyListOf(kind);
  if (list.i_size() > 0) return std::vector<int64_t>(list.i().begin(), list.i().end());
  if (list.f_size() > 0) return std::vector<float>(list.f().begin(), list.f().end());
  if (list.b_size() > 0) return std::vector<bool>(list.b().begin(), list.b().end());
  if (list.s_size() > 0)
    return std::vector<std::string>(list.s().begin(), list.s().end());
  if (list.type_size() > 0) {
    std::vector<DType> types;
    for (const int number : list.type()) types.push_back(DTypeFromNumber(number));
    return types;
  }
  if (list.shape_size() > 0) {
    std::vector<PartialShape> shapes;
    for (const auto& shape : list.shape()) shapes.push_back(ShapeFromProto(shape));
    return shapes;
  }
  return std::nullopt;
}

void Set(bool value, proto::AttrValue* message) { message->set_b(value); }
void Set(int64_t value, proto::AttrValue* message) { message->set_i(value); }
void Set(float value, proto::AttrValue* message) { message->set_f(value); }
void Set(const std::string& value, proto::AttrValue* message) { message->set_s(value); }
void Set(DType value, proto::AttrValue* message) {
  message->set_type(static_cast<proto::DataType>(value));
}
void Set(const PartialShape& value, proto::AttrValue* message) {
  ShapeToProto(value, message->mutable_shape());
}
void Set(const Tensor& value, proto::AttrValue* message) {
  TensorToProto(value, message->mutable_tensor());
}

void Add(bool value, ListValue* list) { list->add_b(value); }
void Add(int64_t value, ListValue* list) { list->add_i(value); }
void Add(float value, ListValue* list) { list->add_f(value); }
void Add(const std::string& value, ListValue* list) { list->add_s(value); }
void Add(DType value, ListValue* list) {
  list->add_type(static_cast<proto::DataType>(value));
}
void Add(const PartialShape& value, ListValue* list) {
  ShapeToProto(value, list->add_shape());
}

template <typename T>
void Set(const std::vector<T>& values, proto::AttrValue* message) {
  ListValue* const list = message->mutable_list();
  for (const auto& value : values) Add(static_cast<const T&>(value), list);
}

}  // namespace

DType DTypeFromNumber(int number) {
  Require(0 < number && number < kNumDTypes && SizeOf(static_cast<DType>(number)) > 0,
          "is the element type number ", number, ", which minitf does not have");
  return static_cast<DType>(number);
}

std::optional<AttrValue> AttrFromProto(const proto::AttrValue& message,
                                       std::string_view kind, Expansion* expansion) {
  using Message = proto::AttrValue;
  switch (message.value_case()) {
    case Message::kS: return message.s();
    case Message::kI: return message.i();
    case Message::kF: return message.f();
    case Message::kB: return message.b();
    case Message::kType: return DTypeFromNumber(message.type());
    case Message::kShape: return ShapeFromProto(message.shape());
    case Message::kTensor: return TensorFromProto(message.tensor(), expansion);
    case Message::kList: return ListFromProto(message.list(), kind);
    case Message::kFunc:
    case Message::kPlaceholder: return std::nullopt;
    case Message::VALUE_NOT_SET: break;
  }
  throw Error(errors::InvalidArgument("has no value"));
}

void AttrToProto(const AttrValue& value, proto::AttrValue* message) {
  std::visit([message](const auto& held) { Set(held, message); }, value);
}

}  // namespace minitf
