// Numbers of 16 bits, float16 and bfloat16: every bit pattern, every rounding, and what
// C++ asks of numbers.
//
// The judge is a list of all finite numbers of a type in their order, made with ldexp.
// What is nearest to a float is looked up there, in double, where every difference of two
// neighbours is exact.

#include "minitf/tensor/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/base/status.h"

namespace minitf {
namespace {

template <typename T>
struct Layout;
template <>
struct Layout<float16> {
  static constexpr int kExponentBits = 5;
  static uint16_t BitsOf(float x) { return Float16Bits(x); }
  static float FloatOf(uint16_t bits) { return FloatOfFloat16Bits(bits); }
};
template <>
struct Layout<bfloat16> {
  static constexpr int kExponentBits = 8;
  static uint16_t BitsOf(float x) { return Bfloat16Bits(x); }
  static float FloatOf(uint16_t bits) { return FloatOfBfloat16Bits(bits); }
};

template <typename T>
class HalfNumber : public ::testing::Test {
 public:
  static constexpr int kFractionBits = 15 - Layout<T>::kExponentBits;
  static constexpr int kBias = (1 << (Layout<T>::kExponentBits - 1)) - 1;
  static constexpr uint16_t kInfinity = 0x8000 - (1 << kFractionBits);

  // All numbers that are not negative; number i has the bits i. The last stands for
  // infinity: as far as rounding goes, it is the next power of 2.
  static const std::vector<double>& AllNumbers() {
    static const std::vector<double> numbers = [] {
      std::vector<double> all;
      for (int exponent = 0; exponent < 1 << Layout<T>::kExponentBits; ++exponent) {
        for (int fraction = 0; fraction < 1 << kFractionBits; ++fraction) {
          const int digits = fraction + (exponent > 0 ? 1 << kFractionBits : 0);
          all.push_back(
              std::ldexp(digits, std::max(exponent, 1) - kBias - kFractionBits));
        }
      }
      all.resize(kInfinity + 1);
      return all;
    }();
    return numbers;
  }

  // The bits of what is nearest to x, which is no nan.
  static uint16_t Nearest(double x) {
    const std::vector<double>& all = AllNumbers();
    const double size = std::abs(x);
    const auto above = std::lower_bound(all.begin(), all.end(), size);
    auto bits =
        static_cast<uint16_t>(std::min<ptrdiff_t>(above - all.begin(), kInfinity));
    if (above != all.end() && bits > 0) {
      const double below = size - all[bits - 1];
      const double beyond = all[bits] - size;
      const bool takes_below = below < beyond || (below == beyond && bits % 2 == 1);
      if (takes_below) --bits;
    }
    return std::signbit(x) ? bits | 0x8000 : bits;
  }

