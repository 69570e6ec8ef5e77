// PowerDifference on the CPU.
//
// Exercise   exercises/02_registry
// Op         minitf/ops/cwise/power_difference.cc
// Read next  kernels/cpu/cwise/cwise_compare.cc

#include <array>
#include <cmath>
#include <type_traits>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/broadcast_plan.h"
#include "kernels/cpu/common/element_types.h"
#include "minitf/base/lab.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// base^power. Integers wrap around. Requires: power >= 0 for integers.
template <typename T>
T Power(T base, T power) {
  // TODO(02.8) begin: return it; in a few steps also where `power` is an integer of 10^9
  if constexpr (std::is_integral_v<T>) {
    T result = 1;
    for (; power > 0; power /= 2) {
      if (power % 2 == 1) result = WrapMultiply(result, base);
      base = WrapMultiply(base, base);
    }
    return result;
  } else {
    return std::pow(base, power);
  }
  // TODO(02.8) end
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
    // TODO(02.8) begin: refuse a negative power of integers; make output 0 and fill it
    if constexpr (std::is_integral_v<T>) {
      OP_REQUIRES(ctx, power >= 0,
                  errors::InvalidArgument(
                      "pow of integers must not be negative, it is ", power));
    }
    const Shape shape = BroadcastShapes(x.shape(), y.shape());
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
    const T* x_data = x.flat<T>().data();
    const T* y_data = y.flat<T>().data();
    T* z_data = z->mutable_flat<T>().data();

    const std::array<const Shape*, 2> shapes = {&x.shape(), &y.shape()};
    const BroadcastPlan plan(shape, shapes);
    const int64_t x_step = plan.row().strides[0];
    const int64_t y_step = plan.row().strides[1];
    plan.ForEachRow(
        0, shape.num_elements(),
        [&](const BroadcastPlan::Offsets& offsets, int64_t begin, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            const T difference = WrapSubtract(x_data[offsets[0] + i * x_step],
                                              y_data[offsets[1] + i * y_step]);
            z_data[begin + i] = Power(difference, power);
          }
        });
    // TODO(02.8) end
  }
};

[[maybe_unused]] const bool kPowerDifferenceRegistered =
    ForTypes(Types<float, double, int32_t, int64_t>{}, []<typename T>() {
      RegisterKernel<PowerDifferenceOp<T>>(Kernel("PowerDifference").Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
