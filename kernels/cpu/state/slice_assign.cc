// Setting a slice of a variable on the CPU: v[1:, 0].assign(value).
//
// The copy is that of a slice's gradient, into the variable's own memory: what is not in
// the slice stays as it is, and is not touched.
//
// Op         minitf/ops/state/state_ops.cc
// Compare    tensorflow/core/kernels/strided_slice_op.cc, StridedSliceAssignOp

#include "kernels/cpu/common/strided_copy.h"
#include "kernels/cpu/state/locked_variables.h"
#include "minitf/framework/shapes/strided_slice.h"

namespace minitf {
namespace {

class ResourceStridedSliceAssignOp final : public OpKernel {
 public:
  explicit ResourceStridedSliceAssignOp(OpKernelConstruction* construction)
      : OpKernel(construction), masks_(StridedSliceMasks::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(4);
    LockedVariables variables(ctx, 1, value.dtype());
    const Shape shape = variables[0].value.shape();
    const auto plan = PlanStridedSlice(shape, ctx->host_input(1), ctx->host_input(2),
                                       ctx->host_input(3), masks_);
    Require(value.shape() == plan.result.ToShape(), "value must have shape ", plan.result,
            ", got ", value.shape());
    if (value.num_elements() == 0) return;
    const StridedLayout part = plan.PartOf(shape);
    StridedCopy(value, StridedLayout(part.shape()), variables.MutableValue(0), part,
                ctx->threads());
  }

 private:
  StridedSliceMasks masks_;
};
REGISTER_KERNEL(Kernel("ResourceStridedSliceAssign")
                    .On(Device::kCpu)
                    .HostMemory("begin", "end", "strides"),
                ResourceStridedSliceAssignOp);

}  // namespace
}  // namespace minitf