  // Whether all ways to round agree on x and -x.
  static void CheckRounding(float x) {
    for (const float number : {x, -x}) {
      const uint16_t expected = Nearest(number);
      ASSERT_EQ(Layout<T>::BitsOf(number), expected) << std::hexfloat << number;
      ASSERT_EQ(T(number).bits(), expected) << std::hexfloat << number;
      T rows[9];  // of which eight may go through one instruction
      const std::vector<float> numbers(9, number);
      Narrow(numbers.data(), rows, 9);
      ASSERT_EQ(rows[0].bits(), expected) << std::hexfloat << number;
      ASSERT_EQ(rows[8].bits(), expected) << std::hexfloat << number;
    }
  }
};

using HalfTypes = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(HalfNumber, HalfTypes);

TYPED_TEST(HalfNumber, IsTheNumberThatItsBitsSay) {
  const auto& all = this->AllNumbers();
  std::vector<TypeParam> row;
  for (int bits = 0; bits < 1 << 16; ++bits) {
    row.push_back(TypeParam::FromBits(static_cast<uint16_t>(bits)));
    const float number = Layout<TypeParam>::FloatOf(static_cast<uint16_t>(bits));
    const int size = bits & 0x7fff;
    EXPECT_EQ(std::signbit(number), bits >= 0x8000) << bits;
    if (size < this->kInfinity) {
      EXPECT_EQ(std::abs(number), all[size]) << bits;
    } else if (size == this->kInfinity) {
      EXPECT_TRUE(std::isinf(number)) << bits;
    } else {
      EXPECT_TRUE(std::isnan(number)) << bits;
    }
  }
  std::vector<float> wide(row.size());
  Widen(row.data(), wide.data(), static_cast<int64_t>(row.size()));
  for (size_t bits = 0; bits < row.size(); ++bits) {
    const float one = row[bits];
    const float expected = Layout<TypeParam>::FloatOf(static_cast<uint16_t>(bits));
    EXPECT_EQ(std::bit_cast<uint32_t>(wide[bits]), std::bit_cast<uint32_t>(expected));
    EXPECT_EQ(std::bit_cast<uint32_t>(one), std::bit_cast<uint32_t>(expected));
  }
}

TYPED_TEST(HalfNumber, ComesBackFromFloatAsItWas) {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const float number = Layout<TypeParam>::FloatOf(static_cast<uint16_t>(bits));
    const int quiet = std::isnan(number) ? 1 << (this->kFractionBits - 1) : 0;
    EXPECT_EQ(Layout<TypeParam>::BitsOf(number), bits | quiet);
    EXPECT_EQ(TypeParam(number).bits(), bits | quiet);
  }
}

TYPED_TEST(HalfNumber, RoundsToTheNearestAtEveryMidpointAndBesideIt) {
  const auto& all = this->AllNumbers();
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const double middle = (all[i] + all[i + 1]) / 2;
    // Below the smallest bfloat16 there are floats as well, so the middle is always one.
    const auto midpoint = static_cast<float>(middle);
    ASSERT_EQ(midpoint, middle);
    const size_t even = i % 2 == 0 ? i : i + 1;
    ASSERT_EQ(Layout<TypeParam>::BitsOf(midpoint), even);
    this->CheckRounding(midpoint);
    this->CheckRounding(std::nextafter(midpoint, 0.0F));
    this->CheckRounding(std::nextafter(midpoint, std::numeric_limits<float>::infinity()));
  }
}

TYPED_TEST(HalfNumber, RoundsToTheNearestAnywhere) {
  std::mt19937 random(1);
  for (int i = 0; i < 300'000; ++i) {
    const auto number = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(number)) this->CheckRounding(number);
    // Random bits are seldom near 1, where most numbers of float16 are.
    const int exponent = static_cast<int>(random() % 60) - 40;
    this->CheckRounding(static_cast<float>(std::ldexp(random(), exponent - 32)));
  }
}

TYPED_TEST(HalfNumber, KeepsNanQuietWithItsSign) {
  for (const uint32_t nan : {0x7f800001U, 0x7fc00000U, 0x7f812345U, 0x7fffffffU}) {
    for (const uint32_t sign : {0U, 0x80000000U}) {
      const auto x = std::bit_cast<float>(nan | sign);
      const uint16_t high_bits = nan >> (23 - this->kFractionBits);
      const uint16_t expected = sign >> 16 | this->kInfinity |
                                1 << (this->kFractionBits - 1) |
                                (high_bits & ((1 << this->kFractionBits) - 1));
      EXPECT_EQ(Layout<TypeParam>::BitsOf(x), expected) << std::hex << nan;
      EXPECT_EQ(TypeParam(x).bits(), expected) << std::hex << nan;
    }
  }
}

TYPED_TEST(HalfNumber, RowsOfAnyLengthAndPlace) {
  std::vector<float> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = static_cast<float>(i) - 31.5F;
  for (int first = 0; first < 9; ++first) {
    for (int count = 0; count < 40; ++count) {
      std::vector<TypeParam> narrow(64, TypeParam(77));
      Narrow(numbers.data() + first, narrow.data() + first, count);
      std::vector<float> wide(64, 99);
      Widen(narrow.data() + first, wide.data() + first, count);
      for (int i = 0; i < 64; ++i) {
        const bool is_inside = first <= i && i < first + count;
        ASSERT_EQ(float{narrow[i]}, is_inside ? numbers[i] : 77);
        ASSERT_EQ(wide[i], is_inside ? numbers[i] : 99);
      }
    }
  }
}

