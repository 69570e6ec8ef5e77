// BroadcastGradientArgs on the CPU: along which axes gradients of a broadcast are summed.
//
// Op         minitf/ops/math/reduction_ops.cc
// Compare    tensorflow/core/kernels/bcast_ops.cc
// Read next  minitf/gradients/unbroadcast.h

#include <algorithm>
#include <vector>

#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// The axes of the joint shape along which an input of shape `own` was stretched. Axes
// where both are 1 count too: summing along them does no harm and gives back the shape.
std::vector<int64_t> StretchedAxes(const std::vector<int64_t>& own, size_t joint_rank) {
  std::vector<int64_t> axes;
  const size_t missing = joint_rank - own.size();
  for (size_t axis = 0; axis < joint_rank; ++axis) {
    if (axis < missing || own[axis - missing] == 1)
      axes.push_back(static_cast<int64_t>(axis));
  }
  return axes;
}

template <typename T>
class BroadcastGradientArgsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const std::vector<int64_t> shapes[] = {IntegersOf(ctx->host_input(0)),
                                           IntegersOf(ctx->host_input(1))};
    for (int i = 0; i < 2; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).rank() == 1,
                  errors::InvalidArgument("a shape must be a vector, its shape is ",
                                          ctx->input(i).shape()));
    }
    (void)BroadcastShapes(Shape(shapes[0]),
                          Shape(shapes[1]));  // throws if they do not fit
    const size_t rank = std::max(shapes[0].size(), shapes[1].size());
    for (int i = 0; i < 2; ++i) {
      std::vector<int64_t> axes;
      if (shapes[0] != shapes[1]) axes = StretchedAxes(shapes[i], rank);
      Tensor* output = nullptr;
      OP_REQUIRES_OK(
          ctx, ctx->allocate_output(i, {static_cast<int64_t>(axes.size())}, &output));
      std::ranges::copy(axes, output->mutable_flat<T>().begin());
    }
  }

  bool IsExpensive() const override { return false; }
};

const bool kBroadcastGradientArgsRegistered =
    ForTypes(Types<int32_t, int64_t>{}, []<typename T>() {
      RegisterKernel<BroadcastGradientArgsOp<T>>(Kernel("BroadcastGradientArgs")
                                                     .OnAllDevices()
                                                     .HostMemory("s0", "s1", "r0", "r1")
                                                     .Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
