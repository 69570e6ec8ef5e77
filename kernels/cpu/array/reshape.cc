// Reshaping: the same elements under another shape. Nothing is copied.
//
// Op         minitf/ops/array/reshape_ops.cc
// Compare    tensorflow/core/kernels/reshape_op.h, shape_ops.h, bitcast_op.cc

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

class ReshapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& sizes = ctx->host_input(1);  // [rank of the result]
    Require(sizes.rank() <= 1, "sizes input must be 1-D, not ", sizes.shape());
    ctx->set_output(0, x.Reshaped(ReshapedShape(x.shape(), IntegersOf(sizes)).ToShape()));
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(
    Kernel("Reshape").OnAllDevices().HostMemory("shape").HostMemoryIfInt32("T"),
    ReshapeOp);

class SqueezeOp final : public OpKernel {
 public:
  explicit SqueezeOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("squeeze_dims", &axes_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    ctx->set_output(0, x.Reshaped(SqueezedShape(x.shape(), axes_).ToShape()));
  }
  bool IsExpensive() const override { return false; }

 private:
  std::vector<int64_t> axes_;
};
REGISTER_KERNEL(Kernel("Squeeze").OnAllDevices().HostMemoryIfInt32("T"), SqueezeOp);

class ExpandDimsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& axis = ctx->host_input(1);  // one element
    Require(axis.num_elements() == 1, "'dim' must be a tensor with a single value");
    ctx->set_output(0,
                    x.Reshaped(ExpandedShape(x.shape(), IntegersOf(axis)[0]).ToShape()));
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(
    Kernel("ExpandDims").OnAllDevices().HostMemory("dim").HostMemoryIfInt32("T"),
    ExpandDimsOp);

class BitcastOp final : public OpKernel {
 public:
  explicit BitcastOp(OpKernelConstruction* construction)
      : OpKernel(construction), to_(construction->output_type(0)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const size_t from_bytes = SizeOf(x.dtype());
    const size_t to_bytes = SizeOf(to_);
    std::vector<int64_t> sizes = x.shape().ToVector();
    if (from_bytes > to_bytes) {
      sizes.push_back(static_cast<int64_t>(from_bytes / to_bytes));
    } else if (from_bytes < to_bytes) {
      const auto parts = static_cast<int64_t>(to_bytes / from_bytes);
      Require(!sizes.empty() && sizes.back() == parts,
              "Cannot bitcast due to shape. The ", "last size must be ", parts,
              ", the shape is ", x.shape());
      sizes.pop_back();
    }
    ctx->set_output(0, x.Reinterpreted(to_, Shape(sizes)));
  }
  bool IsExpensive() const override { return false; }

 private:
  DType to_;
};
REGISTER_KERNEL(Kernel("Bitcast").OnAllDevices(), BitcastOp);

}  // namespace
}  // namespace minitf
