// AddN on the CPU: the sum of many tensors of one shape.
//
// All inputs are added up for one piece of the result while that piece is in the first
// cache, so the result is written to memory once, however many inputs there are.
//
// Op         minitf/ops/math/math_ops.cc
// Compare    tensorflow/core/kernels/aggregate_ops.cc
// Read next  kernels/cpu/math/select.cc

#include <algorithm>
#include <complex>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

constexpr int64_t kPieceBytes = 16 * 1024;

// sum[begin, end) of all inputs of `ctx`. `sum` may be the memory of input 0.
template <typename T>
void AddPiece(const OpKernelContext& ctx, int64_t begin, int64_t end, T* sum) {
  const T* first = ctx.input(0).flat<T>().data();
  if (sum != first) std::copy(first + begin, first + end, sum + begin);
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const T* term = ctx.input(i).flat<T>().data();
    JoinInto(term + begin, end - begin, sum + begin,
             [](const auto& x, const auto& y) { return WrapAdd(x, y); });
  }
}

template <typename T>
class AddNOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Shape shape = ctx->input(0).shape();
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      OP_REQUIRES(
          ctx, ctx->input(i).shape() == shape,
          errors::InvalidArgument("Inputs to operation must have the same size "
                                  "and shape. Input 0: ",
                                  shape, " != input ", i, ": ", ctx->input(i).shape()));
    }
    if (ctx->num_inputs() == 1) return ctx->set_output(0, ctx->input(0));
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, shape, &sum));

    T* result = sum->mutable_flat<T>().data();
    const auto piece = static_cast<int64_t>(kPieceBytes / sizeof(T));
    ctx->threads().ParallelFor(
        shape.num_elements(), ctx->num_inputs(), [&](int64_t begin, int64_t end) {
          for (; begin < end; begin += piece) {
            AddPiece(*ctx, begin, std::min(begin + piece, end), result);
          }
        });
  }
};

const bool kAddNRegistered = ForTypes(NumberTypes{}, []<typename T>() {
  RegisterKernel<AddNOp<T>>(Kernel("AddN").HostMemoryIfInt32("T").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
