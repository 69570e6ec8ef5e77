// Element-wise kernels: one class for all ops of one input, one for all of two.
//
// What differs between Sin and Exp is a loop over plain memory. So an op is a struct with
// a function Apply for one element,
//
//   struct Square {
//     template <typename T>
//     static T Apply(T x) { return x * x; }
//   };
//
// and a line that registers the loops made from it, one for each element type:
//
//   RegisterUnary<Square>("Square", RealTypes{});
//
// If Eigen has vector instructions for a function, the struct has a second function,
// OnLanes, which returns an Eigen expression for the elements of a vector register; float
// and double use it. float16 and bfloat16 are computed as float, block by block.
//
// Compare    tensorflow/core/kernels/cwise_ops.h, cwise_ops_common.h
// Read next  kernels/cpu/math/reduction_plan.h

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/lanes.h"
#include "minitf/framework/elementwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {

// ---- One input ------------------------------------------------------------------------

class UnaryOp final : public OpKernel {
 public:
  /// `cost` is the time for one element in nanoseconds.
  UnaryOp(OpKernelConstruction* construction, UnaryLoop loop, int64_t cost)
      : OpKernel(construction), loop_(loop), cost_(cost) {}

  void Compute(OpKernelContext* ctx) override;

 private:
  const UnaryLoop loop_;
  const int64_t cost_;
};

void RegisterUnaryLoop(const Kernel& kernel, UnaryLoop loop, int64_t cost);

/// Whether Function can compute elements of T in the lanes of a vector register.
template <typename Function, typename T>
constexpr bool HasLanes() {
  if constexpr (std::is_floating_point_v<T>) {
    return requires(Lanes<T> lanes) { Function::OnLanes(lanes); };
  } else {
    return false;
  }
}

template <typename Function, typename T>
void ComputeUnary(const void* x, void* y, int64_t count) {
  using Result = decltype(Function::Apply(T()));
  const T* from = static_cast<const T*>(x);
  auto* to = static_cast<Result*>(y);
  if constexpr (HasLanes<Function, T>()) {
    ForLanes(from, to, count,
             [](const Lanes<T>& lanes) { return Function::OnLanes(lanes); });
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = Function::Apply(from[i]);
  }
}

template <typename Function, typename Half>
void ComputeUnaryAsFloat(const void* x, void* y, int64_t count) {
  using Result = decltype(Function::Apply(float()));
  const auto* from = static_cast<const Half*>(x);
  float widened[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    const int64_t size = std::min(kPiece, count - begin);
    Widen(from + begin, widened, size);
    if constexpr (std::is_same_v<Result, float>) {
      ComputeUnary<Function, float>(widened, widened, size);
      Narrow(widened, static_cast<Half*>(y) + begin, size);
    } else {
      ComputeUnary<Function, float>(widened, static_cast<Result*>(y) + begin, size);
    }
  }
}

template <typename Function, typename T>
constexpr UnaryLoop UnaryLoopOf() {
  if constexpr (kIsHalf<T>) {
    return ComputeUnaryAsFloat<Function, T>;
  } else {
    return ComputeUnary<Function, T>;
  }
}

/// Registers `op` for each of the types.
template <typename Function, typename... Ts>
void RegisterUnary(const std::string& op, Types<Ts...>, int64_t cost = 1) {
  (RegisterUnaryLoop(Kernel(op).Type<Ts>("T"), UnaryLoopOf<Function, Ts>(), cost), ...);
}

/// A Function made of a lambda for one element, or one of each input; and of another for
/// lanes if there is one.
template <typename OfElement>
struct Elementwise {
  template <typename... Ts>
  static auto Apply(const Ts&... elements) {
    return OfElement()(elements...);
  }
};
template <typename OfElement, typename OfLanes>
struct ElementwiseOrLanes : Elementwise<OfElement> {
  template <typename Array>
  static auto OnLanes(const Array& x) {
    return OfLanes()(x);
  }
};

template <typename... Ts, typename OfElement>
void RegisterUnary(const std::string& op, Types<Ts...> types, int64_t cost, OfElement) {
  RegisterUnary<Elementwise<OfElement>>(op, types, cost);
}
template <typename... Ts, typename OfElement, typename OfLanes>
void RegisterUnary(const std::string& op, Types<Ts...> types, int64_t cost, OfElement,
                   OfLanes) {
  RegisterUnary<ElementwiseOrLanes<OfElement, OfLanes>>(op, types, cost);
}

// ---- Two inputs -----------------------------------------------------------------------

/// What an op has against the elements of y, such as a zero to divide by.
using BinaryCheck = Status (*)(const Tensor& y);

