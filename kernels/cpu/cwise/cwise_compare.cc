// Comparisons, logic and bits, element by element.
//
// Op         minitf/ops/cwise/cwise_binary_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_less.cc and its neighbours
// Read next  kernels/cpu/math/matmul.cc

#include <string>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/cwise/cwise.h"

namespace minitf {
namespace {

// ---- Yes or no ------------------------------------------------------------------------

struct Less {
  template <typename T>
  static bool Apply(T x, T y) {
    return x < y;
  }
};

struct LessEqual {
  template <typename T>
  static bool Apply(T x, T y) {
    return x <= y;
  }
};

struct LogicalAnd {
  static bool Apply(bool x, bool y) { return x && y; }
};

struct LogicalOr {
  static bool Apply(bool x, bool y) { return x || y; }
};

// ---- Bits -----------------------------------------------------------------------------

// Shifts by less than 0 or by all bits have no meaning in C++.
template <typename T>
int ShiftWithinBits(T y) {
  constexpr int kLast = 8 * sizeof(T) - 1;
  if (y < T(0)) return 0;
  return y > T(kLast) ? kLast : static_cast<int>(y);
}

// ---- Registration ---------------------------------------------------------------------

// x > y is y < x: the loop of Less with its inputs exchanged.
template <BinaryLoop kLoop>
void Exchanged(const void* x, const void* y, void* z, int64_t count, bool x_moves,
               bool y_moves) {
  kLoop(y, x, z, count, y_moves, x_moves);
}

template <typename Function, typename... Ts>
void RegisterExchanged(const std::string& op, Types<Ts...>) {
  (RegisterBinaryLoop(Kernel(op).Type<Ts>("T"), Exchanged<BinaryLoopOf<Function, Ts>()>,
                      1, nullptr),
   ...);
}

[[maybe_unused]] const bool kCwiseCompareRegistered = [] {
  constexpr auto integers = SignedTypes{} + UnsignedTypes{};
  constexpr auto ordered = RealTypes{} + integers;
  constexpr auto any = ordered + ComplexTypes{} + Types<bool, std::string>{};

  RegisterBinary<Less>("Less", ordered);
  RegisterBinary<LessEqual>("LessEqual", ordered);
  RegisterExchanged<Less>("Greater", ordered);
  RegisterExchanged<LessEqual>("GreaterEqual", ordered);
  RegisterBinary("Equal", any, 1, [](const auto& x, const auto& y) { return x == y; });
  RegisterBinary("NotEqual", any, 1, [](const auto& x, const auto& y) { return x != y; });

  RegisterBinaryLoop(Kernel("LogicalAnd"), ComputeBinary<LogicalAnd, bool>, 1, nullptr);
  RegisterBinaryLoop(Kernel("LogicalOr"), ComputeBinary<LogicalOr, bool>, 1, nullptr);
  RegisterBinary("BitwiseAnd", integers, 1,
                 []<typename T>(T x, T y) { return static_cast<T>(x & y); });
  RegisterBinary("BitwiseOr", integers, 1,
                 []<typename T>(T x, T y) { return static_cast<T>(x | y); });
  RegisterBinary("BitwiseXor", integers, 1,
                 []<typename T>(T x, T y) { return static_cast<T>(x ^ y); });
  RegisterBinary("LeftShift", integers, 1, []<typename T>(T x, T y) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << ShiftWithinBits(y));
  });
  RegisterBinary("RightShift", integers, 1, []<typename T>(T x, T y) {
    return static_cast<T>(x >> ShiftWithinBits(y));
  });
  return true;
}();

}  // namespace
}  // namespace minitf
