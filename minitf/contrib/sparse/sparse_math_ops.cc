// Arithmetic of sparse tensors: matmul, sums, reductions, and a common order of elements.
//
// Kernels    minitf/contrib/sparse/sparse_matmul.cc, sparse_add.cc, sparse_cwise.cc,
//            sparse_reduce.cc, sparse_reorder.cc
// Gradients  minitf/contrib/sparse/sparse_math_grad.cc
// Compare    tensorflow/core/ops/sparse_ops.cc
// Read next  minitf/contrib/sparse/sparse_rows.h

#include <set>
#include <string>
#include <vector>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

// Inputs i to i + 2 are the indices, values and shape of a sparse tensor. Returns its
// rank, or kUnknown.
int64_t RankOfSparse(InferenceContext* ctx, int i) {
  const PartialShape& indices = ctx->WithRank(i, 2, "the matrix of indices");
  const PartialShape& values = ctx->WithRank(i + 1, 1, "the vector of values");
  const PartialShape& shape = ctx->WithRank(i + 2, 1, "the vector of sizes");
  const PartialShape expected{values.has_rank() ? values.dim(0) : kUnknown,
                              shape.has_rank() ? shape.dim(0) : kUnknown};
  Require(indices.IsCompatibleWith(expected), "indices have shape ", indices, ", values ",
          values, ", and the shape ", shape, "; expected indices of shape ", expected);
  return indices.MergedWith(expected).dim(1);
}

std::string Kinds(const std::string& attr, const char* list) {
  return attr + std::string(list).substr(1);
}

// ---- Matrix multiplication ------------------------------------------------------------

void SparseMatMulShape(InferenceContext* ctx) {
  RankOfSparse(ctx, 0);
  const PartialShape& b = ctx->WithRank(3, 2, "b");
  const PartialShape a = ctx->InputAsShape(2);
  Require(!a.has_rank() || a.rank() == 2, "a_shape must have 2 elements, got ", a);
  const auto size = [](const PartialShape& shape, bool last) {
    return shape.has_rank() ? shape.dim(last ? 1 : 0) : kUnknown;
  };
  const bool adjoint_a = ctx->attr<bool>("adjoint_a");
  const bool adjoint_b = ctx->attr<bool>("adjoint_b");
  const int64_t inner_a = size(a, !adjoint_a);
  const int64_t inner_b = size(b, adjoint_b);
  Require(inner_a == kUnknown || inner_b == kUnknown || inner_a == inner_b,
          "inner dimensions differ: a has shape ", a, ", b has shape ", b);
  ctx->set_output(0, {size(a, adjoint_a), size(b, !adjoint_b)});
}

REGISTER_OP("SparseTensorDenseMatMul")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b: T")
    .Output("product: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64} = int64")
    .Attr("adjoint_a: bool = false")
    .Attr("adjoint_b: bool = false")
    .SetShapeFn(SparseMatMulShape)
    .Doc("The product of a sparse matrix and a dense one.");

// ---- Sums -----------------------------------------------------------------------------

OpDefBuilder OfTwoSparse(const std::string& name, const std::string& types) {
  OpDefBuilder builder(name);
  builder.Input("a_indices: int64")
      .Input("a_values: T")
      .Input("a_shape: int64")
      .Input("b_indices: int64")
      .Input("b_values: T")
      .Input("b_shape: int64")
      .Attr(types);
  return builder;
}

int64_t RankOfBoth(InferenceContext* ctx) {
  const PartialShape both =
      PartialShape{RankOfSparse(ctx, 0)}.MergedWith({RankOfSparse(ctx, 3)});
  return both.dim(0);
}

const OpRegistrar kTwoSparseOps[] = {
    OfTwoSparse("SparseAdd", kNumbers)
        .Input("thresh: Treal")
        .Output("sum_indices: int64")
        .Output("sum_values: T")
        .Output("sum_shape: int64")
        .Attr(Kinds("Treal", kOrdered))
        .SetShapeFn([](InferenceContext* ctx) {
          const int64_t rank = RankOfBoth(ctx);
          ctx->WithRank(6, 0, "thresh");
          ctx->set_output(0, {kUnknown, rank});
          ctx->set_output(1, PartialShape::OfRank(1));
          ctx->set_output(2, {rank});
        })
        .Doc("The sum of two sparse tensors. Where both have an element, a sum whose "
             "magnitude is less than `thresh` is left out."),
    OfTwoSparse("SparseSparseMaximum", kOrdered)
        .Output("output_indices: int64")
        .Output("output_values: T")
        .SetShapeFn([](InferenceContext* ctx) {
          ctx->set_output(0, {kUnknown, RankOfBoth(ctx)});
          ctx->set_output(1, PartialShape::OfRank(1));
        })
        .Doc("The larger element of two sparse tensors; a missing element is 0."),
    OfTwoSparse("SparseSparseMinimum", kNumbers)
        .Output("output_indices: int64")
        .Output("output_values: T")
        .SetShapeFn([](InferenceContext* ctx) {
          ctx->set_output(0, {kUnknown, RankOfBoth(ctx)});
          ctx->set_output(1, PartialShape::OfRank(1));
        })
        .Doc("The smaller element of two sparse tensors; a missing element is 0."),
};

