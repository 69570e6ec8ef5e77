// Special functions of two inputs, element by element, as Eigen has them.
//
// Op         minitf/ops/cwise/special_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_igammas.cc, cwise_op_zeta.cc
// Read next  kernels/cpu/cwise/cwise_power.cc

#include <cmath>
#include <unsupported/Eigen/SpecialFunctions>

#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

struct Zeta {
  template <typename T>
  static T Apply(T x, T q) {
    if (x > 1 && q > 1 && std::pow(q, -x) == 0) {
      // Eigen makes nan of terms of 0. Their sum is about the integral.
      return std::pow(q, 1 - x) / (x - 1);
    }
    return Eigen::numext::zeta(x, q);
  }
};

struct Polygamma {
  template <typename T>
  static T Apply(T a, T x) {
    // All derivatives go to 0, of which Eigen makes a product with infinity.
    if (a > 0 && a == std::floor(a) && std::isinf(x) && x > 0) return 0;
    return Eigen::numext::polygamma(a, x);
  }
};

[[maybe_unused]] const bool kCwiseSpecialRegistered = [] {
  constexpr Types<float, double> types;
  RegisterBinary("Igamma", types, 100,
                 [](auto a, auto x) { return Eigen::numext::igamma(a, x); });
  RegisterBinary("IgammaGradA", types, 200,
                 [](auto a, auto x) { return Eigen::numext::igamma_der_a(a, x); });
  RegisterBinary("Igammac", types, 100,
                 [](auto a, auto x) { return Eigen::numext::igammac(a, x); });
  RegisterBinary<Zeta>("Zeta", types, 100);
  RegisterBinary<Polygamma>("Polygamma", types, 100);
  RegisterBinary("NextAfter", types, 5,
                 [](auto x1, auto x2) { return std::nextafter(x1, x2); });
  return true;
}();

}  // namespace
}  // namespace minitf
