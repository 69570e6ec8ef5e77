// Numbers of 16 bits: __half and __nv_bfloat16, which are computed as floats.
//
// Each operation converts to float, computes, and rounds to the nearest, ties to even:
// the results of a GPU's own instructions for these types.
//
// Compare    IEEE 754-2019, binary16; CUDA Math API, sections 2 and 3
// Read next  kernels/simt/include/cuda_fp16.h

#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/simt/cuda_atomics.h"

namespace simt {

inline uint32_t BitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

inline float FloatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

inline uint16_t HalfBits(float x) {
  const uint32_t bits = BitsOf(x);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7fff;   // not a number
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // 65520 and more: infinity
  if (magnitude < 0x38800000) {
    // Below the smallest normal number, 2^-14: adding 0.5 brings the last bit of the half
    // to the last of the float, which rounds.
    const float shifted = FloatOf(magnitude) + 0.5F;
    return sign | static_cast<uint16_t>(BitsOf(shifted) - BitsOf(0.5F));
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return sign | static_cast<uint16_t>((magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

inline float FromHalfBits(uint16_t half) {
  const uint32_t sign = uint32_t{half} << 16 & 0x80000000;
  const uint32_t magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00) return FloatOf(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400) return FloatOf(sign | ((magnitude << 13) + 0x38000000));
  const float small = static_cast<float>(magnitude) / 16777216.0F;  // units of 2^-24
  return FloatOf(sign | BitsOf(small));
}

inline uint16_t Bfloat16Bits(float x) {
  const uint32_t bits = BitsOf(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;  // not a number
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float FromBfloat16Bits(uint16_t bits) { return FloatOf(uint32_t{bits} << 16); }

}  // namespace simt

#define SIMT_16_BIT_FLOAT(Name, ToBits, ToFloat)                              \
  struct Name {                                                               \
    uint16_t bits;                                                            \
    Name() = default;                                                         \
    Name(float x) : bits(ToBits(x)) {}                                        \
    Name(double x) : Name(static_cast<float>(x)) {}                           \
    Name(int x) : Name(static_cast<float>(x)) {}                              \
    operator float() const { return ToFloat(bits); }                          \
  };                                                                          \
  inline Name operator+(Name x, Name y) { return Name(float{x} + float{y}); } \
  inline Name operator-(Name x, Name y) { return Name(float{x} - float{y}); } \
  inline Name operator*(Name x, Name y) { return Name(float{x} * float{y}); } \
  inline Name operator/(Name x, Name y) { return Name(float{x} / float{y}); } \
  inline Name operator-(Name x) { return Name(-float{x}); }                   \
  inline Name& operator+=(Name& x, Name y) { return x = x + y; }              \
  inline Name& operator-=(Name& x, Name y) { return x = x - y; }              \
  inline Name& operator*=(Name& x, Name y) { return x = x * y; }              \
  inline Name& operator/=(Name& x, Name y) { return x = x / y; }              \
  inline bool operator==(Name x, Name y) { return float{x} == float{y}; }     \
  inline bool operator!=(Name x, Name y) { return float{x} != float{y}; }     \
  inline bool operator<(Name x, Name y) { return float{x} < float{y}; }       \
  inline bool operator>(Name x, Name y) { return float{x} > float{y}; }       \
  inline bool operator<=(Name x, Name y) { return float{x} <= float{y}; }     \
  inline bool operator>=(Name x, Name y) { return float{x} >= float{y}; }     \
  inline Name __hadd(Name x, Name y) { return x + y; }                        \
  inline Name __hsub(Name x, Name y) { return x - y; }                        \
  inline Name __hmul(Name x, Name y) { return x * y; }                        \
  inline Name __hdiv(Name x, Name y) { return x / y; }                        \
  inline Name __hneg(Name x) { return -x; }                                   \
  inline Name __hfma(Name x, Name y, Name z) {                                \
    return Name(__builtin_fmaf(float{x}, float{y}, float{z}));                \
  }                                                                           \
  inline bool __heq(Name x, Name y) { return x == y; }                        \
  inline bool __hlt(Name x, Name y) { return x < y; }                         \
  inline bool __hgt(Name x, Name y) { return x > y; }                         \
  inline bool __hisnan(Name x) { return x != x; }                             \
  struct alignas(4) Name##2 {                                                 \
    Name x, y;                                                                \
  };

SIMT_16_BIT_FLOAT(__half, simt::HalfBits, simt::FromHalfBits)
SIMT_16_BIT_FLOAT(__nv_bfloat16, simt::Bfloat16Bits, simt::FromBfloat16Bits)

SIMT_ATOMIC(atomicAdd, __half, __hadd(old, value))
SIMT_ATOMIC(atomicAdd, __nv_bfloat16, __hadd(old, value))

inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline float __half2float(__half x) { return x; }
inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline float __low2float(__half2 v) { return v.x; }
inline float __high2float(__half2 v) { return v.y; }
