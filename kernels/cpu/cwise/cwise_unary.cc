// Functions of one input, element by element: powers, exponentials, angles, roundings.
//
// Each is a struct that says what to do with one element, and a line that registers it.
// OnLanes is the same function on an Eigen array, where Eigen computes 4 to 16 elements
// at a time: exp takes a tenth of the time of std::exp.
//
// Op         minitf/ops/cwise/cwise_unary_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_sin.cc and its neighbours
// Read next  kernels/cpu/cwise/cwise_unary_more.cc

#include <cmath>
#include <complex>

#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

struct Sqrt {
  template <typename T>
  static T Apply(T x) {
    return std::sqrt(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return SqrtOf(x);
  }
};

struct Rsqrt {
  template <typename T>
  static T Apply(T x) {
    return T(1) / std::sqrt(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return SqrtOf(x).inverse();
  }
};

struct Exp {
  template <typename T>
  static T Apply(T x) {
    return std::exp(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return ExpOf(x);
  }
};

struct Log {
  template <typename T>
  static T Apply(T x) {
    return std::log(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return LogOf(x);
  }
};

struct Sin {
  template <typename T>
  static T Apply(T x) {
    return std::sin(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return x.sin();
  }
};

struct Cos {
  template <typename T>
  static T Apply(T x) {
    return std::cos(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return x.cos();
  }
};

struct Tan {
  template <typename T>
  static T Apply(T x) {
    return std::tan(x);
  }
};

struct Asin {
  template <typename T>
  static T Apply(T x) {
    return std::asin(x);
  }
};

struct Acos {
  template <typename T>
  static T Apply(T x) {
    return std::acos(x);
  }
};

struct Atan {
  template <typename T>
  static T Apply(T x) {
    return std::atan(x);
  }
};

struct Sinh {
  template <typename T>
  static T Apply(T x) {
    return std::sinh(x);
  }
};

struct Cosh {
  template <typename T>
  static T Apply(T x) {
    return std::cosh(x);
  }
};

struct Tanh {
  template <typename T>
  static T Apply(T x) {
    return std::tanh(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return x.tanh();
  }
};

struct Asinh {
  template <typename T>
  static T Apply(T x) {
    return std::asinh(x);
  }
};

struct Acosh {
  template <typename T>
  static T Apply(T x) {
    return std::acosh(x);
  }
};

struct Atanh {
  template <typename T>
  static T Apply(T x) {
    return std::atanh(x);
  }
};

struct Sigmoid {
  template <typename T>
  static T Apply(T x) {
    return T(1) / (T(1) + std::exp(-x));
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return ((-x).exp() + 1).inverse();
  }
};

struct Erf {
  template <typename T>
  static T Apply(T x) {
    return std::erf(x);
  }
};

struct Erfc {
  template <typename T>
  static T Apply(T x) {
    return std::erfc(x);
  }
};

struct Floor {
  template <typename T>
  static T Apply(T x) {
    return std::floor(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return x.floor();
  }
};

struct Ceil {
  template <typename T>
  static T Apply(T x) {
    return std::ceil(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return x.ceil();
  }
};

struct Rint {
  template <typename T>
  static T Apply(T x) {
    return std::nearbyint(x);
  }
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return x.rint();
  }
};

constexpr RealTypes kReal;
constexpr auto kAll = RealTypes{} + ComplexTypes{};

// The last number is the time for one element in nanoseconds.
[[maybe_unused]] const bool kCwiseUnaryRegistered = [] {
  RegisterUnary<Sqrt>("Sqrt", kAll);
  RegisterUnary<Rsqrt>("Rsqrt", kAll, 2);
  RegisterUnary<Exp>("Exp", kAll, 2);
  RegisterUnary<Log>("Log", kAll, 2);
  RegisterUnary<Sin>("Sin", kAll, 3);
  RegisterUnary<Cos>("Cos", kAll, 3);
  RegisterUnary<Tan>("Tan", kAll, 10);
  RegisterUnary<Asin>("Asin", kAll, 10);
  RegisterUnary<Acos>("Acos", kAll, 10);
  RegisterUnary<Atan>("Atan", kAll, 10);
  RegisterUnary<Sinh>("Sinh", kAll, 10);
  RegisterUnary<Cosh>("Cosh", kAll, 10);
  RegisterUnary<Tanh>("Tanh", kAll, 3);
  RegisterUnary<Asinh>("Asinh", kAll, 10);
  RegisterUnary<Acosh>("Acosh", kAll, 10);
  RegisterUnary<Atanh>("Atanh", kAll, 10);
  RegisterUnary<Sigmoid>("Sigmoid", kAll, 3);
  RegisterUnary<Erf>("Erf", kReal, 10);
  RegisterUnary<Erfc>("Erfc", kReal, 10);
  RegisterUnary<Floor>("Floor", kReal);
  RegisterUnary<Ceil>("Ceil", kReal);
  RegisterUnary<Rint>("Rint", kReal);
  return true;
}();

}  // namespace
}  // namespace minitf
