// Taking apart on the CPU. Along axis 0 the pieces share the memory of the whole.
//
// Op         minitf/ops/array/join_ops.cc
// Compare    tensorflow/core/kernels/split_op.cc, split_v_op.cc, unpack_op.cc

#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

int OneAxis(const Tensor& axis, int rank) {
  Require(axis.num_elements() == 1, "split_dim must be a scalar, its shape is ",
          axis.shape());
  Require(rank > 0, "a scalar cannot be split");
  return NormalizedAxis(axis.flat<int32_t>()[0], rank);
}

// Puts the pieces of `value` along `axis`, of these sizes, on the outputs. Along axis 0 a
// piece is one stretch of memory and is shared. Along another axis it has a stretch in
// each row of the value, so it is copied: `outer` blocks, which lie a row apart.
void SetPieces(OpKernelContext* ctx, const Tensor& value, int axis,
               const std::vector<int64_t>& sizes) {
  const std::vector<int64_t> strides = StridesOf(value.shape());
  std::vector<int64_t> piece = value.shape().ToVector();
  const int64_t row = value.dim(axis) * strides[axis];
  const int64_t outer = row == 0 ? 0 : value.num_elements() / row;
  int64_t first = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto output = static_cast<int>(i);
    if (axis == 0) {
      ctx->set_output(output, value.Slice(first, first + sizes[i]));
    } else {
      piece[axis] = sizes[i];
      Tensor* y = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(output, Shape(piece), &y));
      const int64_t block = sizes[i] * strides[axis];
      StridedCopy(value, first * strides[axis], y, 0,
                  {{outer, row, block}, {block, 1, 1}}, ctx->threads());
    }
    first += sizes[i];
  }
}

class SplitOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(1);
    RequireScalar(ctx->input(0), "split_dim");
    const int axis = OneAxis(ctx->host_input(0), value.rank());
    const int64_t pieces = ctx->num_outputs();
    const int64_t size = value.dim(axis);
    Require(size % pieces == 0, "Number of ways to split should evenly divide the split ",
            "dimension, but got split_dim ", axis, " (size = ", size, ") and num_split ",
            pieces);
    SetPieces(ctx, value, axis, std::vector<int64_t>(pieces, size / pieces));
  }
};
REGISTER_KERNEL(Kernel("Split").OnAllDevices().HostMemory("split_dim"), SplitOp);

class SplitVOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(0);
    const Tensor& lengths = ctx->host_input(1);  // [num_split]
    const int axis = OneAxis(ctx->host_input(2), value.rank());
    Require(lengths.rank() == 1 && lengths.dim(0) == ctx->num_outputs(),
            "size_splits must be a vector of num_split, ", ctx->num_outputs(),
            ", elements, its shape is ", lengths.shape());
    SetPieces(ctx, value, axis, PieceSizes(value.dim(axis), IntegersOf(lengths)));
  }
};
REGISTER_KERNEL(Kernel("SplitV").OnAllDevices().HostMemory("size_splits", "split_dim"),
                SplitVOp);

class UnpackOp final : public OpKernel {
 public:
  explicit UnpackOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(0);
    Require(value.rank() > 0, "a scalar cannot be unpacked");
    const int axis = NormalizedAxis(axis_, value.rank());
    const int64_t num = ctx->num_outputs();
    Require(value.dim(axis) == num, "Input shape axis ", axis, " must equal ", num,
            ", got shape ", value.shape());
    SetPieces(ctx, value, axis, std::vector<int64_t>(num, 1));
    std::vector<int64_t> sizes = value.shape().ToVector();
    sizes.erase(sizes.begin() + axis);
    for (int i = 0; i < num; ++i) {
      ctx->set_output(i, ctx->output(i)->Reshaped(Shape(sizes)));
    }
  }

 private:
  int64_t axis_ = 0;
};
REGISTER_KERNEL(Kernel("Unpack").OnAllDevices().HostMemoryIfInt32("T"), UnpackOp);

}  // namespace
}  // namespace minitf
