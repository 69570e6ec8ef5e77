// The logarithm of the gamma function and its derivative, digamma, element by element.
//
// Op         minitf/ops/cwise/cwise_unary_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_lgamma.cc, cwise_op_digamma.cc
// Read next  kernels/cpu/common/arithmetic.h

#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

struct Lgamma {
  template <typename T>
  static T Apply(T x) {
    // std::lgamma writes the sign of its result to a variable that all threads share.
    int sign = 0;
    if constexpr (std::is_same_v<T, float>) {
      return lgammaf_r(x, &sign);
    } else {
      return lgamma_r(x, &sign);
    }
  }
};

// From digamma(x) = digamma(x + 1) - 1 / x (Abramowitz and Stegun 1964, 6.3.18); below 0
// by reflection at 1/2.
double DigammaOf(double x) {
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0) {
    const double beyond = x - std::nearbyint(x);  // tan repeats itself
    return DigammaOf(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * beyond);
  }
  double sum = 0;
  for (; x < 10; x += 1) sum -= 1 / x;
  constexpr double kTerms[] = {1. / 12,  -1. / 120,     1. / 252, -1. / 240,
                               1. / 132, -691. / 32760, 1. / 12};
  const double z = 1 / (x * x);
  double series = 0;
  for (int i = 6; i >= 0; --i) series = z * (kTerms[i] + series);
  return sum + std::log(x) - 1 / (2 * x) - series;
}

struct Digamma {
  template <typename T>
  static T Apply(T x) {
    return static_cast<T>(DigammaOf(x));
  }
};

[[maybe_unused]] const bool kCwiseGammaRegistered = [] {
  RegisterUnary<Lgamma>("Lgamma", RealTypes{}, 20);
  RegisterUnary<Digamma>("Digamma", RealTypes{}, 20);
  return true;
}();

}  // namespace
}  // namespace minitf
