// PowerDifference on the CPU.
//
// Exercise   exercises/02_registry
// Op         minitf/ops/cwise/power_difference.cc
// Read next  kernels/cpu/cwise/cwise_compare.cc

#include <cmath>
#include <type_traits>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/broadcast_plan.h"
#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// base^power. Integers wrap around. Requires: power >= 0 for integers.
template <typename T>
T Power(T base, T power) {
  // LAB(02.8) begin: return it; in a few steps also where `power` is an integer of 10^9
  if constexpr (std::is_integral_v<T>) {
    // Squares of squares: one step for each bit of the power.
    T result = 1;
    for (; power > 0; power >>= 1) {
      if (power & 1) result = WrapMultiply(result, base);
      base = WrapMultiply(base, base);
    }
    return result;
  } else {
    return std::pow(base, power);
  }
  // LAB(02.8) end
}

template <typename T>
class PowerDifferenceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    const Tensor& pow = ctx->input(2);  // []
    OP_REQUIRES(
        ctx, pow.rank() == 0,
        errors::InvalidArgument("pow must have rank 0, its shape is ", pow.shape()));
    const T power = pow.flat<T>()[0];
    // LAB(02.8) begin: refuse a negative power of integers; make output 0 and fill it
    if (std::is_integral_v<T> && power < 0) {
      return ctx->SetStatus(errors::InvalidArgument(
          "integers to negative powers are no integers, pow is ", power));
    }
    Tensor* z = nullptr;
    const Shape shape = BroadcastShapes(x.shape(), y.shape());
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
    const Shape* const inputs[] = {&x.shape(), &y.shape()};
    const BroadcastPlan plan(shape, inputs);
    const auto xs = x.flat<T>(), ys = y.flat<T>();
    const auto zs = z->template mutable_flat<T>();
    const auto& step = plan.row().strides;
    plan.ForEachRow(
        0, shape.num_elements(), [&](const auto& from, int64_t begin, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            const T difference =
                WrapSubtract(xs[from[0] + i * step[0]], ys[from[1] + i * step[1]]);
            zs[begin + i] = Power(difference, power);
          }
        });
    // LAB(02.8) end
  }
};

[[maybe_unused]] const bool kPowerDifferenceRegistered =
    ForTypes(Types<float, double, int32_t, int64_t>{}, []<typename T>() {
      RegisterKernel<PowerDifferenceOp<T>>(Kernel("PowerDifference").Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