REGISTER_OP("SparseAddGrad")
    .Input("backprop_val_grad: T")
    .Input("a_indices: int64")
    .Input("b_indices: int64")
    .Input("sum_indices: int64")
    .Output("a_val_grad: T")
    .Output("b_val_grad: T")
    .Attr(kNumbers)
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 1, "backprop_val_grad");
      ctx->WithRank(3, 2, "sum_indices");
      for (int i = 0; i < 2; ++i) {
        const PartialShape& indices =
            ctx->WithRank(i + 1, 2, i == 0 ? "a_indices" : "b_indices");
        ctx->set_output(i, {indices.has_rank() ? indices.dim(0) : kUnknown});
      }
    })
    .Doc("The gradient of SparseAdd for the values of both terms.");

REGISTER_OP("SparseTensorDenseAdd")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: Tindices")
    .Input("b: T")
    .Output("output: T")
    .Attr(kNumbers)
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn([](InferenceContext* ctx) {
      RankOfSparse(ctx, 0);
      ctx->set_output(0, ctx->input(3).MergedWith(ctx->InputAsShape(2)));
    })
    .Doc("The sum of a sparse tensor and a dense one of the same shape.");

// ---- A sparse tensor and a dense one, element by element ------------------------------

OpDefBuilder SparseDenseOp(const std::string& name, const std::string& doc) {
  OpDefBuilder builder(name);
  builder.Input("sp_indices: int64")
      .Input("sp_values: T")
      .Input("sp_shape: int64")
      .Input("dense: T")
      .Output("output: T")
      .Attr(kNumbers)
      .SetShapeFn([](InferenceContext* ctx) {
        RankOfSparse(ctx, 0);
        const PartialShape& indices = ctx->input(0);
        const PartialShape& values = ctx->input(1);
        ctx->set_output(
            0, PartialShape{indices.has_rank() ? indices.dim(0) : kUnknown}.MergedWith(
                   values));
      })
      .Doc(doc + " Gives the values at `sp_indices`. `dense` broadcasts to `sp_shape`.");
  return builder;
}

const OpRegistrar kSparseDenseOps[] = {
    SparseDenseOp("SparseDenseCwiseMul", "Multiplies a sparse tensor by a dense one."),
    SparseDenseOp("SparseDenseCwiseDiv", "Divides a sparse tensor by a dense one."),
    SparseDenseOp("SparseDenseCwiseAdd", "Adds a dense tensor to a sparse one."),
};

REGISTER_OP("SparseSoftmax")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Output("output: T")
    .Attr("T: {float, double}")
    .SetShapeFn([](InferenceContext* ctx) {
      RankOfSparse(ctx, 0);
      ctx->set_output(0, PartialShape::OfRank(1).MergedWith(ctx->input(1)));
    })
    .Doc("The softmax of the listed elements of each row along the last axis.");

// ---- Reductions -----------------------------------------------------------------------

// The shape of the dense result, if the sizes and the axes are known.
void SparseReduceShape(InferenceContext* ctx) {
  RankOfSparse(ctx, 0);
  const PartialShape input = ctx->InputAsShape(2);
  const auto given = KnownIntegers(ctx, 3);
  if (!given || !input.has_rank()) return;
  std::set<int> axes;
  for (const int64_t axis : *given) axes.insert(NormalizedAxis(axis, input.rank()));
  const bool keep_dims = ctx->attr<bool>("keep_dims");
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < input.rank(); ++axis) {
    if (!axes.contains(axis)) sizes.push_back(input.dim(axis));
    if (axes.contains(axis) && keep_dims) sizes.push_back(1);
  }
  ctx->set_output(0, PartialShape(sizes));
}

OpDefBuilder SparseReduceOp(const std::string& name, const std::string& types) {
  OpDefBuilder builder(name);
  builder.Input("input_indices: int64")
      .Input("input_values: T")
      .Input("input_shape: int64")
      .Input("reduction_axes: int32")
      .Attr("keep_dims: bool = false")
      .Attr(types);
  return builder;
}

OpDefBuilder ToSparse(OpDefBuilder builder, const std::string& doc) {
  return builder.Output("output_indices: int64")
      .Output("output_values: T")
      .Output("output_shape: int64")
      .SetShapeFn([](InferenceContext* ctx) {
        RankOfSparse(ctx, 0);
        ctx->set_output(0, PartialShape::OfRank(2));
        ctx->set_output(1, PartialShape::OfRank(1));
        ctx->set_output(2, PartialShape::OfRank(1));
      })
      .Doc(doc);
}

const OpRegistrar kSparseReduceOps[] = {
    SparseReduceOp("SparseReduceSum", kNumbers)
        .Output("output: T")
        .SetShapeFn(SparseReduceShape)
        .Doc("The sums of a sparse tensor along axes, as a dense tensor."),
    SparseReduceOp("SparseReduceMax", kOrdered)
        .Output("output: T")
        .SetShapeFn(SparseReduceShape)
        .Doc("The largest of the listed elements along axes, as a dense tensor; 0 where "
             "no element is listed."),
    ToSparse(SparseReduceOp("SparseReduceSumSparse", kNumbers),
             "The sums of a sparse tensor along axes, as a sparse tensor."),
    ToSparse(SparseReduceOp("SparseReduceMaxSparse", kOrdered),
             "The largest of the listed elements along axes, as a sparse tensor."),
};

// ---- Order ----------------------------------------------------------------------------

REGISTER_OP("SparseReorder")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr("T: type")
    .SetShapeFn([](InferenceContext* ctx) {
      RankOfSparse(ctx, 0);
      ctx->set_output(0, PartialShape::OfRank(2).MergedWith(ctx->input(0)));
      ctx->set_output(1, PartialShape::OfRank(1).MergedWith(ctx->input(1)));
    })
    .Doc(
        "A sparse tensor whose elements are in row-major order. Elements of one place "
        "keep their order.");

}  // namespace
}  // namespace minitf
