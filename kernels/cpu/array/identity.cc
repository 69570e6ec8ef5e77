// Passing a tensor on, with or without a look at it; and what is known of its shape.
//
// No element is copied: the output is a Tensor that shares the memory of the input. So
// these kernels say that they are cheap, and the executor runs them in the thread that
// comes to them (OpKernel::IsExpensive).
//
// Op         minitf/ops/array/array_ops.cc
// Compare    tensorflow/core/kernels/identity_op.cc, shape_ops.cc

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/scalars.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

class IdentityOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i = 0; i < ctx->num_inputs(); ++i) ctx->set_output(i, ctx->input(i));
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("Identity").OnAllDevices().HostMemoryIfInt32("T"), IdentityOp);
REGISTER_KERNEL(Kernel("IdentityN").OnAllDevices(), IdentityOp);
REGISTER_KERNEL(
    Kernel("PlaceholderWithDefault").OnAllDevices().HostMemoryIfInt32("dtype"),
    IdentityOp);
REGISTER_KERNEL(Kernel("PreventGradient").OnAllDevices().HostMemoryIfInt32("T"),
                IdentityOp);
REGISTER_KERNEL(Kernel("Snapshot").OnAllDevices().HostMemoryIfInt32("T"), IdentityOp);
REGISTER_KERNEL(Kernel("StopGradient").OnAllDevices().HostMemoryIfInt32("T"), IdentityOp);

class EnsureShapeOp final : public OpKernel {
 public:
  explicit EnsureShapeOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("shape", &shape_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(shape_.IsCompatibleWith(x.shape()), "Shape of tensor is ", x.shape(),
            ", which does not fit ", shape_);
    ctx->set_output(0, x);
  }
  bool IsExpensive() const override { return false; }

 private:
  PartialShape shape_;
};
REGISTER_KERNEL(Kernel("EnsureShape").OnAllDevices().HostMemoryIfInt32("T"),
                EnsureShapeOp);

class NoOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("NoOp").OnAllDevices(), NoOp);

// ---- Shapes ---------------------------------------------------------------------------

class ShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const Tensor& x = ctx->input(i);
      SetSizes(ctx, i, Shape{x.rank()}, x.shape().sizes());
    }
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("Shape").OnAllDevices().HostMemory("output"), ShapeOp);
REGISTER_KERNEL(Kernel("ShapeN").OnAllDevices().HostMemory("output"), ShapeOp);

class SizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int64_t size = ctx->input(0).num_elements();
    SetSizes(ctx, 0, Shape{}, {&size, 1});
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("Size").OnAllDevices().HostMemory("output"), SizeOp);

class RankOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int64_t rank = ctx->input(0).rank();
    SetSizes(ctx, 0, Shape{}, {&rank, 1});
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("Rank").OnAllDevices().HostMemory("output"), RankOp);

// ---- Looking at elements --------------------------------------------------------------

template <typename T>
class CheckNumericsOp final : public OpKernel {
 public:
  explicit CheckNumericsOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("message", &message_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    bool has_inf = false;
    bool has_nan = false;
    for (const T element : x.flat<T>()) {
      const auto number = static_cast<double>(element);
      has_inf = has_inf || std::isinf(number);
      has_nan = has_nan || std::isnan(number);
    }
    const char* both = has_inf && has_nan ? " and " : "";
    Require(!has_inf && !has_nan, message_, " : Tensor had ", has_inf ? "Inf" : "", both,
            has_nan ? "NaN" : "", " values");
    ctx->set_output(0, x);
  }

 private:
  std::string message_;
};
const bool kCheckNumericsRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<CheckNumericsOp<T>>(Kernel("CheckNumerics").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
