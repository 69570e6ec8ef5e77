// The product of a sparse matrix and a dense one on the CPU.
//
// Element (i,k) of A adds A[i,k] times row k of B to row i of the product. Time depends
// on the number of elements of A, not on its size.
//
// Op         minitf/contrib/sparse/sparse_math_ops.cc
// Compare    tensorflow/core/kernels/sparse_tensor_dense_matmul_op.cc

#include <algorithm>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "minitf/contrib/sparse/sparse_math.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

template <typename T>
T ConjugateOf(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// Element (row, column) of op(B), where op(B) is B or its adjoint.
template <typename T>
class DenseMatrix {
 public:
  DenseMatrix(const Tensor& b, bool adjoint)
      : elements_(b.flat<T>().data()),
        row_stride_(adjoint ? 1 : b.dim(1)),
        column_stride_(adjoint ? b.dim(1) : 1),
        adjoint_(adjoint) {}

  T At(int64_t row, int64_t column) const {
    const T& x = elements_[row * row_stride_ + column * column_stride_];
    return adjoint_ ? ConjugateOf(x) : x;
  }

 private:
  const T* elements_;
  int64_t row_stride_;
  int64_t column_stride_;
  bool adjoint_;
};

class SparseTensorDenseMatMulOp final : public OpKernel {
 public:
  explicit SparseTensorDenseMatMulOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("adjoint_a", &adjoint_a_));
    OP_REQUIRES_OK(c, c->GetAttr("adjoint_b", &adjoint_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const SparseParts a = CheckedSparse(ctx, 0);
    const Tensor& b = ctx->input(3);
    Require(a.rank() == 2, "a must be a matrix, its shape has ", a.rank(), " sizes");
    Require(b.rank() == 2, "b must be a matrix, its shape is ", b.shape());
    const auto sizes = a.shape.flat<int64_t>();
    const int64_t rows = sizes[adjoint_a_ ? 1 : 0];
    const int64_t inner = sizes[adjoint_a_ ? 0 : 1];
    const int64_t columns = b.dim(adjoint_b_ ? 0 : 1);
    Require(inner == b.dim(adjoint_b_ ? 1 : 0), "inner dimensions differ: a has shape ",
            Shape(sizes), ", b has shape ", b.shape());
    Tensor* product = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {rows, columns}, &product));
    VisitNumber(b.dtype(), [&]<typename T>() { Multiply<T>(a, b, product); });
  }

 private:
  // Numbers of 16 bits are summed as floats.
  template <typename T>
  void Multiply(const SparseParts& a, const Tensor& b, Tensor* product) const {
    using C = ComputeType<T>;
    const int64_t columns = product->dim(1);
    const auto values = a.values.flat<T>();
    const DenseMatrix<T> dense(b, adjoint_b_);
    std::vector<C> sums(product->num_elements(), C{});
    for (int64_t i = 0; i < a.values.dim(0); ++i) {
      const auto place = PlaceAt(a.indices, i);
      const int64_t row = place[adjoint_a_ ? 1 : 0];
      const int64_t inner = place[adjoint_a_ ? 0 : 1];
      const C value = static_cast<C>(adjoint_a_ ? ConjugateOf(values[i]) : values[i]);
      C* sum = sums.data() + row * columns;
      for (int64_t k = 0; k < columns; ++k) {
        const C term = WrapMultiply(value, static_cast<C>(dense.At(inner, k)));
        sum[k] = WrapAdd(sum[k], term);
      }
    }
    StoreEach(product->num_elements(), product->mutable_flat<T>().data(),
              [&](int64_t i) { return sums[i]; });
  }

  bool adjoint_a_ = false;
  bool adjoint_b_ = false;
};
REGISTER_KERNEL(Kernel("SparseTensorDenseMatMul").On(Device::kCpu),
                SparseTensorDenseMatMulOp);

}  // namespace
}  // namespace minitf
