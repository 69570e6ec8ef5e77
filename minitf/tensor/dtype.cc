// The table of element types.

#include "minitf/tensor/dtype.h"

#include <array>

namespace minitf {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  std::string_view short_name;  // in REGISTER_OP, where it differs from `name`
  size_t size;                  // bytes of one element
  char kind;                    // f floating, c complex, i integer, or 0
};

// A ResourceHandle is one shared pointer; framework/resource.h asserts its size.
constexpr std::array<DTypeInfo, 17> kDTypes = {{
    {DType::kFloat32, "float32", "float", 4, 'f'},
    {DType::kFloat64, "float64", "double", 8, 'f'},
    {DType::kInt32, "int32", "", 4, 'i'},
    {DType::kUint8, "uint8", "", 1, 'i'},
    {DType::kInt16, "int16", "", 2, 'i'},
    {DType::kInt8, "int8", "", 1, 'i'},
    {DType::kString, "string", "", sizeof(std::string), 0},
    {DType::kComplex64, "complex64", "", 8, 'c'},
    {DType::kInt64, "int64", "", 8, 'i'},
    {DType::kBool, "bool", "", 1, 0},
    {DType::kBfloat16, "bfloat16", "", 2, 'f'},
    {DType::kUint16, "uint16", "", 2, 'i'},
    {DType::kComplex128, "complex128", "", 16, 'c'},
    {DType::kFloat16, "float16", "half", 2, 'f'},
    {DType::kResource, "resource", "", 2 * sizeof(void*), 0},
    {DType::kUint32, "uint32", "", 4, 'i'},
    {DType::kUint64, "uint64", "", 8, 'i'},
}};

constexpr DTypeInfo kInvalidInfo{DType::kInvalid, "invalid", "", 0, 0};

constexpr std::array<DTypeInfo, kNumDTypes> MakeTable() {
  std::array<DTypeInfo, kNumDTypes> table{};
  for (DTypeInfo& info : table) info = kInvalidInfo;
  for (const DTypeInfo& info : kDTypes) table[static_cast<size_t>(info.dtype)] = info;
  return table;
}

const DTypeInfo& InfoOf(DType dtype) {
  static constexpr auto kTable = MakeTable();
  const auto number = static_cast<size_t>(dtype);
  return number < kTable.size() ? kTable[number] : kInvalidInfo;
}

}  // namespace

size_t SizeOf(DType dtype) { return InfoOf(dtype).size; }

std::string_view NameOf(DType dtype) { return InfoOf(dtype).name; }

DType DTypeFromName(std::string_view name) {
  if (name.empty()) return DType::kInvalid;
  for (const DTypeInfo& info : kDTypes) {
    if (name == info.name || name == info.short_name) return info.dtype;
  }
  return DType::kInvalid;
}

bool IsFloating(DType dtype) { return InfoOf(dtype).kind == 'f'; }
bool IsComplex(DType dtype) { return InfoOf(dtype).kind == 'c'; }

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << NameOf(dtype); }

}  // namespace minitf
