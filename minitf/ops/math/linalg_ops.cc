// Ops on square matrices, and on diagonals.
//
// All but Diag and DiagPart take matrices [...,m,n] with any axes in front, and treat
// each matrix by itself.
//
// Kernels    kernels/cpu/math/linalg.cc, kernels/cpu/math/diagonal.cc
// Gradients  minitf/gradients/math/linalg_grad.cc
// Compare    tensorflow/core/ops/linalg_ops.cc, array_ops.cc
// Read next  minitf/ops/state/state_ops.cc

#include <algorithm>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// The sizes of an input with at least `rank` axes, or nothing if its rank is not known.
std::vector<int64_t> SizesOf(InferenceContext* ctx, int i, int rank) {
  const PartialShape& shape = ctx->input(i);
  if (!shape.has_rank()) return {};
  Require(shape.rank() >= rank, "input ", i, " must have at least rank ", rank,
          ", its shape is ", shape);
  return {shape.sizes().begin(), shape.sizes().end()};
}

// The size of the square matrices x, whichever of their sides it is known from.
int64_t SquareSize(const PartialShape& x) {
  const bool square =
      x.dim(-1) == x.dim(-2) || x.dim(-1) == kUnknown || x.dim(-2) == kUnknown;
  Require(square, "Input matrix must be square, got shape ", x);
  return std::max(x.dim(-1), x.dim(-2));
}

REGISTER_OP("MatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {float, double, complex64, complex128}")
    .SetShapeFn([](InferenceContext* ctx) {
      std::vector<int64_t> sizes = SizesOf(ctx, 0, 2);
      if (sizes.empty()) return;
      sizes.back() = sizes.end()[-2] = SquareSize(ctx->input(0));
      ctx->set_output(0, PartialShape(sizes));
    })
    .Doc(
        "The inverse of each matrix, or of its conjugate transpose if `adjoint`. Fails "
        "where there is none.");

REGISTER_OP("MatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {float, double, complex64, complex128}")
    .SetShapeFn([](InferenceContext* ctx) {
      std::vector<int64_t> sizes = SizesOf(ctx, 0, 2);
      if (sizes.empty()) return;
      SquareSize(ctx->input(0));
      sizes.resize(sizes.size() - 2);
      ctx->set_output(0, PartialShape(sizes));
    })
    .Doc("The determinant of each matrix.");

// ---- Diagonals ------------------------------------------------------------------------

constexpr char kDiagTypes[] =
    "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";

REGISTER_OP("Diag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr(kDiagTypes)
    .SetShapeFn([](InferenceContext* ctx) {
      std::vector<int64_t> sizes = SizesOf(ctx, 0, 1);
      if (sizes.empty()) return;
      sizes.insert(sizes.end(), sizes.begin(), sizes.begin() + ctx->input(0).rank());
      ctx->set_output(0, PartialShape(sizes));
    })
    .Doc(
        "Zeros of shape [s...,s...] with the elements of `diagonal` [s...] at "
        "(i..,i..).");

void DiagPartShape(InferenceContext* ctx) {
  const std::vector<int64_t> sizes = SizesOf(ctx, 0, 2);
  if (sizes.empty()) return;
  const PartialShape& input = ctx->input(0);
  Require(sizes.size() % 2 == 0, "the rank must be even, the shape is ", input);
  const auto half = sizes.begin() + static_cast<int64_t>(sizes.size() / 2);
  const PartialShape first(std::vector<int64_t>(sizes.begin(), half));
  const PartialShape second(std::vector<int64_t>(half, sizes.end()));
  Require(first.IsCompatibleWith(second),
          "both halves of the shape must be equal: ", input);
  ctx->set_output(0, first.MergedWith(second));
}

REGISTER_OP("DiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr(kDiagTypes)
    .SetShapeFn(DiagPartShape)
    .Doc("The elements at (i..,i..) of a tensor of shape [s...,s...].");

REGISTER_OP("MatrixDiag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn([](InferenceContext* ctx) {
      std::vector<int64_t> sizes = SizesOf(ctx, 0, 1);
      if (sizes.empty()) return;
      sizes.push_back(sizes.back());
      ctx->set_output(0, PartialShape(sizes));
    })
    .Doc("Square matrices of zeros with the vectors of `diagonal` on their diagonals.");

PartialShape DiagonalOf(const std::vector<int64_t>& sizes) {
  const int64_t rows = sizes[sizes.size() - 2];
  const int64_t columns = sizes.back();
  std::vector<int64_t> result(sizes.begin(), sizes.end() - 1);
  result.back() =
      rows == kUnknown || columns == kUnknown ? kUnknown : std::min(rows, columns);
  return PartialShape(result);
}

REGISTER_OP("MatrixDiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .SetShapeFn([](InferenceContext* ctx) {
      const std::vector<int64_t> sizes = SizesOf(ctx, 0, 2);
      if (!sizes.empty()) ctx->set_output(0, DiagonalOf(sizes));
    })
    .Doc("The diagonal of each matrix.");

//   input [s...,m,n], diagonal [s...,min(m,n)]  ->  output [s...,m,n]
void SetDiagShape(InferenceContext* ctx) {
  const PartialShape& diagonal = ctx->input(1);
  const std::vector<int64_t> sizes = SizesOf(ctx, 0, 2);
  std::vector<int64_t> batch = SizesOf(ctx, 1, 1);
  if (!sizes.empty()) {
    const PartialShape expected = DiagonalOf(sizes);
    Require(expected.IsCompatibleWith(diagonal), "diagonal must have shape ", expected,
            ", has ", diagonal);
  }
  if (batch.empty()) return ctx->set_output(0, ctx->input(0));
  batch.back() = kUnknown;
  batch.push_back(kUnknown);
  ctx->set_output(0, ctx->input(0).MergedWith(PartialShape(batch)));
}

REGISTER_OP("MatrixSetDiag")
    .Input("input: T")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(SetDiagShape)
    .Doc("Each matrix with its diagonal replaced.");

REGISTER_OP("MatrixBandPart")
    .Input("input: T")
    .Input("num_lower: Tindex")
    .Input("num_upper: Tindex")
    .Output("band: T")
    .Attr("T: type")
    .Attr("Tindex: {int32, int64} = int64")
    .SetShapeFn([](InferenceContext* ctx) {
      SizesOf(ctx, 0, 2);
      ctx->WithRank(1, 0, "num_lower");
      ctx->WithRank(2, 0, "num_upper");
      ctx->set_output(0, ctx->input(0));
    })
    .Doc(
        "Each matrix with zeros outside a band of num_lower diagonals below the main one "
        "and num_upper above. A negative number keeps all.");

}  // namespace
}  // namespace minitf
