// ApproximateEqual on the CPU: whether |x - y| < tolerance, element by element.
//
// Exercise   exercises/00_hello
// Op         minitf/ops/cwise/cwise_binary_ops.cc
// Read next  kernels/cpu/cwise/cwise_compare.cc

#include <algorithm>
#include <cmath>
#include <complex>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// |x - y|, as a number that compares with a float.
template <typename T>
auto Distance(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    const T wrapped = WrapSubtract(std::max(x, y), std::min(x, y));
    return static_cast<double>(static_cast<std::make_unsigned_t<T>>(wrapped));
  } else if constexpr (kIsHalf<T>) {
    return std::abs(static_cast<float>(x) - static_cast<float>(y));
  } else {
    return std::abs(x - y);
  }
}

template <typename T>
class ApproximateEqualOp final : public OpKernel {
 public:
  // A kernel is made once for its node, and reads the node's attributes then.
  explicit ApproximateEqualOp(OpKernelConstruction* construction)
      : OpKernel(construction) {
    // LAB(00.1) begin: copy the attribute "tolerance" to tolerance_
    OP_REQUIRES_OK(construction, construction->GetAttr("tolerance", &tolerance_));
    // LAB(00.1) end
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    OP_REQUIRES(ctx, x.shape() == y.shape(),
                errors::InvalidArgument("x and y must be of the same shape, x is ",
                                        x.shape(), ", y is ", y.shape()));
    Tensor* z = nullptr;  // the shape of x
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &z));

    const auto a = x.flat<T>();
    const auto b = y.flat<T>();
    const auto result = z->mutable_flat<bool>();
    for (size_t i = 0; i < result.size(); ++i) {
      // LAB(00.2) begin: set result[i]; Distance(a[i], b[i]) is given
      result[i] = Distance(a[i], b[i]) < tolerance_;
      // LAB(00.2) end
    }
  }

 private:
  float tolerance_ = 0;
};

[[maybe_unused]] const bool kApproximateEqualRegistered = ForTypes(
    RealTypes{} + SignedTypes{} + ComplexTypes{} + Types<uint8_t, uint16_t>{},
    []<typename T>() {
      RegisterKernel<ApproximateEqualOp<T>>(Kernel("ApproximateEqual").Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
