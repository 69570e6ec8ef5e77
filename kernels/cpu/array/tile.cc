// Repeating on the CPU: a copy of a view that is expanded, and so has the stride 0 along
// the axes that repeat.
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
    if (y->num_elements() == 0) return;
    // Axis i of y is two axes: which copy, and where in it. Those of size 1 are left out,
    // since a shape has a limited number of axes.
    std::vector<int64_t> once;
    std::vector<int64_t> often;
    const auto add_axis = [&](int64_t from, int64_t to) {
      if (to == 1) return;
      once.push_back(from);
      often.push_back(to);
    };
    for (int axis = 0; axis < x.rank(); ++axis) {
      add_axis(1, multiples[axis]);
      add_axis(x.dim(axis), x.dim(axis));
    }
    const Shape copies(often);
    StridedCopy(x, StridedLayout(Shape(once)).Expand(copies), y, StridedLayout(copies),
                ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("Tile").OnAllDevices().HostMemory("multiples"), TileOp);

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
    StridedCopy(x, StridedLayout(x.shape()).Expand(target), y, StridedLayout(target),
                ctx->threads());
  }
};
REGISTER_KERNEL(
    Kernel("BroadcastTo").OnAllDevices().HostMemory("shape").HostMemoryIfInt32("T"),
    BroadcastToOp);

}  // namespace
}  // namespace minitf
