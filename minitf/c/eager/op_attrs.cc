// Attributes of eager ops: their kinds, and their setters.
//
// A setter without a status leaves its error in the op, where TFE_Execute finds it.
//
// Compare    tensorflow/c/eager/c_api.cc

#include <string>
#include <utility>
#include <vector>

#include "minitf/base/caught.h"
#include "minitf/c/eager/context.h"
#include "minitf/c/internal.h"
#include "minitf/c/live_objects.h"
#include "minitf/c/shared_tensor.h"

using minitf::AttrDef;
using minitf::AttrValue;
using minitf::DType;
using minitf::OpDef;
using minitf::PartialShape;
using minitf::Require;
using minitf::ThrowInvalidArgument;
using minitf::c::Guarded;
using minitf::c::LiveObjects;
using minitf::c::RequireList;
using minitf::c::TextOf;

namespace {

const AttrDef& AttrNamed(const OpDef& op, const std::string& name) {
  const AttrDef* def = op.FindAttr(name);
  if (def == nullptr) ThrowInvalidArgument(op.name, " has no attribute '", name, "'");
  return *def;
}

// Sets an attribute. Throws InvalidArgument if the op has none of that name and kind. A
// name that begins with '_' is a hint to the runtime, which every op may have.
void Set(TFE_Op* op, const char* attr_name, AttrValue value) {
  const std::string name = TextOf(attr_name, "attr_name");
  if (!name.starts_with('_')) {
    const AttrDef& def = AttrNamed(*op->def, name);
    Require(def.kind == KindOf(value), op->def->name, ": attribute '", name,
            "' is of kind ", def.kind, ", the value is of kind ", KindOf(value));
  }
  op->attrs.Set(name, std::move(value));
}

// Sets an attribute to what `make` returns. The op stores the first error.
template <typename Make>
void SetOrStoreError(TFE_Op* op, const char* attr_name, const Make& make) {
  const auto call = LiveObjects<TFE_Op>::Find(op);
  if (call == nullptr) return;
  try {
    Set(call.get(), attr_name, make());
  } catch (...) {
    if (call->error.ok()) call->error = minitf::CaughtStatus();
  }
}

template <typename To, typename From, typename Convert>
AttrValue ListOf(const From* values, int num_values, const Convert& convert) {
  RequireList(values, num_values, "values");
  std::vector<To> list;
  list.reserve(num_values);
  for (int i = 0; i < num_values; ++i) list.push_back(convert(values[i]));
  return list;
}

std::string BytesAt(const void* value, size_t length) {
  RequireList(value, static_cast<int64_t>(length), "value");
  return length == 0 ? std::string()
                     : std::string(static_cast<const char*>(value), length);
}

bool BoolOf(unsigned char value) { return value != 0; }

// The kind of an attribute of `op`, such as TF_ATTR_INT for "list(int)".
TF_AttrType TypeOf(const OpDef& op, const char* attr_name, unsigned char* is_list) {
  const AttrDef& def = AttrNamed(op, TextOf(attr_name, "attr_name"));
  unsigned char& list = minitf::c::NotNull(is_list, "is_list");
  static const std::vector<std::pair<std::string, TF_AttrType>>& kinds =
      *new std::vector<std::pair<std::string, TF_AttrType>>{
          {"string", TF_ATTR_STRING}, {"int", TF_ATTR_INT},   {"float", TF_ATTR_FLOAT},
          {"bool", TF_ATTR_BOOL},     {"type", TF_ATTR_TYPE}, {"shape", TF_ATTR_SHAPE},
          {"tensor", TF_ATTR_TENSOR}, {"func", TF_ATTR_FUNC}};
  for (const auto& [kind, type] : kinds) {
    const bool is_list_of_kind = def.kind == "list(" + kind + ")";
    if (def.kind != kind && !is_list_of_kind) continue;
    list = is_list_of_kind ? 1 : 0;
    return type;
  }
  throw minitf::Error(minitf::errors::Internal("no number for the kind ", def.kind));
}

}  // namespace

TF_AttrType TFE_OpGetAttrType(TFE_Op* op, const char* attr_name, unsigned char* is_list,
                              TF_Status* status) {
  return Guarded(status, TF_ATTR_INT, [&] {
    return TypeOf(*LiveObjects<TFE_Op>::Get(op, "op")->def, attr_name, is_list);
  });
}

TF_AttrType TFE_OpNameGetAttrType(TFE_Context* ctx, const char* op_or_function_name,
                                  const char* attr_name, unsigned char* is_list,
                                  TF_Status* status) {
  return Guarded(status, TF_ATTR_INT, [&] {
    LiveObjects<TFE_Context>::Get(ctx, "ctx");
    const std::string name = TextOf(op_or_function_name, "op_or_function_name");
    return TypeOf(minitf::FindOp(name), attr_name, is_list);
  });
}

// ---- Single values --------------------------------------------------------------------

