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
#include "minitf/base/lab.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// base^power. Integers wrap around. Requires: power >= 0 for integers.
template <typename T>
T Power(T base, T power) {
  // TODO(02.8) begin: return it; in a few steps also where `power` is an integer of 10^9
  MINITF_TODO("02.8");
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
    MINITF_TODO("02.8");
    // TODO(02.8) end
  }
};

[[maybe_unused]] const bool kPowerDifferenceRegistered =
    ForTypes(Types<float, double, int32_t, int64_t>{}, []<typename T>() {
      RegisterKernel<PowerDifferenceOp<T>>(Kernel("PowerDifference").Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
