// Attributes of a node, for a kernel in C that is made.
//
// Compare    tensorflow/c/kernels.cc

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "minitf/c/internal.h"
#include "minitf/c/kernels/kernel_objects.h"
#include "minitf/c/kernels/registration.h"
#include "minitf/c/shared_tensor.h"

using minitf::Attrs;
using minitf::AttrValue;
using minitf::DType;
using minitf::PartialShape;
using minitf::Require;
using minitf::Tensor;
using minitf::c::Guarded;
using minitf::c::NotNull;
using minitf::c::RequireList;
using minitf::c::TextOf;

namespace {

const Attrs& AttrsOf(const TF_OpKernelConstruction* ctx) {
  return NotNull(ctx, "ctx").construction->attrs();
}

template <typename T>
const T& Get(const TF_OpKernelConstruction* ctx, const char* attr_name) {
  return AttrsOf(ctx).Get<T>(TextOf(attr_name, "attr_name"));
}

int64_t Same(int64_t value) { return value; }

int32_t Narrowed(int64_t value) {
  const bool fits = std::numeric_limits<int32_t>::min() <= value &&
                    value <= std::numeric_limits<int32_t>::max();
  Require(fits, "the value ", value, " does not fit into 32 bits");
  return static_cast<int32_t>(value);
}

// Copies the elements of a list, as many as there is room for.
template <typename List, typename To, typename Convert>
void CopyList(const List& list, To* vals, int max_vals, const Convert& convert) {
  RequireList(vals, max_vals, "vals");
  const size_t count = std::min(list.size(), static_cast<size_t>(max_vals));
  for (size_t i = 0; i < count; ++i) vals[i] = convert(list[i]);
}

struct Sizes {
  int64_t list = -1;
  int64_t total = -1;
};

int64_t RankOf(const PartialShape& shape) { return shape.has_rank() ? shape.rank() : -1; }

// The sizes of a value: see TF_OpKernelConstruction_GetAttrSize.
struct SizesOf {
  template <typename T>
  Sizes operator()(const T& value) const {
    if constexpr (std::is_same_v<T, std::string>)
      return {-1, static_cast<int64_t>(value.size())};
    else if constexpr (std::is_same_v<T, PartialShape>)
      return {-1, RankOf(value)};
    else
      return {};
  }

  template <typename T>
  Sizes operator()(const std::vector<T>& values) const {
    Sizes sizes{static_cast<int64_t>(values.size()), -1};
    if constexpr (std::is_same_v<T, std::string>) {
      sizes.total = 0;
      for (const std::string& value : values) sizes.total += std::ssize(value);
    } else if constexpr (std::is_same_v<T, PartialShape>) {
      sizes.total = 0;
      for (const PartialShape& value : values)
        sizes.total += std::max<int64_t>(0, RankOf(value));
    }
    return sizes;
  }
};

}  // namespace

void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction* ctx, TF_Status* status) {
  if (ctx == nullptr) return;
  Guarded(nullptr, [&] { ctx->construction->SetStatus(minitf::c::FailureOfC(status)); });
}

TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction* ctx) {
  if (ctx == nullptr) return {"", 0};
  const std::string_view name = ctx->construction->node_name();
  return {name.data(), name.size()};
}

bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction* ctx, const char* attr_name,
                                     TF_Status* status) {
  return Guarded(status, false, [&] {
    return AttrsOf(ctx).Find(TextOf(attr_name, "attr_name")) != nullptr;
  });
}

void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction* ctx,
                                         const char* attr_name, int32_t* list_size,
                                         int32_t* total_size, TF_Status* status) {
  Guarded(status, [&] {
    const std::string name = TextOf(attr_name, "attr_name");
    const AttrValue* value = AttrsOf(ctx).Find(name);
    Require(value != nullptr, "attribute '", name, "' is not set");
    const Sizes sizes = std::visit(SizesOf{}, *value);
    const int32_t list = Narrowed(sizes.list);
    const int32_t total = Narrowed(sizes.total);
    if (list_size != nullptr) *list_size = list;
    if (total_size != nullptr) *total_size = total;
  });
}

// ---- Single values --------------------------------------------------------------------

void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction* ctx,
                                         const char* attr_name, TF_DataType* val,
                                         TF_Status* status) {
  Guarded(status,
          [&] { NotNull(val, "val") = minitf::c::DTypeToC(Get<DType>(ctx, attr_name)); });
}

void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction* ctx,
                                          const char* attr_name, int32_t* val,
                                          TF_Status* status) {
  Guarded(status, [&] { NotNull(val, "val") = Narrowed(Get<int64_t>(ctx, attr_name)); });
}

