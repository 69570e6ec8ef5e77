// Sums, differences, products, quotients, element by element.
//
// Integers never trap: they wrap around, and a zero to divide by is found before anything
// is divided.
//
// Op         minitf/ops/cwise/cwise_binary_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_add_1.cc and its neighbours
// Read next  kernels/cpu/cwise/cwise_power.cc

#include <cmath>
#include <complex>
#include <string>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

// ---- Sums and products ----------------------------------------------------------------

struct Add {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    return WrapAdd(x, y);
  }
};

struct SquaredDifference {
  template <typename T>
  static T Apply(T x, T y) {
    const T difference = WrapSubtract(x, y);
    if constexpr (kIsComplex<T>) {
      return difference * std::conj(difference);
    } else {
      return WrapMultiply(difference, difference);
    }
  }
};

// ---- Quotients and remainders ---------------------------------------------------------

template <typename T>
Status CheckNoZero(const Tensor& y) {
  for (const T element : y.flat<T>()) {
    if (element == 0) return errors::InvalidArgument("Integer division by zero");
  }
  return {};
}

// The integer x / y, rounded toward zero. The lowest number divided by -1 wraps around.
template <typename T>
T Quotient(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    if (y == T(-1)) return WrapSubtract(T(0), x);
  }
  return static_cast<T>(x / y);
}

template <typename T>
T Remainder(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(x, y);
  } else {
    return WrapSubtract(x, WrapMultiply(Quotient(x, y), y));
  }
}

struct Div {
  template <typename T>
  static Status Check(const Tensor& y) {
    return CheckNoZero<T>(y);
  }
  template <typename T>
  static T Apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      return Quotient(x, y);
    } else {
      return x / y;
    }
  }
};

// Types of 16 bits round the quotient before they cut it: of bfloat16, 1 // 0.1 is 10.
template <typename T>
ComputeType<T> RoundedQuotient(T x, T y) {
  return static_cast<ComputeType<T>>(x / y);
}

struct TruncateDiv : Div {
  static constexpr bool kTakesHalf = true;
  template <typename T>
  static T Apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      return Quotient(x, y);
    } else {
      return static_cast<T>(std::trunc(RoundedQuotient(x, y)));
    }
  }
};

struct FloorDiv : Div {
  static constexpr bool kTakesHalf = true;
  template <typename T>
  static T Apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      const T quotient = Quotient(x, y);
      const bool is_rounded_up = Remainder(x, y) != 0 && (x < 0) != (y < 0);
      return is_rounded_up ? WrapSubtract(quotient, T(1)) : quotient;
    } else {
      return static_cast<T>(std::floor(RoundedQuotient(x, y)));
    }
  }
};

struct TruncateMod : Div {
  template <typename T>
  static T Apply(T x, T y) {
    return Remainder(x, y);
  }
};

struct FloorMod : Div {
  template <typename T>
  static T Apply(T x, T y) {
    const T remainder = Remainder(x, y);
    const bool has_other_sign = remainder != T(0) && (remainder < T(0)) != (y < T(0));
    return has_other_sign ? WrapAdd(remainder, y) : remainder;
  }
};

[[maybe_unused]] const bool kCwiseArithmeticRegistered = [] {
  constexpr RealTypes real;
  constexpr ComplexTypes complex;
  constexpr Types<int32_t, int64_t> wide;
  constexpr Types<uint8_t, int8_t, int16_t> narrow;
  constexpr auto ordered = real + SignedTypes{} + UnsignedTypes{};
  constexpr auto divisible = real + wide + narrow + Types<uint16_t>{};
  constexpr auto numbers = divisible + complex;

  RegisterBinary<Add>("Add", real + wide + narrow + complex + Types<std::string>{});
  RegisterBinary<Add>("AddV2", numbers);
  RegisterBinary("Sub", numbers, 1, [](auto x, auto y) { return WrapSubtract(x, y); });
  RegisterBinary("Mul", numbers, 1, [](auto x, auto y) { return WrapMultiply(x, y); });
  RegisterBinary("MulNoNan", real + complex, 1,
                 []<typename T>(T x, T y) { return y == T(0) ? T(0) : x * y; });
  RegisterBinary<SquaredDifference>("SquaredDifference", real + wide + complex);
  // Not a number if x or y is not one.
  RegisterBinary("Maximum", ordered, 1,
                 [](auto x, auto y) { return x > y || x != x ? x : y; });
  RegisterBinary("Minimum", ordered, 1,
                 [](auto x, auto y) { return x < y || x != x ? x : y; });

  RegisterBinary<Div>("Div", numbers, 2);
  RegisterBinary<Div>("RealDiv", real + complex, 2);
  RegisterBinary<TruncateDiv>("TruncateDiv", divisible, 2);
  RegisterBinary<FloorDiv>("FloorDiv", divisible, 4);
  RegisterBinary<TruncateMod>("Mod", real + wide, 5);
  RegisterBinary<TruncateMod>("TruncateMod", real + wide, 5);
  RegisterBinary<FloorMod>("FloorMod", real + wide, 5);
  RegisterBinary("DivNoNan", real + complex, 2,
                 []<typename T>(T x, T y) { return y == T(0) ? T(0) : x / y; });
  RegisterBinary("Xdivy", real + complex, 2,
                 []<typename T>(T x, T y) { return x == T(0) ? T(0) : x / y; });
  return true;
}();

}  // namespace
}  // namespace minitf
