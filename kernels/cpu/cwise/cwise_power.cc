// Powers, logarithms and angles of two inputs; complex numbers of two parts; and the ops
// that pass a gradient back through a function whose result is known.
//
// Op         minitf/ops/cwise/cwise_binary_ops.cc, minitf/ops/cwise/cwise_unary_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_pow.cc, cwise_ops_gradients.h
// Read next  kernels/cpu/cwise/cwise_compare.cc

#include <cmath>
#include <complex>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

struct Pow {
  template <typename T>
  static Status Check(const Tensor& y) {
    for (const T element : y.flat<T>()) {
      if (element >= 0) continue;
      return errors::InvalidArgument(
          "Integers to negative integer powers are not allowed, a power is ", element);
    }
    return {};
  }

  template <typename T>
  static T Apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      // Squares of squares: one step for each bit of y.
      T result = 1;
      for (; y > 0; y >>= 1) {
        if (y & 1) result = WrapMultiply(result, x);
        x = WrapMultiply(x, x);
      }
      return result;
    } else {
      return std::pow(x, y);
    }
  }
};

struct Complex {
  template <typename T>
  static std::complex<T> Apply(T real, T imag) {
    return {real, imag};
  }
};

// ---- Gradients: y is the result of the function, dy is dL/dy --------------------------
// As in TensorFlow, the first three conjugate a complex y, and for the last two the
// caller does; and the first three are 0 where dy is, even if the slope is not finite.

template <typename T>
T Conjugate(T x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

struct ReciprocalGrad {
  static constexpr bool kNeedsOneShape = true;
  template <typename T>
  static T Apply(T y, T dy) {
    return dy == T(0) ? T(0) : -dy * Conjugate(y) * Conjugate(y);
  }
};

struct SqrtGrad {
  static constexpr bool kNeedsOneShape = true;
  template <typename T>
  static T Apply(T y, T dy) {
    return dy == T(0) ? T(0) : dy * T(0.5) / Conjugate(y);
  }
};

struct RsqrtGrad {
  static constexpr bool kNeedsOneShape = true;
  template <typename T>
  static T Apply(T y, T dy) {
    const T cube = y * y * y;
    return dy == T(0) ? T(0) : T(-0.5) * dy * Conjugate(cube);
  }
};

struct SigmoidGrad {
  static constexpr bool kNeedsOneShape = true;
  template <typename T>
  static T Apply(T y, T dy) {
    return dy * y * (T(1) - y);
  }
};

struct TanhGrad {
  static constexpr bool kNeedsOneShape = true;
  template <typename T>
  static T Apply(T y, T dy) {
    return dy * (T(1) - y * y);
  }
};

[[maybe_unused]] const bool kCwisePowerRegistered = [] {
  constexpr RealTypes real;
  constexpr auto all = RealTypes{} + ComplexTypes{};
  constexpr Types<int32_t, int64_t> integers;

  RegisterBinary<Pow>("Pow", all + integers, 20);
  RegisterBinary("Atan2", real, 20, [](auto x, auto y) { return std::atan2(x, y); });
  RegisterBinary("Xlogy", all, 10,
                 []<typename T>(T x, T y) { return x == T(0) ? T(0) : x * std::log(y); });
  RegisterBinaryLoop(Kernel("Complex").Type<float>("T").Type<complex64>("Tout"),
                     ComputeBinary<Complex, float>, 1, nullptr);
  RegisterBinaryLoop(Kernel("Complex").Type<double>("T").Type<complex128>("Tout"),
                     ComputeBinary<Complex, double>, 1, nullptr);

  RegisterBinary<ReciprocalGrad>("ReciprocalGrad", all);
  RegisterBinary<ReciprocalGrad>("InvGrad", all);
  RegisterBinary<SqrtGrad>("SqrtGrad", all);
  RegisterBinary<RsqrtGrad>("RsqrtGrad", all);
  RegisterBinary<SigmoidGrad>("SigmoidGrad", all);
  RegisterBinary<TanhGrad>("TanhGrad", all);
  return true;
}();

}  // namespace
}  // namespace minitf
