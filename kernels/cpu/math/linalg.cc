// Inverses and determinants on the CPU, by LU decomposition with pivots.
//
// Op         minitf/ops/math/linalg_ops.cc
// Compare    tensorflow/core/kernels/matrix_inverse_op.cc, determinant_op.cc

#include <complex>
#include <type_traits>

#include <Eigen/LU>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// The number of rows of the square matrices in `x`.
int64_t RowsOf(const Tensor& x) {
  Require(x.rank() >= 2, "Input must have rank >= 2, got shape ", x.shape());
  const int64_t rows = x.dim(x.rank() - 1);
  Require(rows == x.dim(x.rank() - 2), "Input matrix must be square, got shape ",
          x.shape());
  return rows;
}

// Matrices are decomposed in double, whatever their type: that is safer, and the compiler
// sees one decomposition in place of two.
template <typename T>
using Wide = std::conditional_t<kIsComplex<T>, complex128, double>;

template <typename T>
Eigen::PartialPivLU<Matrix<Wide<T>>> Decompose(const T* matrix, int64_t n) {
  return Matrix<Wide<T>>(ConstMatrixView<T>(matrix, n, n).template cast<Wide<T>>())
      .partialPivLu();
}

template <typename T>
class MatrixInverseOp final : public OpKernel {
 public:
  explicit MatrixInverseOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("adjoint", &adjoint_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [..., n, n]
    const int64_t n = RowsOf(x);
    Tensor* y = nullptr;  // [..., n, n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->num_elements() == 0) return;
    for (int64_t start = 0; start < x.num_elements(); start += n * n) {
      const auto lu = Decompose(x.flat<T>().data() + start, n);
      // A pivot of 0 is left only where a column depends on those before it.
      const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
      Require(pivots.minCoeff() > 0, "Input is not invertible.");
      const Matrix<Wide<T>> inverse = lu.inverse();
      MatrixView<T> result(y->mutable_flat<T>().data() + start, n, n);
      if (adjoint_) {
        result = inverse.adjoint().template cast<T>();
      } else {
        result = inverse.template cast<T>();
      }
    }
  }

 private:
  bool adjoint_ = false;
};

template <typename T>
class MatrixDeterminantOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [..., n, n]
    const int64_t n = RowsOf(x);
    const std::vector<int64_t> outer(x.shape().sizes().begin(),
                                     x.shape().sizes().end() - 2);
    Tensor* y = nullptr;  // [...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(outer), &y));
    const T* matrix = x.flat<T>().data();
    for (T& determinant : y->mutable_flat<T>()) {
      // A matrix without elements has determinant 1, the empty product.
      determinant = n == 0 ? T(1) : static_cast<T>(Decompose(matrix, n).determinant());
      matrix += n * n;
    }
  }
};

const bool kLinalgRegistered =
    ForTypes(Types<float, double>{} + ComplexTypes{}, []<typename T>() {
      RegisterKernel<MatrixInverseOp<T>>(Kernel("MatrixInverse").Type<T>("T"));
      RegisterKernel<MatrixDeterminantOp<T>>(Kernel("MatrixDeterminant").Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
