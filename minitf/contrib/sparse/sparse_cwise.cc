// A sparse tensor and a dense one, element by element, and softmax, on the CPU.
//
// Op         minitf/contrib/sparse/sparse_math_ops.cc
// Compare    tensorflow/core/kernels/sparse_dense_binary_op_shared.cc,
//            sparse_softmax_op.cc

#include <algorithm>
#include <cmath>
#include <vector>

#include "minitf/contrib/sparse/sparse_math.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

template <typename Function>
class SparseDenseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseParts sparse = CheckedSparse(ctx, 0);
    const Tensor& dense = ctx->input(3);
    const std::vector<int64_t> strides =
        BroadcastStrides(dense.shape(), Shape(sparse.shape.flat<int64_t>()));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, sparse.values.shape(), &y));
    VisitNumber(dense.dtype(), [&]<typename T>() {
      const auto values = sparse.values.flat<T>();
      const auto from = dense.flat<T>();
      const auto to = y->mutable_flat<T>();
      for (int64_t i = 0; i < sparse.values.dim(0); ++i) {
        const int64_t offset = OffsetOf(PlaceAt(sparse.indices, i), strides);
        to[i] = Function::Apply(values[i], from[offset]);
      }
    });
  }

 private:
  // The strides of `dense` seen as a tensor of shape `sparse`: 0 where it repeats.
  static std::vector<int64_t> BroadcastStrides(const Shape& dense, const Shape& sparse) {
    const int ahead = sparse.rank() - dense.rank();
    bool fits = ahead >= 0;
    for (int axis = 0; fits && axis < dense.rank(); ++axis) {
      fits = dense.dim(axis) == 1 || dense.dim(axis) == sparse.dim(ahead + axis);
    }
    Require(fits, "dense has shape ", dense, ", which does not broadcast to the shape ",
            sparse, " of the sparse tensor");
    std::vector<int64_t> strides(sparse.rank());
    ExpandedStrides(dense, sparse, strides.data());
    return strides;
  }
};
REGISTER_KERNEL(Kernel("SparseDenseCwiseMul").On(Device::kCpu),
                SparseDenseOp<ProductOfTwo>);
REGISTER_KERNEL(Kernel("SparseDenseCwiseDiv").On(Device::kCpu),
                SparseDenseOp<QuotientOfTwo>);
REGISTER_KERNEL(Kernel("SparseDenseCwiseAdd").On(Device::kCpu), SparseDenseOp<SumOfTwo>);

// ---- Softmax --------------------------------------------------------------------------

class SparseSoftmaxOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseParts x = CheckedSparse(ctx, 0);
    Require(x.rank() >= 2, "the sparse tensor must have rank 2 or more, has rank ",
            x.rank());
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.values.shape(), &y));
    VisitNumber(x.values.dtype(), [&]<typename T>() {
      if constexpr (std::is_floating_point_v<T>) Softmax<T>(x, y);
    });
  }

 private:
  template <typename T>
  static void Softmax(const SparseParts& x, Tensor* y) {
    const auto values = x.values.flat<T>();
    const auto to = y->mutable_flat<T>();
    const std::vector<int64_t> order = RowMajorOrder(x.indices);
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin;
      T largest = values[order[begin]];
      for (; end < order.size() && IsSameRow(x, order[begin], order[end]); ++end) {
        largest = std::max(largest, values[order[end]]);
      }
      T sum = 0;
      for (size_t i = begin; i < end; ++i) sum += std::exp(values[order[i]] - largest);
      for (size_t i = begin; i < end; ++i) {
        to[order[i]] = std::exp(values[order[i]] - largest) / sum;
      }
      begin = end;
    }
  }

  static bool IsSameRow(const SparseParts& x, int64_t i, int64_t j) {
    const auto rest = static_cast<size_t>(x.rank() - 1);
    return std::ranges::equal(PlaceAt(x.indices, i).first(rest),
                              PlaceAt(x.indices, j).first(rest));
  }
};
REGISTER_KERNEL(Kernel("SparseSoftmax").On(Device::kCpu), SparseSoftmaxOp);

}  // namespace
}  // namespace minitf