void TF_OpKernelConstruction_GetAttrInt64(TF_OpKernelConstruction* ctx,
                                          const char* attr_name, int64_t* val,
                                          TF_Status* status) {
  Guarded(status, [&] { NotNull(val, "val") = Get<int64_t>(ctx, attr_name); });
}

void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction* ctx,
                                          const char* attr_name, float* val,
                                          TF_Status* status) {
  Guarded(status, [&] { NotNull(val, "val") = Get<float>(ctx, attr_name); });
}

void TF_OpKernelConstruction_GetAttrBool(TF_OpKernelConstruction* ctx,
                                         const char* attr_name, TF_Bool* val,
                                         TF_Status* status) {
  Guarded(status, [&] { NotNull(val, "val") = Get<bool>(ctx, attr_name) ? 1 : 0; });
}

void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction* ctx,
                                           const char* attr_name, char* val,
                                           size_t max_length, TF_Status* status) {
  Guarded(status, [&] {
    const auto& text = Get<std::string>(ctx, attr_name);
    const size_t length = std::min(text.size(), max_length);
    if (length > 0) std::copy_n(text.data(), length, &NotNull(val, "val"));
  });
}

void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction* ctx,
                                           const char* attr_name, TF_Tensor** val,
                                           TF_Status* status) {
  Guarded(status, [&] {
    const auto& tensor = Get<Tensor>(ctx, attr_name);
    NotNull(val, "val");
    *val = minitf::c::SharedTensorToC(tensor).release();
  });
}

// ---- Lists ----------------------------------------------------------------------------

void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction* ctx,
                                             const char* attr_name, TF_DataType* vals,
                                             int max_vals, TF_Status* status) {
  Guarded(status, [&] {
    const auto& list = Get<std::vector<DType>>(ctx, attr_name);
    CopyList(list, vals, max_vals, &minitf::c::DTypeToC);
  });
}

void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction* ctx,
                                              const char* attr_name, int32_t* vals,
                                              int max_vals, TF_Status* status) {
  Guarded(status, [&] {
    CopyList(Get<std::vector<int64_t>>(ctx, attr_name), vals, max_vals, &Narrowed);
  });
}

void TF_OpKernelConstruction_GetAttrInt64List(TF_OpKernelConstruction* ctx,
                                              const char* attr_name, int64_t* vals,
                                              int max_vals, TF_Status* status) {
  Guarded(status, [&] {
    CopyList(Get<std::vector<int64_t>>(ctx, attr_name), vals, max_vals, &Same);
  });
}

void TF_OpKernelConstruction_GetAttrFloatList(TF_OpKernelConstruction* ctx,
                                              const char* attr_name, float* vals,
                                              int max_vals, TF_Status* status) {
  Guarded(status, [&] {
    const auto& list = Get<std::vector<float>>(ctx, attr_name);
    CopyList(list, vals, max_vals, [](float value) { return value; });
  });
}

void TF_OpKernelConstruction_GetAttrBoolList(TF_OpKernelConstruction* ctx,
                                             const char* attr_name, TF_Bool* vals,
                                             int max_vals, TF_Status* status) {
  Guarded(status, [&] {
    const auto& list = Get<std::vector<bool>>(ctx, attr_name);
    CopyList(list, vals, max_vals, [](bool value) { return TF_Bool{value}; });
  });
}

void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction* ctx,
                                               const char* attr_name, char** vals,
                                               size_t* lengths, int max_values,
                                               void* storage, size_t storage_size,
                                               TF_Status* status) {
  Guarded(status, [&] {
    const auto& list = Get<std::vector<std::string>>(ctx, attr_name);
    RequireList(vals, max_values, "vals");
    RequireList(lengths, max_values, "lengths");
    const size_t count = std::min(list.size(), static_cast<size_t>(max_values));
    size_t total = 0;
    for (size_t i = 0; i < count; ++i) total += list[i].size();
    Require(total <= storage_size, "the strings of attribute '", attr_name, "' have ",
            total, " bytes; storage_size is ", storage_size);
    RequireList(storage, static_cast<int64_t>(total), "storage");
    char* next = static_cast<char*>(storage);
    for (size_t i = 0; i < count; ++i) {
      if (!list[i].empty()) std::copy_n(list[i].data(), list[i].size(), next);
      vals[i] = next;
      lengths[i] = list[i].size();
      if (!list[i].empty()) next += list[i].size();
    }
  });
}