void TFE_OpSetAttrString(TFE_Op* op, const char* attr_name, const void* value,
                         size_t length) {
  SetOrStoreError(op, attr_name, [&] { return BytesAt(value, length); });
}

void TFE_OpSetAttrInt(TFE_Op* op, const char* attr_name, int64_t value) {
  SetOrStoreError(op, attr_name, [&] { return value; });
}

void TFE_OpSetAttrFloat(TFE_Op* op, const char* attr_name, float value) {
  SetOrStoreError(op, attr_name, [&] { return value; });
}

void TFE_OpSetAttrBool(TFE_Op* op, const char* attr_name, unsigned char value) {
  SetOrStoreError(op, attr_name, [&] { return BoolOf(value); });
}

void TFE_OpSetAttrType(TFE_Op* op, const char* attr_name, TF_DataType value) {
  SetOrStoreError(op, attr_name, [&] { return minitf::c::DTypeOfC(value); });
}

void TFE_OpSetAttrShape(TFE_Op* op, const char* attr_name, const int64_t* dims,
                        int num_dims, TF_Status* out_status) {
  Guarded(out_status, [&] {
    const auto call = LiveObjects<TFE_Op>::Get(op, "op");
    Set(call.get(), attr_name, minitf::c::PartialShapeOfC(dims, num_dims));
  });
}

void TFE_OpSetAttrTensor(TFE_Op* op, const char* attr_name, TF_Tensor* tensor,
                         TF_Status* status) {
  Guarded(status, [&] {
    const auto call = LiveObjects<TFE_Op>::Get(op, "op");
    Set(call.get(), attr_name, minitf::c::SharedTensorOfC(tensor, "tensor"));
  });
}

// ---- Functions, which minitf does not have --------------------------------------------

namespace {

void StoreUnimplemented(TFE_Op* op, const char* function) {
  SetOrStoreError(op, "",
                  [&]() -> AttrValue { minitf::c::ThrowUnimplemented(function); });
}

}  // namespace

void TFE_OpSetAttrFunction(TFE_Op* op, const char*, const TFE_Op*) {
  StoreUnimplemented(op, "TFE_OpSetAttrFunction");
}

void TFE_OpSetAttrFunctionName(TFE_Op* op, const char*, const char*, size_t) {
  StoreUnimplemented(op, "TFE_OpSetAttrFunctionName");
}

void TFE_OpSetAttrFunctionList(TFE_Op* op, const char*, const TFE_Op**, int) {
  StoreUnimplemented(op, "TFE_OpSetAttrFunctionList");
}

void TFE_OpSetXLACompilation(TFE_Op* op, unsigned char enable) {
  if (enable != 0) StoreUnimplemented(op, "TFE_OpSetXLACompilation");
}

// ---- Lists ----------------------------------------------------------------------------

void TFE_OpSetAttrStringList(TFE_Op* op, const char* attr_name, const void* const* values,
                             const size_t* lengths, int num_values) {
  SetOrStoreError(op, attr_name, [&] {
    RequireList(values, num_values, "values");
    RequireList(lengths, num_values, "lengths");
    std::vector<std::string> list;
    for (int i = 0; i < num_values; ++i) list.push_back(BytesAt(values[i], lengths[i]));
    return list;
  });
}

void TFE_OpSetAttrIntList(TFE_Op* op, const char* attr_name, const int64_t* values,
                          int num_values) {
  SetOrStoreError(op, attr_name, [&] {
    return ListOf<int64_t>(values, num_values, [](int64_t value) { return value; });
  });
}

void TFE_OpSetAttrFloatList(TFE_Op* op, const char* attr_name, const float* values,
                            int num_values) {
  SetOrStoreError(op, attr_name, [&] {
    return ListOf<float>(values, num_values, [](float value) { return value; });
  });
}

void TFE_OpSetAttrBoolList(TFE_Op* op, const char* attr_name, const unsigned char* values,
                           int num_values) {
  SetOrStoreError(op, attr_name,
                  [&] { return ListOf<bool>(values, num_values, &BoolOf); });
}

void TFE_OpSetAttrTypeList(TFE_Op* op, const char* attr_name, const TF_DataType* values,
                           int num_values) {
  SetOrStoreError(op, attr_name, [&] {
    return ListOf<DType>(values, num_values, &minitf::c::DTypeOfC);
  });
}

void TFE_OpSetAttrShapeList(TFE_Op* op, const char* attr_name, const int64_t** dims,
                            const int* num_dims, int num_values, TF_Status* out_status) {
  Guarded(out_status, [&] {
    const auto call = LiveObjects<TFE_Op>::Get(op, "op");
    RequireList(dims, num_values, "dims");
    RequireList(num_dims, num_values, "num_dims");
    std::vector<PartialShape> list;
    for (int i = 0; i < num_values; ++i) {
      list.push_back(minitf::c::PartialShapeOfC(dims[i], num_dims[i]));
    }
    Set(call.get(), attr_name, std::move(list));
  });
}
