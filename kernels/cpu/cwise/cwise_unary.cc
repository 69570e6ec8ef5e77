// Functions of one input, element by element: powers, exponentials, angles, roundings.
//
// An op is registered with a function of one element and, where Eigen computes 4 to 16
// elements at a time, with the same function of an Eigen array: exp then takes a tenth of
// the time of std::exp.
//
// Op         minitf/ops/cwise/cwise_unary_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_sin.cc and its neighbours
// Read next  kernels/cpu/cwise/cwise_unary_more.cc

#include <cmath>
#include <complex>

#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

constexpr RealTypes kReal;
constexpr auto kAll = RealTypes{} + ComplexTypes{};

// The number is the time for one element in nanoseconds.
[[maybe_unused]] const bool kCwiseUnaryRegistered = [] {
  RegisterUnary(
      "Sqrt", kAll, 1, [](auto x) { return std::sqrt(x); },
      [](const auto& x) { return SqrtOf(x); });
  RegisterUnary(
      "Rsqrt", kAll, 2, []<typename T>(T x) { return T(1) / std::sqrt(x); },
      [](const auto& x) { return SqrtOf(x).inverse(); });
  RegisterUnary(
      "Exp", kAll, 2, [](auto x) { return std::exp(x); },
      [](const auto& x) { return ExpOf(x); });
  RegisterUnary(
      "Log", kAll, 2, [](auto x) { return std::log(x); },
      [](const auto& x) { return LogOf(x); });
  RegisterUnary(
      "Sin", kAll, 3, [](auto x) { return std::sin(x); },
      [](const auto& x) { return x.sin(); });
  RegisterUnary(
      "Cos", kAll, 3, [](auto x) { return std::cos(x); },
      [](const auto& x) { return x.cos(); });
  RegisterUnary("Tan", kAll, 10, [](auto x) { return std::tan(x); });
  RegisterUnary("Asin", kAll, 10, [](auto x) { return std::asin(x); });
  RegisterUnary("Acos", kAll, 10, [](auto x) { return std::acos(x); });
  RegisterUnary("Atan", kAll, 10, [](auto x) { return std::atan(x); });
  RegisterUnary("Sinh", kAll, 10, [](auto x) { return std::sinh(x); });
  RegisterUnary("Cosh", kAll, 10, [](auto x) { return std::cosh(x); });
  RegisterUnary(
      "Tanh", kAll, 3, [](auto x) { return std::tanh(x); },
      [](const auto& x) { return x.tanh(); });
  RegisterUnary("Asinh", kAll, 10, [](auto x) { return std::asinh(x); });
  RegisterUnary("Acosh", kAll, 10, [](auto x) { return std::acosh(x); });
  RegisterUnary("Atanh", kAll, 10, [](auto x) { return std::atanh(x); });
  RegisterUnary(
      "Sigmoid", kAll, 3, []<typename T>(T x) { return T(1) / (T(1) + std::exp(-x)); },
      [](const auto& x) { return ((-x).exp() + 1).inverse(); });
  RegisterUnary("Erf", kReal, 10, [](auto x) { return std::erf(x); });
  RegisterUnary("Erfc", kReal, 10, [](auto x) { return std::erfc(x); });
  RegisterUnary(
      "Floor", kReal, 1, [](auto x) { return std::floor(x); },
      [](const auto& x) { return x.floor(); });
  RegisterUnary(
      "Ceil", kReal, 1, [](auto x) { return std::ceil(x); },
      [](const auto& x) { return x.ceil(); });
  RegisterUnary(
      "Rint", kReal, 1, [](auto x) { return std::nearbyint(x); },
      [](const auto& x) { return x.rint(); });
  return true;
}();

}  // namespace
}  // namespace minitf
