// Half: the element types of 16 bits, float16 and bfloat16, as C++ numbers.
//
// Both are a float with bits taken away. Which bits, is the choice between fineness and
// reach:
//
//              sign  exponent  fraction   largest   smallest    2049 becomes
//   float         1         8        23    3.4e38    1.4e-45            2049
//   float16       1         5        10     65504    6.0e-08            2048
//   bfloat16      1         8         7    3.4e38    9.2e-41            2048
//
// Every number of 16 bits is a float, so one becomes a float by itself. The way back
// rounds, and has to be asked for: float16(x).
//
//   rounding    to the nearest number; of two that are equally near, to the even one,
//               whose last bit is 0
//   too large   infinity, from halfway between the largest number and the next power of 2
//   too small   subnormal numbers, which have fewer digits, and then 0; the sign stays
//   nan         stays nan, keeps its sign and the high bits of its fraction, and is quiet
//
// Arithmetic is that of float, rounded after each operation. Long sums lose their digits
// that way, so kernels widen whole rows, compute in float, and round once (Widen,
// Narrow).
//
// The conversions are in half.cc, bit by bit. Processors with F16C have an instruction
// for those of float16; it gives the same bits.
//
// Compare    tensorflow/core/lib/bfloat16/bfloat16.h, Eigen/src/Core/arch/Default/Half.h
// Read next  minitf/tensor/shape.h

#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <ostream>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "minitf/tensor/dtype.h"

namespace minitf {

/// The bits of the float16 that is nearest to `x`.
uint16_t Float16Bits(float x);
/// The float that a float16 of these bits is.
float FloatOfFloat16Bits(uint16_t bits);
/// The bits of the bfloat16 that is nearest to `x`: the first half of its own, after half
/// of what is cut off was added, or a little less, so that halfway becomes even. Short
/// enough to stand in every loop; half.cc explains the bits.
inline uint16_t Bfloat16Bits(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  const uint32_t is_odd = bits >> 16 & 1U;
  const uint32_t rounded = is_nan ? bits | 0x00400000U : bits + 0x7fffU + is_odd;
  return static_cast<uint16_t>(rounded >> 16);
}
/// The float that a bfloat16 of these bits is.
inline float FloatOfBfloat16Bits(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

/// `count` elements of 16 bits as floats, exactly.
void Widen(const float16* from, float* to, int64_t count);
void Widen(const bfloat16* from, float* to, int64_t count);
/// `count` floats, each rounded to 16 bits.
void Narrow(const float* from, float16* to, int64_t count);
void Narrow(const float* from, bfloat16* to, int64_t count);

class Float16 {
 public:
  Float16() = default;  // like a float, it has no value before it is given one

  explicit Float16(float x) {
#ifdef __F16C__
    bits_ = static_cast<uint16_t>(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT));
#else
    bits_ = Float16Bits(x);
#endif
  }
  /// By way of float, also from a double.
  template <typename T>
  explicit Float16(T x) : Float16(static_cast<float>(x)) {}

  operator float() const {  // NOLINT: no digit is lost
#ifdef __F16C__
    return _cvtsh_ss(bits_);
#else
    return FloatOfFloat16Bits(bits_);
#endif
  }

  static constexpr Float16 FromBits(uint16_t bits) { return {BitsTag{}, bits}; }
  constexpr uint16_t bits() const { return bits_; }

 private:
  struct BitsTag {};
  constexpr Float16(BitsTag, uint16_t bits) : bits_(bits) {}

  uint16_t bits_;
};

class Bfloat16 {
 public:
  Bfloat16() = default;

  explicit Bfloat16(float x) : bits_(Bfloat16Bits(x)) {}
  template <typename T>
  explicit Bfloat16(T x) : Bfloat16(static_cast<float>(x)) {}

  operator float() const {  // NOLINT: no digit is lost
    return FloatOfBfloat16Bits(bits_);
  }

  static constexpr Bfloat16 FromBits(uint16_t bits) { return {BitsTag{}, bits}; }
  constexpr uint16_t bits() const { return bits_; }

 private:
  struct BitsTag {};
  constexpr Bfloat16(BitsTag, uint16_t bits) : bits_(bits) {}

  uint16_t bits_;
};

// ---- Arithmetic -----------------------------------------------------------------------
// Comparisons need no operators here: what is compared becomes float.

template <typename T>
concept Half = kIsHalf<T>;

template <Half T>
T operator+(T x, T y) {
  return T(float{x} + float{y});
}
template <Half T>
T operator-(T x, T y) {
  return T(float{x} - float{y});
}
template <Half T>
T operator*(T x, T y) {
  return T(float{x} * float{y});
}
template <Half T>
T operator/(T x, T y) {
  return T(float{x} / float{y});
}
template <Half T>
constexpr T operator-(T x) {
  return T::FromBits(x.bits() ^ 0x8000U);
}

template <Half T>
T& operator+=(T& x, T y) {
  return x = x + y;
}
template <Half T>
T& operator-=(T& x, T y) {
  return x = x - y;
}
template <Half T>
T& operator*=(T& x, T y) {
  return x = x * y;
}
template <Half T>
T& operator/=(T& x, T y) {
  return x = x / y;
}

template <Half T>
std::ostream& operator<<(std::ostream& out, T x) {
  return out << float{x};
}

namespace internal {

// What C++ wants to know of a number type with a sign bit, `kExponentBits`, and the rest
// fraction. What neither the standard library nor minitf asks of a type is left out.
template <typename T, int kExponentBits>
struct HalfLimits {
  // NOLINTBEGIN(readability-identifier-naming): std::numeric_limits has these names
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool is_iec559 = true;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;

  static constexpr int radix = 2;
  static constexpr int digits = 16 - kExponentBits;  // with the 1 that is not stored
  static constexpr int digits10 = (digits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = 2 + digits * 30103 / 100000;
  static constexpr int max_exponent = 1 << (kExponentBits - 1);
  static constexpr int min_exponent = 3 - max_exponent;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  // NOLINTEND(readability-identifier-naming)

  static constexpr T min() { return T::FromBits(1 << kFractionBits); }
  static constexpr T max() { return T::FromBits(kInfinity - 1); }
  static constexpr T lowest() { return -max(); }
  static constexpr T epsilon() {  // the step from 1 to the next number
    return T::FromBits((max_exponent - 1 - kFractionBits) << kFractionBits);
  }
  static constexpr T round_error() {
    return T::FromBits((max_exponent - 2) << kFractionBits);
  }
  static constexpr T infinity() { return T::FromBits(kInfinity); }
  static constexpr T quiet_NaN() { return T::FromBits(kInfinity | kQuiet); }
  static constexpr T signaling_NaN() { return T::FromBits(kInfinity | kQuiet >> 1); }
  static constexpr T denorm_min() { return T::FromBits(1); }

 private:
  static constexpr int kFractionBits = 15 - kExponentBits;
  static constexpr int kInfinity = 0x8000 - (1 << kFractionBits);
  static constexpr int kQuiet = 1 << (kFractionBits - 1);
};

}  // namespace internal
}  // namespace minitf

template <>
struct std::numeric_limits<minitf::float16>
    : minitf::internal::HalfLimits<minitf::float16, 5> {};
template <>
struct std::numeric_limits<minitf::bfloat16>
    : minitf::internal::HalfLimits<minitf::bfloat16, 8> {};
