// Lists of element types, and registering a kernel for each type of one.
//
// Read next  kernels/cpu/common/lanes.h

#pragma once

#include <complex>
#include <cstdint>

#include "minitf/tensor/dtype.h"
#include "minitf/tensor/half.h"

namespace minitf {

template <typename... Ts>
struct Types {};

template <typename... As, typename... Bs>
constexpr Types<As..., Bs...> operator+(Types<As...>, Types<Bs...>) {
  return {};
}

using RealTypes = Types<float16, bfloat16, float, double>;
using ComplexTypes = Types<complex64, complex128>;
using SignedTypes = Types<int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes = Types<uint8_t, uint16_t, uint32_t, uint64_t>;
/// All numbers that are less or greater than others, and all numbers.
using OrderedTypes = decltype(RealTypes{} + SignedTypes{} + UnsignedTypes{});
using NumberTypes = decltype(OrderedTypes{} + ComplexTypes{});

/// Whether it is one of 16 bits.
inline bool IsHalf(DType d) { return d == DType::kFloat16 || d == DType::kBfloat16; }

/// Calls `function.template operator()<T>()` for each type. At file scope it registers
/// one kernel for many types:
///
///     const bool kRegistered = ForTypes(RealTypes{}, []<typename T>() {
///       RegisterKernel<SinOp<T>>(Kernel("Sin").Type<T>("T"));
///     });
template <typename... Ts, typename Function>
bool ForTypes(Types<Ts...>, const Function& function) {
  (function.template operator()<Ts>(), ...);
  return true;
}

}  // namespace minitf
