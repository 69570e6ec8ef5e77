// Half: from float to 16 bits and back, bit by bit.
//
// The bits of a float are  s eeeeeeee fffffffffffffffffffffff  and mean
//
//   (-1)^s * 1.f * 2^(e-127)     for 0 < e < 255
//   (-1)^s * 0.f * 2^-126        for e = 0, subnormal
//   infinity, or nan if f != 0   for e = 255
//
// float16 has 5 bits for e, and 15 in place of 127; so its bits are those of a float
// whose exponent is 112 less, without the last 13. bfloat16 has the exponent of a float,
// and is its first half.
//
// Without the sign, bits count up as the numbers do: the next number has the next bits,
// also from one power of 2 to the next, from the last subnormal to the first normal
// number and from the largest to infinity. So rounding is one addition, and its carry
// does what is right.
//
// Compare    tensorflow/core/lib/bfloat16/bfloat16.h: round_to_bfloat16

#include "minitf/tensor/half.h"

#include <bit>

namespace minitf {
namespace {

constexpr uint32_t kSign = 0x80000000U;
constexpr uint32_t kInfinity = 0x7f800000U;
constexpr uint32_t kFraction = 0x007fffffU;
constexpr uint32_t kQuiet = 0x00400000U;  // the first bit of the fraction of a quiet nan

constexpr int kBitsLess = 13;              // of the fraction of float16
constexpr uint32_t kBiasLess = 112 << 23;  // of its exponent, in its place in a float

// bits / 2^count, to the nearest integer, and halfway to the even one.
// Requires: 0 < count < 32, and bits + 2^(count-1) < 2^32.
uint32_t RoundedShift(uint32_t bits, int count) {
  const uint32_t almost_half = (1U << (count - 1)) - 1;
  const uint32_t is_odd = bits >> count & 1U;
  return (bits + almost_half + is_odd) >> count;
}

}  // namespace

uint16_t Float16Bits(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const auto sign = static_cast<uint16_t>((bits & kSign) >> 16);
  const uint32_t size = bits & ~kSign;
  if (size > kInfinity) {
    return sign | 0x7c00U | ((size & kFraction) | kQuiet) >> kBitsLess;
  }
  if (size >= std::bit_cast<uint32_t>(0x1p16F)) return sign | 0x7c00U;
  if (size >= std::bit_cast<uint32_t>(0x1p-14F)) {
    return sign | RoundedShift(size - kBiasLess, kBitsLess);
  }
  // Subnormal: a number of steps of 2^-24. The float is 1.f = (2^23 + f) / 2^23 times
  // 2^(e-127), so it is (2^23 + f) / 2^(126-e) steps. From 25 on that is less than half.
  const auto shift = 126 - static_cast<int>(size >> 23);
  if (shift > 24) return sign;
  return sign | RoundedShift((size & kFraction) | (kFraction + 1), shift);
}

float FloatOfFloat16Bits(uint16_t bits) {
  const uint32_t sign = uint32_t{bits} << 16 & kSign;
  const uint32_t size = bits & 0x7fffU;
  if (size > 0x7c00U) {
    return std::bit_cast<float>(sign | kInfinity | kQuiet |
                                (size << kBitsLess & kFraction));
  }
  if (size == 0x7c00U) return std::bit_cast<float>(sign | kInfinity);
  if (size < 0x0400U) {  // subnormal, so a number of steps of 2^-24
    const float number = static_cast<float>(size) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(number));
  }
  return std::bit_cast<float>(sign | ((size << kBitsLess) + kBiasLess));
}

// ---- Rows -----------------------------------------------------------------------------

void Widen(const float16* from, float* to, int64_t count) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    const auto* eight = reinterpret_cast<const __m128i*>(from + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(eight)));
  }
#endif
  for (; i < count; ++i) to[i] = from[i];
}

void Narrow(const float* from, float16* to, int64_t count) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    auto* eight = reinterpret_cast<__m128i*>(to + i);
    const __m256 x = _mm256_loadu_ps(from + i);
    _mm_storeu_si128(eight, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < count; ++i) to[i] = float16(from[i]);
}

// Of the next two the compiler makes vector instructions.

void Widen(const bfloat16* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = FloatOfBfloat16Bits(from[i].bits());
}

void Narrow(const float* from, bfloat16* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = bfloat16(from[i]);
}

}  // namespace minitf