TYPED_TEST(HalfNumber, ComputesAsIfInDoubleAndRounds) {
  std::mt19937 random(2);
  for (int i = 0; i < 200'000; ++i) {
    const auto x = TypeParam::FromBits(static_cast<uint16_t>(random()));
    const auto y = TypeParam::FromBits(static_cast<uint16_t>(random()));
    const double a = x;
    const double b = y;
    const auto check = [&](TypeParam result, double exact) {
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(result)) << a << ' ' << b;
      } else {
        EXPECT_EQ(result.bits(), this->Nearest(exact)) << a << ' ' << b;
      }
    };
    check(x + y, a + b);
    check(x - y, a - b);
    check(x * y, a * b);
    check(x / y, a / b);
    check(-x, -a);
    EXPECT_EQ(x < y, a < b);
    EXPECT_EQ(x <= y, a <= b);
    EXPECT_EQ(x == y, a == b);
    EXPECT_EQ(x != x, a != a);
    TypeParam z = x;
    z += y;
    z -= x;
    z *= y;
    z /= x;
    check(z, float{(((x + y) - x) * y) / x});
  }
  static_assert(std::is_same_v<decltype(TypeParam(1) + TypeParam(2)), TypeParam>);
  static_assert(std::is_same_v<decltype(TypeParam(1) + 2.0F), float>);
  EXPECT_TRUE(TypeParam(0.0F) == -TypeParam(0.0F));
}

TYPED_TEST(HalfNumber, IsMadeFromAnyNumber) {
  EXPECT_EQ(float{TypeParam(true)}, 1);
  EXPECT_EQ(float{TypeParam(int64_t{-3})}, -3);
  EXPECT_EQ(float{TypeParam(0.5)}, 0.5F);
  EXPECT_EQ(float{TypeParam(float16(1.5F))}, 1.5F);
  EXPECT_EQ(float{TypeParam(bfloat16(1.5F))}, 1.5F);
  EXPECT_EQ(float{TypeParam()}, 0);
  EXPECT_EQ(static_cast<int>(TypeParam(-2.75F)), -2);
  EXPECT_EQ(StrCat(TypeParam(-2.75F)), "-2.75");
  static_assert(
      !std::is_convertible_v<float, TypeParam>);  // it rounds, so it is asked for
  static_assert(std::is_trivially_copyable_v<TypeParam> && sizeof(TypeParam) == 2);
}

TYPED_TEST(HalfNumber, KnowsItsLimits) {
  using Limits = std::numeric_limits<TypeParam>;
  const auto& all = this->AllNumbers();
  EXPECT_EQ(Limits::max(), all[this->kInfinity - 1]);
  EXPECT_EQ(Limits::lowest(), -Limits::max());
  EXPECT_EQ(Limits::denorm_min(), all[1]);
  EXPECT_EQ(Limits::min(), std::ldexp(1, Limits::min_exponent - 1));
  EXPECT_EQ(std::ldexp(1, Limits::max_exponent), all.back());
  EXPECT_EQ(Limits::infinity(), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(Limits::quiet_NaN()));
  EXPECT_TRUE(std::isnan(Limits::signaling_NaN()));
  EXPECT_EQ(Limits::round_error(), 0.5F);
  // epsilon is the step from 1 to the next number.
  const auto one = TypeParam(1);
  EXPECT_EQ(1 + float{Limits::epsilon()}, all[one.bits() + 1]);
  EXPECT_EQ(Limits::digits, this->kFractionBits + 1);
}

TEST(Float16, BecomesAQuietNan) {
  const uint16_t signalling = 0xfd01;  // the first bit of the fraction is not set
  EXPECT_EQ(std::bit_cast<uint32_t>(FloatOfFloat16Bits(signalling)), 0xffe02000U);
  EXPECT_EQ(std::bit_cast<uint32_t>(float{float16::FromBits(signalling)}), 0xffe02000U);
}

TEST(HalfLimits, CountDecimalDigitsAsC) {
  // From the formulas of C for 11 and 8 binary digits.
  using Limits16 = std::numeric_limits<float16>;
  using LimitsB16 = std::numeric_limits<bfloat16>;
  EXPECT_EQ(Limits16::digits10, 3);
  EXPECT_EQ(Limits16::max_digits10, 5);
  EXPECT_EQ(Limits16::max_exponent10, 4);
  EXPECT_EQ(Limits16::min_exponent10, -4);
  EXPECT_EQ(LimitsB16::digits10, 2);
  EXPECT_EQ(LimitsB16::max_digits10, 4);
  EXPECT_EQ(LimitsB16::max_exponent10, 38);
  EXPECT_EQ(LimitsB16::min_exponent10, -37);
}

}  // namespace
}  // namespace minitf
