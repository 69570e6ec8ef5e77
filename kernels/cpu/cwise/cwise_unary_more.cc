// Functions of one input, element by element, that take care of something: of integers
// that wrap around, of exactness near 0, of complex numbers.
//
// Op         minitf/ops/cwise/cwise_unary_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_abs.cc and its neighbours
// Read next  kernels/cpu/cwise/cwise_gamma.cc

#include <cmath>
#include <complex>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

// ---- Integers too ---------------------------------------------------------------------

struct Abs {
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? WrapSubtract(T(0), x) : x;
    } else {
      return std::abs(x);
    }
  }
};

struct Neg {
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return WrapSubtract(T(0), x);
    } else {
      return -x;
    }
  }
};

struct Sign {
  template <typename T>
  static T Apply(T x) {
    if constexpr (kIsComplex<T>) {
      const auto size = std::abs(x);
      return size == 0 ? T(0) : x / size;
    } else {
      // What is not a number has no sign: it stays as it is.
      return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == x ? T(0) : x;
    }
  }
};

struct Round {
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::nearbyint(x);  // of two, the even one
    }
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return x.rint();
  }
};

struct Invert {
  template <typename T>
  static T Apply(T x) {
    return static_cast<T>(~x);
  }
};

// ---- Exact near 0 ---------------------------------------------------------------------

struct Reciprocal {
  template <typename T>
  static T Apply(T x) {
    return T(1) / x;
  }
};

struct Expm1 {
  template <typename T>
  static T Apply(T x) {
    if constexpr (kIsComplex<T>) {
      // exp(a + bi) - 1, by parts: e^a cos b - 1 = expm1(a) cos b - 2 sin^2(b / 2)
      const auto half_sine = std::sin(x.imag() / 2);
      const auto grown = std::expm1(x.real());
      return {grown * std::cos(x.imag()) - 2 * half_sine * half_sine,
              (grown + 1) * std::sin(x.imag())};
    } else {
      return std::expm1(x);
    }
  }
};

struct Log1p {
  template <typename T>
  static T Apply(T x) {
    if constexpr (kIsComplex<T>) {
      const auto a = x.real();
      const auto b = x.imag();
      if (!(std::abs(a) < 0.5 && std::abs(b) < 0.5)) return std::log(T(1 + a, b));
      // |1 + x|^2 = 1 + (2 a + a^2 + b^2)
      return {std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a)};
    } else {
      return std::log1p(x);
    }
  }
};

struct LogicalNot {
  static bool Apply(bool x) { return !x; }
};

// ---- Complex numbers ------------------------------------------------------------------

// A real number that `OfElement` makes of a complex one.
template <typename OfElement>
void RegisterOfComplex(const std::string& op, OfElement) {
  using Function = Elementwise<OfElement>;
  RegisterUnaryLoop(Kernel(op).Type<complex64>("T").Type<float>("Tout"),
                    ComputeUnary<Function, complex64>, 5);
  RegisterUnaryLoop(Kernel(op).Type<complex128>("T").Type<double>("Tout"),
                    ComputeUnary<Function, complex128>, 5);
}

[[maybe_unused]] const bool kCwiseUnaryMoreRegistered = [] {
  constexpr RealTypes real;
  constexpr ComplexTypes complex;
  constexpr SignedTypes integers;
  constexpr UnsignedTypes unsigned_integers;
  RegisterUnary<Abs>("Abs", real + integers);
  RegisterUnary<Neg>("Neg", real + integers + complex);
  RegisterUnary("Square", real + integers + complex, 1,
                [](auto x) { return WrapMultiply(x, x); });
  RegisterUnary<Sign>("Sign", real + integers + complex);
  RegisterUnary<Round>("Round", real + integers);
  RegisterUnary<Invert>("Invert", integers + unsigned_integers);
  RegisterUnary<Reciprocal>("Reciprocal", real + complex);
  RegisterUnary<Reciprocal>("Inv", real + complex);
  RegisterUnary<Expm1>("Expm1", real + complex, 10);
  RegisterUnary<Log1p>("Log1p", real + complex, 10);
  RegisterUnary("IsNan", real, 1, [](auto x) { return std::isnan(x); });
  RegisterUnary("IsInf", real, 1, [](auto x) { return std::isinf(x); });
  RegisterUnary("IsFinite", real, 1, [](auto x) { return std::isfinite(x); });
  RegisterUnaryLoop(Kernel("LogicalNot"), ComputeUnary<LogicalNot, bool>, 1);
  RegisterUnary("Conj", complex, 1, [](auto x) { return std::conj(x); });
  RegisterOfComplex("Real", [](auto x) { return x.real(); });
  RegisterOfComplex("Imag", [](auto x) { return x.imag(); });
  RegisterOfComplex("Angle", [](auto x) { return std::arg(x); });
  RegisterOfComplex("ComplexAbs", [](auto x) { return std::abs(x); });
  return true;
}();

}  // namespace
}  // namespace minitf
