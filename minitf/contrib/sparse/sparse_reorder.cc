// Sparse tensors in row-major order on the CPU.
//
// Op         minitf/contrib/sparse/sparse_math_ops.cc
// Compare    tensorflow/core/kernels/sparse_reorder_op.cc

#include <algorithm>
#include <vector>

#include "minitf/contrib/sparse/sparse_math.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

class SparseReorderOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseParts x{ctx->input(0), ctx->input(1), ctx->input(2)};
    RequireSparse(x);  // places outside of the shape have an order too
    const std::vector<int64_t> order = RowMajorOrder(x.indices);
    Tensor* indices = nullptr;
    Tensor* values = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.indices.shape(), &indices));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, x.values.shape(), &values));
    auto place = indices->mutable_flat<int64_t>().begin();
    for (const int64_t i : order) {
      place = std::ranges::copy(PlaceAt(x.indices, i), place).out;
    }
    VisitDType(x.values.dtype(), [&]<typename T>() {
      const auto from = x.values.flat<T>();
      std::ranges::transform(order, values->mutable_flat<T>().begin(),
                             [&](int64_t i) { return from[i]; });
    });
  }
};
REGISTER_KERNEL(Kernel("SparseReorder").On(Device::kCpu), SparseReorderOp);

}  // namespace
}  // namespace minitf
