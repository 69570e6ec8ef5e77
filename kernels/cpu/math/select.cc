// Select, SelectV2 and ClipByValue on the CPU: choosing between elements.
//
// Choosing moves elements and never looks at their values, so there is one loop for each
// size of an element (VisitMovable), not for each type.
//
// Op         minitf/ops/math/math_ops.cc
// Compare    tensorflow/core/kernels/cwise_op_select.cc, cwise_op_clip.cc
// Read next  kernels/cpu/math/arg_max.cc

#include <algorithm>
#include <array>

#include "kernels/cpu/common/broadcast_plan.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

class SelectOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);  // [n], [], or the shape of t
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    OP_REQUIRES(ctx, t.shape() == e.shape(),
                errors::InvalidArgument("t and e must have one shape: t is ", t.shape(),
                                        ", e is ", e.shape()));
    if (condition.rank() == 0) {
      return ctx->set_output(0, condition.scalar<bool>() ? t : e);
    }
    const bool by_rows =
        condition.rank() == 1 && t.rank() >= 1 && condition.dim(0) == t.dim(0);
    OP_REQUIRES(ctx, by_rows || condition.shape() == t.shape(),
                errors::InvalidArgument("condition must be a scalar, a vector of the "
                                        "first size of t, or of the shape of t; "
                                        "condition is ",
                                        condition.shape(), ", t is ", t.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, t.shape(), &output));
    if (t.num_elements() == 0) return;

    const int64_t rows = condition.num_elements();
    const int64_t row_size = t.num_elements() / rows;
    const auto choose = condition.flat<bool>();
    VisitMovable(t.dtype(), [&]<typename T>() {
      const T* from_t = MovableData<T>(t);
      const T* from_e = MovableData<T>(e);
      T* to = MovableData<T>(output);
      ctx->threads().ParallelFor(rows, row_size, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const T* from = choose[row] ? from_t : from_e;
          std::copy_n(from + row * row_size, row_size, to + row * row_size);
        }
      });
    });
  }
};
REGISTER_KERNEL(Kernel("Select").On(Device::kCpu), SelectOp);

class SelectV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    const Shape shape =
        BroadcastShapes(BroadcastShapes(t.shape(), e.shape()), condition.shape());
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return;

    const std::array<const Shape*, 3> shapes = {&condition.shape(), &t.shape(),
                                                &e.shape()};
    const BroadcastPlan plan(shape, shapes);
    const auto& step = plan.row().strides;
    const bool* choose = condition.flat<bool>().data();
    VisitMovable(t.dtype(), [&]<typename T>() {
      const T* from_t = MovableData<T>(t);
      const T* from_e = MovableData<T>(e);
      T* to = MovableData<T>(output);
      const auto select_row = [&](const BroadcastPlan::Offsets& at, int64_t begin,
                                  int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          to[begin + i] = choose[at[0] + i * step[0]] ? from_t[at[1] + i * step[1]]
                                                      : from_e[at[2] + i * step[2]];
        }
      };
      ctx->threads().ParallelFor(
          shape.num_elements(), 1,
          [&](int64_t begin, int64_t end) { plan.ForEachRow(begin, end, select_row); });
    });
  }
};
REGISTER_KERNEL(Kernel("SelectV2").On(Device::kCpu), SelectV2Op);

template <typename T>
class ClipByValueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& t = ctx->input(0);
    const Tensor& low = ctx->input(1);   // [] or the shape of t
    const Tensor& high = ctx->input(2);  // [] or the shape of t
    const Shape shape = t.shape();
    for (const Tensor* limit : {&low, &high}) {
      OP_REQUIRES(ctx, limit->rank() == 0 || limit->shape() == shape,
                  errors::InvalidArgument("limits must be scalars or of the shape of t ",
                                          shape, ", one is ", limit->shape()));
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, shape, &output));

    const T* from = t.flat<T>().data();
    const T* lows = low.flat<T>().data();
    const T* highs = high.flat<T>().data();
    T* to = output->mutable_flat<T>().data();
    const int64_t low_step = low.rank() == 0 ? 0 : 1;
    const int64_t high_step = high.rank() == 0 ? 0 : 1;
    ctx->threads().ParallelFor(shape.num_elements(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        // As max(min(t, high), low), also where low > high; NaN stays.
        const T x = highs[i * high_step] < from[i] ? highs[i * high_step] : from[i];
        to[i] = x < lows[i * low_step] ? lows[i * low_step] : x;
      }
    });
  }
};

const bool kClipRegistered = ForTypes(OrderedTypes{}, []<typename T>() {
  RegisterKernel<ClipByValueOp<T>>(Kernel("ClipByValue").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
