// Repeating on the CPU: copy loops that do not move on in the input (stride 0).
//
// Op         minitf/ops/array/reshape_ops.cc
// Compare    tensorflow/core/kernels/tile_ops.cc, broadcast_to_op.cc

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

class TileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(ctx->input(1).rank() == 1, "Expected multiples to be 1-D, but got shape ",
            ctx->input(1).shape());
    const std::vector<int64_t> multiples = IntegersOf(ctx->host_input(1));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TiledShape(x.shape(), multiples).ToShape(), &y));
    // Axis i of y is two loops: which copy, and where in it.
    const std::vector<int64_t> from = StridesOf(x.shape());
    const std::vector<int64_t> to = StridesOf(y->shape());
    std::vector<CopyLoop> loops;
    for (int axis = 0; axis < x.rank(); ++axis) {
      loops.push_back({multiples[axis], 0, to[axis] * x.dim(axis)});
      loops.push_back({x.dim(axis), from[axis], to[axis]});
    }
    StridedCopy(x, 0, y, 0, std::move(loops), ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("Tile").On(Device::kCpu).HostMemory("multiples"), TileOp);

class BroadcastToOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(ctx->input(1).rank() == 1, "shape must be 1-D, but got shape ",
            ctx->input(1).shape());
    const Shape target(IntegersOf(ctx->host_input(1)));
    const bool fits =
        x.rank() <= target.rank() && BroadcastShapes(x.shape(), target) == target;
    Require(fits, "Unable to broadcast tensor of shape ", x.shape(),
            " to tensor of shape ", target);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, target, &y));
    const std::vector<int64_t> from = StridesOf(x.shape());
    const std::vector<int64_t> to = StridesOf(target);
    const int added = target.rank() - x.rank();
    std::vector<CopyLoop> loops;
    for (int axis = 0; axis < target.rank(); ++axis) {
      const bool repeats = axis < added || x.dim(axis - added) == 1;
      loops.push_back({target.dim(axis), repeats ? 0 : from[axis - added], to[axis]});
    }
    StridedCopy(x, 0, y, 0, std::move(loops), ctx->threads());
  }
};
REGISTER_KERNEL(
    Kernel("BroadcastTo").On(Device::kCpu).HostMemory("shape").HostMemoryIfInt32("T"),
    BroadcastToOp);

}  // namespace
}  // namespace minitf
