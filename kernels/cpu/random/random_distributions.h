// Distributions: from random bits to numbers that are spread in a certain way.
//
// A distribution turns blocks of a Philox into groups of numbers:
//
//   kGroup      numbers in a group: as many as fit into one block of four times 32 bits
//   kBlocks     blocks that a group takes from the stream; group i starts at i * kBlocks
//   operator()  the numbers of the group whose blocks `generator` gives
//
// Since every group knows where its blocks are, groups can be filled by any thread.
//
//   uniform     the bits become the fraction of a number in [1,2), less 1
//   normal      Box and Muller (1958): two uniform numbers are an angle and a radius
//   truncated   normal numbers, drawn again where they are 2 or more from 0
//
// Compare    tensorflow/core/lib/random/random_distributions.h
// Read next  kernels/cpu/common/device_memory.h

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "minitf/framework/random.h"
#include "minitf/tensor/half.h"

namespace minitf {

/// Numbers in [0,1), of as many bits as the fraction of their type has.
inline float UniformFloat(uint32_t bits) {
  return std::bit_cast<float>((127U << 23) | (bits & 0x7fffffU)) - 1.0F;
}
inline double UniformDouble(uint32_t high, uint32_t low) {
  const uint64_t fraction = uint64_t{high & 0xfffffU} << 32 | low;
  return std::bit_cast<double>((uint64_t{1023} << 52) | fraction) - 1.0;
}
inline float16 UniformHalf(uint32_t bits) {
  const auto fraction = static_cast<uint16_t>(bits & 0x3ffU);
  return float16::FromBits((15U << 10) | fraction) - float16(1);
}
inline bfloat16 UniformBfloat16(uint32_t bits) {
  const float x = std::bit_cast<float>((127U << 23) | (bits & 0x7fU) << 16) - 1.0F;
  return bfloat16::FromBits(std::bit_cast<uint32_t>(x) >>
                            16);  // of x all digits are there
}

/// How many numbers of type T a block makes.
template <typename T>
constexpr int kNumbersPerBlock = sizeof(T) == 8 ? 2 : 4;

/// Uniform in [0,1).
template <typename T>
struct UniformDistribution {
  static constexpr int kGroup = kNumbersPerBlock<T>;
  static constexpr int kBlocks = 1;

  std::array<T, kGroup> operator()(Philox generator) const {
    const Philox::Block bits = generator();
    std::array<T, kGroup> numbers;
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        numbers[i] = UniformDouble(bits[2 * i], bits[2 * i + 1]);
      } else if constexpr (std::is_same_v<T, float16>) {
        numbers[i] = UniformHalf(bits[i]);
      } else if constexpr (std::is_same_v<T, bfloat16>) {
        numbers[i] = UniformBfloat16(bits[i]);
      } else {
        numbers[i] = UniformFloat(bits[i]);
      }
    }
    return numbers;
  }
};

/// Uniform integers in [low, high). Requires: low < high.
template <typename T>
struct UniformIntDistribution {
  static constexpr int kGroup = kNumbersPerBlock<T>;
  static constexpr int kBlocks = 1;
  using Unsigned = std::make_unsigned_t<T>;

  UniformIntDistribution(T low, T high)
      : low(static_cast<Unsigned>(low)),
        range(static_cast<Unsigned>(high) - static_cast<Unsigned>(low)) {}

  std::array<T, kGroup> operator()(Philox generator) const {
    const Philox::Block bits = generator();
    std::array<T, kGroup> numbers;
    for (int i = 0; i < kGroup; ++i) {
      Unsigned number = 0;
      if constexpr (sizeof(T) == 8) {
        number = uint64_t{bits[2 * i + 1]} << 32 | bits[2 * i];
      } else {
        number = bits[i];
      }
      numbers[i] = static_cast<T>(low + number % range);
    }
    return numbers;
  }

  Unsigned low;
  Unsigned range;
};

/// Two normal numbers of mean 0 and deviation 1 from random bits. T is float or double.
template <typename T>
std::array<T, 2> BoxMuller(T uniform_radius, T uniform_angle) {
  // A radius of 0 would have an infinite logarithm.
  const T smallest = static_cast<T>(1.0e-7);
  const T angle = static_cast<T>(2 * std::numbers::pi * uniform_angle);
  const T radius = std::sqrt(T{-2} * std::log(std::max(uniform_radius, smallest)));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

/// Normal numbers of type T, two at a time, from a source of 32 random bits.
template <typename T, typename Bits>
std::array<T, 2> NormalPair(Bits& next) {
  if constexpr (std::is_same_v<T, double>) {
    const uint32_t a = next();
    const uint32_t b = next();
    const uint32_t c = next();
    const uint32_t d = next();
    return BoxMuller(UniformDouble(a, b), UniformDouble(c, d));
  } else {
    const uint32_t a = next();
    const uint32_t b = next();
    const auto pair = BoxMuller(UniformFloat(a), UniformFloat(b));
    return {static_cast<T>(pair[0]), static_cast<T>(pair[1])};
  }
}

/// Normal, with mean 0 and deviation 1.
template <typename T>
struct NormalDistribution {
  static constexpr int kGroup = kNumbersPerBlock<T>;
  static constexpr int kBlocks = 1;

  std::array<T, kGroup> operator()(Philox generator) const {
    PhiloxNumbers bits(generator);
    std::array<T, kGroup> numbers;
    for (int i = 0; i < kGroup; i += 2) {
      const auto pair = NormalPair<T>(bits);
      numbers[i] = pair[0];
      numbers[i + 1] = pair[1];
    }
    return numbers;
  }
};

/// Normal numbers that are less than 2 from 0.
template <typename T>
struct TruncatedNormalDistribution {
  static constexpr int kGroup = kNumbersPerBlock<T>;
  static constexpr int kBlocks =
      kGroup * static_cast<int>(KernelRandom::kBlocksPerOutput) / 4;

  std::array<T, kGroup> operator()(Philox generator) const {
    // float16 and bfloat16 are cut while they are floats still.
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    PhiloxNumbers bits(generator);
    std::array<T, kGroup> numbers;
    int count = 0;
    while (count < kGroup) {
      for (const Wide number : NormalPair<Wide>(bits)) {
        const bool is_kept = std::abs(number) < Wide{2} && count < kGroup;
        if (is_kept) numbers[count++] = static_cast<T>(number);
      }
    }
    return numbers;
  }
};

}  // namespace minitf
