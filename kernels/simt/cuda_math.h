// CUDA's functions of numbers that C++ has not, or has in another form.
//
// The quick ones, such as __expf, are computed exactly here, so results are compared with
// a tolerance. `min` and `max` take numbers of different types, as nvcc's do.
//
// Compare    CUDA Math API, sections 4 (single precision intrinsics) and 9 (integers)
// Read next  kernels/simt/runtime/fiber.h

#pragma once

// The C++ library's math.h, unlike cmath, also has the names outside of std, for float
// and double both, as nvcc does.
#include <chrono>
#include <cstdint>
#include <math.h>    // NOLINT(modernize-deprecated-headers)
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers)
#include <type_traits>

#include "kernels/simt/cuda_threads.h"
#include "kernels/simt/cuda_types.h"

// ---- The smaller and the larger -------------------------------------------------------

namespace simt {
template <typename A, typename B>
using Numbers = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>,
                                 std::common_type_t<A, B>>;
}  // namespace simt

template <typename A, typename B>
simt::Numbers<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmin(static_cast<T>(a), static_cast<T>(b));
  } else {
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b);
  }
}

template <typename A, typename B>
simt::Numbers<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmax(static_cast<T>(a), static_cast<T>(b));
  } else {
    return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b);
  }
}

// ---- Floating point -------------------------------------------------------------------

inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.0F, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0F / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0F) : 0.0F; }

inline int __float2int_rn(float x) { return static_cast<int>(std::nearbyint(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
inline int __float2int_rd(float x) { return static_cast<int>(std::floor(x)); }
inline int __float2int_ru(float x) { return static_cast<int>(std::ceil(x)); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }

// ---- Bits -----------------------------------------------------------------------------

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}
inline int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(uint64_t{x} * y >> 32);
}
inline int __mulhi(int x, int y) { return static_cast<int>(int64_t{x} * y >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

inline int __float_as_int(float x) { return simt::FromBits<int>(simt::AsBits(x)); }
inline unsigned __float_as_uint(float x) {
  return simt::FromBits<unsigned>(simt::AsBits(x));
}
inline float __int_as_float(int x) { return simt::FromBits<float>(simt::AsBits(x)); }
inline float __uint_as_float(unsigned x) {
  return simt::FromBits<float>(simt::AsBits(x));
}
inline long long __double_as_longlong(double x) {
  return simt::FromBits<long long>(simt::AsBits(x));
}
inline double __longlong_as_double(long long x) {
  return simt::FromBits<double>(simt::AsBits(x));
}

// ---- Memory ---------------------------------------------------------------------------

template <typename T>
__attribute__((always_inline)) inline T __ldg(const T* p) {
  return *p;
}

/// Nanoseconds, from when does not matter.
inline long long clock64() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