class BinaryOp final : public OpKernel {
 public:
  /// `check` may be null. Unless `broadcasts`, both inputs must have one shape.
  BinaryOp(OpKernelConstruction* construction, BinaryLoop loop, int64_t cost,
           BinaryCheck check, bool broadcasts)
      : OpKernel(construction),
        loop_(loop),
        cost_(cost),
        check_(check),
        broadcasts_(broadcasts) {}

  void Compute(OpKernelContext* ctx) override;

 private:
  void ComputeRow(OpKernelContext* ctx, const Tensor& x, const Tensor& y,
                  Tensor* z) const;
  void ComputeBroadcast(OpKernelContext* ctx, const Tensor& x, const Tensor& y,
                        Tensor* z) const;

  const BinaryLoop loop_;
  const int64_t cost_;
  const BinaryCheck check_;
  const bool broadcasts_;
};

void RegisterBinaryLoop(const Kernel& kernel, BinaryLoop loop, int64_t cost,
                        BinaryCheck check, bool broadcasts = true);

/// The types for which speed is worth more code.
template <typename T>
constexpr bool kIsCommon = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                           std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;

template <typename Function, typename T>
void ComputeBinary(const void* x, const void* y, void* z, int64_t count, bool x_moves,
                   bool y_moves) {
  using Result = std::decay_t<decltype(Function::Apply(T(), T()))>;
  const T* a = static_cast<const T*>(x);
  const T* b = static_cast<const T*>(y);
  auto* to = static_cast<Result*>(z);
  // The last loop would do alone; of the others, in which every step is 1, the compiler
  // makes vector instructions.
  if (kIsCommon<T> && x_moves && y_moves) {
    for (int64_t i = 0; i < count; ++i) to[i] = Function::Apply(a[i], b[i]);
  } else if (kIsCommon<T> && x_moves) {
    const T scalar = *b;
    for (int64_t i = 0; i < count; ++i) to[i] = Function::Apply(a[i], scalar);
  } else if (kIsCommon<T> && y_moves) {
    const T scalar = *a;
    for (int64_t i = 0; i < count; ++i) to[i] = Function::Apply(scalar, b[i]);
  } else {
    const int64_t x_step = x_moves ? 1 : 0;
    const int64_t y_step = y_moves ? 1 : 0;
    for (int64_t i = 0; i < count; ++i) {
      to[i] = Function::Apply(a[i * x_step], b[i * y_step]);
    }
  }
}

template <typename Function, typename Half>
void ComputeBinaryAsFloat(const void* x, const void* y, void* z, int64_t count,
                          bool x_moves, bool y_moves) {
  using Result = decltype(Function::Apply(float(), float()));
  const auto* from_x = static_cast<const Half*>(x);
  const auto* from_y = static_cast<const Half*>(y);
  float a[kPiece];
  float b[kPiece];
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    const int64_t size = std::min(kPiece, count - begin);
    Widen(x_moves ? from_x + begin : from_x, a, x_moves ? size : 1);
    Widen(y_moves ? from_y + begin : from_y, b, y_moves ? size : 1);
    if constexpr (std::is_same_v<Result, float>) {
      float results[kPiece];
      ComputeBinary<Function, float>(a, b, results, size, x_moves, y_moves);
      Narrow(results, static_cast<Half*>(z) + begin, size);
    } else {
      ComputeBinary<Function, float>(a, b, static_cast<Result*>(z) + begin, size, x_moves,
                                     y_moves);
    }
  }
}

/// The loop of Function for elements of T. Of 16 bits they are computed as float, unless
/// the function says kTakesHalf.
template <typename Function, typename T>
constexpr BinaryLoop BinaryLoopOf() {
  if constexpr (kIsHalf<T> && !requires { Function::kTakesHalf; }) {
    return ComputeBinaryAsFloat<Function, T>;
  } else {
    return ComputeBinary<Function, T>;
  }
}

/// The check of Function for elements of T; null if it has none.
template <typename Function, typename T>
constexpr BinaryCheck BinaryCheckOf() {
  if constexpr (requires { Function::template Check<T>; } && std::is_integral_v<T>) {
    return Function::template Check<T>;
  } else {
    return nullptr;
  }
}

/// Registers `op` for each of the types.
template <typename Function, typename... Ts>
void RegisterBinary(const std::string& op, Types<Ts...>, int64_t cost = 1) {
  (RegisterBinaryLoop(
       Kernel(op).Type<Ts>("T"), BinaryLoopOf<Function, Ts>(), cost,
       BinaryCheckOf<Function, Ts>(), !requires { Function::kNeedsOneShape; }),
   ...);
}

template <typename... Ts, typename OfElements>
void RegisterBinary(const std::string& op, Types<Ts...> types, int64_t cost, OfElements) {
  RegisterBinary<Elementwise<OfElements>>(op, types, cost);
}

}  // namespace minitf
