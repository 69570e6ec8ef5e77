// Joining on the CPU: each input is copied to its place in the output.
//
// Along axis 0 the inputs follow each other in memory. Along another axis an input has a
// stretch in each row of the output, so its copy is a loop over rows of two strides: that
// of the input, and that of the output.
//
// Op         minitf/ops/array/join_ops.cc
// Compare    tensorflow/core/kernels/concat_op.cc, pack_op.cc

#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

// Copies inputs [begin, end) behind each other along `axis` of y. With axes joined to
// [outer, axis, inner] every input is a block of rows of y.
void CopyBehindEachOther(OpKernelContext* ctx, int begin, int end, int axis, Tensor* y) {
  if (y->num_elements() == 0) return;
  int64_t outer = 1;
  for (int k = 0; k < axis; ++k) outer *= y->dim(k);
  const int64_t row = y->num_elements() / outer;
  int64_t offset = 0;
  for (int i = begin; i < end; ++i) {
    const Tensor& x = ctx->input(i);
    const int64_t block = x.num_elements() / outer;
    StridedCopy(x, 0, y, offset, {{outer, block, row}, {block, 1, 1}}, ctx->threads());
    offset += block;
  }
}

std::vector<PartialShape> InputShapes(OpKernelContext* ctx, int begin, int end) {
  std::vector<PartialShape> shapes;
  for (int i = begin; i < end; ++i) shapes.emplace_back(ctx->input(i).shape());
  return shapes;
}

// The axis is the last input, or, in the older op, the first one.
template <bool kAxisIsFirst>
class ConcatOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int last = ctx->num_inputs() - 1;
    const int begin = kAxisIsFirst ? 1 : 0;
    const int end = kAxisIsFirst ? last + 1 : last;
    const Tensor& axis = ctx->host_input(kAxisIsFirst ? 0 : last);  // one element
    Require(axis.num_elements() == 1, "axis must be a scalar, its shape is ",
            axis.shape());
    const int64_t given_axis = IntegersOf(axis)[0];
    const auto shapes = InputShapes(ctx, begin, end);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, ConcatenatedShape(shapes, given_axis).ToShape(), &y));
    CopyBehindEachOther(ctx, begin, end, NormalizedAxis(given_axis, y->rank()), y);
  }
};
REGISTER_KERNEL(
    Kernel("ConcatV2").OnAllDevices().HostMemory("axis").HostMemoryIfInt32("T"),
    ConcatOp<false>);
REGISTER_KERNEL(
    Kernel("Concat").OnAllDevices().HostMemory("concat_dim").HostMemoryIfInt32("T"),
    ConcatOp<true>);

class ConcatOffsetOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& first = ctx->host_input(1);  // [rank]
    Require(first.rank() == 1, "shapes must be vectors, got ", first.shape());
    const int axis = NormalizedAxis(IntegerOf(ctx->host_input(0), "concat_dim"),
                                    static_cast<int>(first.dim(0)));
    int32_t offset = 0;
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      const Tensor& shape = ctx->host_input(i);  // [rank]
      CheckFits(shape, first, axis, i - 1);
      Tensor* y = nullptr;  // [rank]
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i - 1, first.shape(), &y));
      std::ranges::fill(y->mutable_flat<int32_t>(), 0);
      y->mutable_flat<int32_t>()[axis] = offset;
      const bool overflows =
          __builtin_add_overflow(offset, shape.flat<int32_t>()[axis], &offset);
      Require(!overflows, "the offsets do not fit into int32");
    }
  }

 private:
  static void CheckFits(const Tensor& shape, const Tensor& first, int axis, int i) {
    Require(shape.shape() == first.shape(), "input ", i, " has ", shape.shape(),
            " sizes, input 0 has ", first.shape());
    for (int64_t k = 0; k < first.num_elements(); ++k) {
      const int32_t size = shape.flat<int32_t>()[k];
      const int32_t expected = first.flat<int32_t>()[k];
      Require(k == axis || size == expected, "All dimensions except ", axis,
              " must match. Input ", i, " has size ", size, " on axis ", k,
              " and doesn't match input 0 with size ", expected);
    }
  }
};
REGISTER_KERNEL(
    Kernel("ConcatOffset").OnAllDevices().HostMemory("concat_dim", "shape", "offset"),
    ConcatOffsetOp);

class PackOp final : public OpKernel {
 public:
  explicit PackOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* ctx) override {
    const auto shapes = InputShapes(ctx, 0, ctx->num_inputs());
    const Shape shape = PackedShape(shapes, axis_).ToShape();
    if (ctx->num_inputs() == 1) {
      ctx->set_output(0, ctx->input(0).Reshaped(shape));
      return;
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    CopyBehindEachOther(ctx, 0, ctx->num_inputs(), NormalizedAxis(axis_, y->rank()), y);
  }

 private:
  int64_t axis_ = 0;
};
REGISTER_KERNEL(Kernel("Pack").OnAllDevices().HostMemoryIfInt32("T"), PackOp);

}  // namespace
}  // namespace minitf
