// LowerBound and UpperBound: where values belong in sorted rows.
//
//   row [1 3 3 7]    value 3: the lower bound is 1, the upper bound 3
//
// Op         minitf/ops/math/search_ops.cc
// Compare    tensorflow/core/kernels/searchsorted_op.cc
// Read next  kernels/cpu/nn/top_k.cc

#include <algorithm>

#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

template <typename T>
struct LowerBound {
  static const T* Find(const T* begin, const T* end, const T& value) {
    return std::lower_bound(begin, end, value);
  }
};

template <typename T>
struct UpperBound {
  static const T* Find(const T* begin, const T* end, const T& value) {
    return std::upper_bound(begin, end, value);
  }
};

template <typename Bound, typename T, typename Index>
class BoundOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& sorted = ctx->input(0);  // [N,S]
    const Tensor& values = ctx->input(1);  // [N,V]
    Require(sorted.rank() == 2 && values.rank() == 2,
            "sorted_inputs and values must be 2-dimensional, are ", sorted.shape(),
            " and ", values.shape());
    Require(sorted.dim(0) == values.dim(0),
            "Leading dim_size of both tensors must match: sorted_inputs is ",
            sorted.shape(), ", values is ", values.shape());
    Tensor* found = nullptr;  // [N,V]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, values.shape(), &found));

    const int64_t row_size = sorted.dim(1);
    const int64_t per_row = values.dim(1);
    const T* rows = sorted.flat<T>().data();
    const T* value = values.flat<T>().data();
    Index* to = found->mutable_flat<Index>().data();
    const auto work = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* row = rows + i / per_row * row_size;
        to[i] = static_cast<Index>(Bound::Find(row, row + row_size, value[i]) - row);
      }
    };
    ctx->threads().ParallelFor(values.num_elements(), 50, work);
  }
};

using SortedTypes = decltype(Types<float, double, uint8_t, uint16_t>{} + SignedTypes{});

const bool kBoundsRegistered = ForTypes(SortedTypes{}, []<typename T>() {
  const Kernel lower = Kernel("LowerBound").Type<T>("T");
  const Kernel upper = Kernel("UpperBound").Type<T>("T");
  using Lower = LowerBound<T>;
  using Upper = UpperBound<T>;
  RegisterKernel<BoundOp<Lower, T, int32_t>>(Kernel(lower).Type<int32_t>("out_type"));
  RegisterKernel<BoundOp<Lower, T, int64_t>>(Kernel(lower).Type<int64_t>("out_type"));
  RegisterKernel<BoundOp<Upper, T, int32_t>>(Kernel(upper).Type<int32_t>("out_type"));
  RegisterKernel<BoundOp<Upper, T, int64_t>>(Kernel(upper).Type<int64_t>("out_type"));
});

}  // namespace
}  // namespace minitf
