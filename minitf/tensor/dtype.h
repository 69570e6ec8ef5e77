// DType: the element type of a tensor, as a value that can be stored and compared.
//
// C++ knows element types at compile time, a graph only at run time. This file is the one
// bridge between the two: the table below lists every element type once, DTypeOf<T>()
// goes from a C++ type to its DType, and everything else asks the table.
//
//   float16 and bfloat16   classes of minitf/tensor/half.h, which kernels include
//   string                 std::string, so bytes of any length
//   resource               a pointer to state that outlives a step (framework/resource.h)
//
// The numbers are TensorFlow's, so that a stored graph means the same there.
//
// Compare    tensorflow/core/framework/types.h, types.proto
// Read next  minitf/tensor/half.h

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

namespace minitf {

class ResourceHandle;
class Float16;
class Bfloat16;

using float16 = Float16;
using bfloat16 = Bfloat16;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kUint32 = 22,
  kUint64 = 23,
};

/// Whether T is one of the two types of 16 bits.
template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/// One more than the largest number of a DType: the size of a table indexed by it.
constexpr int kNumDTypes = 24;

/// The DType of the C++ type T. Does not compile for a T that has none.
template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return DType::kFloat32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::kFloat64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::kInt32;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::kUint8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return DType::kInt16;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DType::kInt8;
  else if constexpr (std::is_same_v<T, std::string>)
    return DType::kString;
  else if constexpr (std::is_same_v<T, complex64>)
    return DType::kComplex64;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DType::kInt64;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::kBool;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return DType::kBfloat16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return DType::kUint16;
  else if constexpr (std::is_same_v<T, complex128>)
    return DType::kComplex128;
  else if constexpr (std::is_same_v<T, float16>)
    return DType::kFloat16;
  else if constexpr (std::is_same_v<T, ResourceHandle>)
    return DType::kResource;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DType::kUint32;
  else {
    static_assert(std::is_same_v<T, uint64_t>, "minitf has no DType for this type");
    return DType::kUint64;
  }
}

/// Calls `visitor.template operator()<T>()` with the C++ type of `dtype`, and returns its
/// result. Requires: dtype is not kInvalid.
template <typename Visitor>
decltype(auto) VisitDType(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::kFloat64: return visitor.template operator()<double>();
    case DType::kInt32: return visitor.template operator()<int32_t>();
    case DType::kUint8: return visitor.template operator()<uint8_t>();
    case DType::kInt16: return visitor.template operator()<int16_t>();
    case DType::kInt8: return visitor.template operator()<int8_t>();
    case DType::kString: return visitor.template operator()<std::string>();
    case DType::kComplex64: return visitor.template operator()<complex64>();
    case DType::kInt64: return visitor.template operator()<int64_t>();
    case DType::kBool: return visitor.template operator()<bool>();
    case DType::kBfloat16: return visitor.template operator()<bfloat16>();
    case DType::kUint16: return visitor.template operator()<uint16_t>();
    case DType::kComplex128: return visitor.template operator()<complex128>();
    case DType::kFloat16: return visitor.template operator()<float16>();
    case DType::kResource: return visitor.template operator()<ResourceHandle>();
    case DType::kUint32: return visitor.template operator()<uint32_t>();
    case DType::kUint64: return visitor.template operator()<uint64_t>();
    default: return visitor.template operator()<float>();
  }
}

/// Size of one element, in bytes; 0 for kInvalid.
size_t SizeOf(DType dtype);

/// TensorFlow's name of `dtype`, such as "float32"; "invalid" for a number without one.
std::string_view NameOf(DType dtype);

/// The DType called `name`: "float32", or as REGISTER_OP spells it, "float"; also "half",
/// "double". kInvalid if there is none.
DType DTypeFromName(std::string_view name);

/// Whether elements are plain bytes, which memcpy may copy: all but string and resource.
constexpr bool IsPlain(DType dtype) {
  return dtype != DType::kString && dtype != DType::kResource;
}

/// float16, bfloat16, float32, float64.
bool IsFloating(DType dtype);
bool IsComplex(DType dtype);

std::ostream& operator<<(std::ostream& out, DType dtype);

}  // namespace minitf
