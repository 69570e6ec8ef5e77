// Diagonals on the CPU: one copy loop that takes a row and a column in each step.
//
// Op         minitf/ops/math/linalg_ops.cc
// Compare    tensorflow/core/kernels/diag_op.cc, matrix_diag_op.cc,
//            matrix_band_part_op.cc

#include <algorithm>

#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// The last two sizes of `x`, and how many matrices there are.
struct Matrices {
  explicit Matrices(const Shape& x) {
    Require(x.rank() >= 2, "input must be at least 2-dim, received shape: ", x);
    rows = x.dim(x.rank() - 2);
    columns = x.dim(x.rank() - 1);
    diagonal = std::min(rows, columns);
    count = diagonal == 0 ? 0 : x.num_elements() / (rows * columns);
  }

  // The loops from the diagonals of the matrices to vectors. From one element of a
  // diagonal to the next it is a row and a column: columns + 1 elements.
  std::vector<CopyLoop> Loops() const {
    return {{count, rows * columns, diagonal}, {diagonal, columns + 1, 1}};
  }
  // The loops from vectors to the diagonals.
  std::vector<CopyLoop> LoopsBack() const {
    return {{count, diagonal, rows * columns}, {diagonal, 1, columns + 1}};
  }

  int64_t rows;
  int64_t columns;
  int64_t diagonal;
  int64_t count;
};

Shape DiagonalShape(const Shape& x, int64_t diagonal) {
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end() - 1);
  sizes.back() = diagonal;
  return Shape(sizes);
}

// Puts zeros into y, and `diagonals` onto its diagonals, as matrices of shape `as`.
void PutDiagonals(OpKernelContext* ctx, const Tensor& diagonals, const Shape& as,
                  Tensor* y) {
  FillTensor(ZeroOf(y->dtype()), y, ctx->threads());
  StridedCopy(diagonals, 0, y, 0, Matrices(as).LoopsBack(), ctx->threads());
}

class DiagOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [s...]
    Require(x.rank() >= 1, "diagonal must be at least 1-dim");
    std::vector<int64_t> sizes = x.shape().ToVector();
    sizes.insert(sizes.end(), sizes.begin(), sizes.begin() + x.rank());
    Tensor* y = nullptr;  // [s..., s...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &y));
    PutDiagonals(ctx, x, Shape{x.num_elements(), x.num_elements()}, y);
  }
};
REGISTER_KERNEL(Kernel("Diag").On(Device::kCpu), DiagOp);

class DiagPartOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [s..., s...]
    const int half = x.rank() / 2;
    bool fits = x.rank() % 2 == 0 && half > 0;
    for (int k = 0; fits && k < half; ++k) fits = x.dim(k) == x.dim(half + k);
    Require(fits, "both halves of the shape must be equal: ", x.shape());
    const auto sizes = x.shape().sizes().first(half);
    Tensor* y = nullptr;  // [s...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &y));
    const int64_t n = y->num_elements();
    StridedCopy(x, 0, y, 0, Matrices(Shape{n, n}).Loops(), ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("DiagPart").On(Device::kCpu), DiagPartOp);

class MatrixDiagOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [..., n]
    Require(x.rank() >= 1, "diagonal must be at least 1-dim");
    std::vector<int64_t> sizes = x.shape().ToVector();
    sizes.push_back(sizes.back());
    Tensor* y = nullptr;  // [..., n, n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &y));
    PutDiagonals(ctx, x, y->shape(), y);
  }
};
REGISTER_KERNEL(Kernel("MatrixDiag").On(Device::kCpu), MatrixDiagOp);

class MatrixDiagPartOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [..., m, n]
    const Matrices matrices(x.shape());
    Tensor* y = nullptr;  // [..., min(m, n)]
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, DiagonalShape(x.shape(), matrices.diagonal), &y));
    StridedCopy(x, 0, y, 0, matrices.Loops(), ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("MatrixDiagPart").On(Device::kCpu), MatrixDiagPartOp);

class MatrixSetDiagOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);         // [..., m, n]
    const Tensor& diagonal = ctx->input(1);  // [..., min(m, n)]
    const Matrices matrices(x.shape());
    const Shape expected = DiagonalShape(x.shape(), matrices.diagonal);
    Require(diagonal.shape() == expected, "diagonal must have shape ", expected, ", has ",
            diagonal.shape());
    Tensor* y = nullptr;  // [..., m, n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    StridedCopy(x, 0, y, 0, {{x.num_elements(), 1, 1}}, ctx->threads());
    StridedCopy(diagonal, 0, y, 0, matrices.LoopsBack(), ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("MatrixSetDiag").On(Device::kCpu), MatrixSetDiagOp);

class MatrixBandPartOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [..., m, n]
    const Matrices matrices(x.shape());
    const int64_t below = NumberOf(ctx->host_input(1), "num_lower", matrices.rows);
    const int64_t above = NumberOf(ctx->host_input(2), "num_upper", matrices.columns);
    Tensor* y = nullptr;  // [..., m, n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    FillTensor(ZeroOf(y->dtype()), y, ctx->threads());
    const int64_t size = matrices.rows * matrices.columns;
    for (int64_t row = 0; row < matrices.rows; ++row) {
      const int64_t first = std::max<int64_t>(0, row - below);
      const int64_t last = std::min(matrices.columns, row + above + 1);
      if (first >= last) continue;
      const int64_t offset = row * matrices.columns + first;
      StridedCopy(x, offset, y, offset,
                  {{matrices.count, size, size}, {last - first, 1, 1}}, ctx->threads());
    }
  }

 private:
  // How many diagonals are kept on one side: at most `all`, and all if negative.
  static int64_t NumberOf(const Tensor& number, const char* name, int64_t all) {
    const int64_t value = IntegerOf(number, name);
    Require(value <= all, name,
            " must be negative or less or equal to number of rows or ", "columns (", all,
            ") got: ", value);
    return value < 0 ? all : value;
  }
};
REGISTER_KERNEL(
    Kernel("MatrixBandPart").On(Device::kCpu).HostMemory("num_lower", "num_upper"),
    MatrixBandPartOp);

}  // namespace
}  // namespace minitf
