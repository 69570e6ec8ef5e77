// Math ops that are neither element by element nor a reduction: products of matrices,
// sums of many tensors, choices, conversions, running sums. One op, one block: the shapes
// it maps, then the op itself.
//
// Kernels    kernels/cpu/math/matmul.cc
// Gradients  minitf/gradients/math/math_grad.cc
// Compare    tensorflow/core/ops/math_ops.cc
// Read next  kernels/cpu/math/matmul.cc

#include <algorithm>
#include <vector>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/product_shapes.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

// ---- Products of matrices -------------------------------------------------------------

REGISTER_OP("MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .SetHasFreshOutputs()
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape& a = ctx->WithRank(0, 2, "a");
      const PartialShape& b = ctx->WithRank(1, 2, "b");
      ctx->set_output(0, MatMulShape(a, b, ctx->attr<bool>("transpose_a"),
                                     ctx->attr<bool>("transpose_b")));
    })
    .Doc(
        "The matrix product [m,n] of a [m,k] and b [k,n], each transposed first if "
        "so asked.");

// `broadcasts` says whether the axes in front of the matrices do.
void BatchProductShape(InferenceContext* ctx, bool broadcasts) {
  ctx->set_output(0,
                  BatchMatMulShape(ctx->input(0), ctx->input(1), ctx->attr<bool>("adj_x"),
                                   ctx->attr<bool>("adj_y"), broadcasts));
}

REGISTER_OP("BatchMatMul")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .SetHasFreshOutputs()
    .SetShapeFn([](InferenceContext* ctx) { BatchProductShape(ctx, false); })
    .Doc(
        "Products of many matrices at once: x [...,m,k] and y [...,k,n] give "
        "[...,m,n]. An input is transposed and conjugated first if so asked.");

REGISTER_OP("BatchMatMulV2")
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .SetHasFreshOutputs()
    .SetShapeFn([](InferenceContext* ctx) { BatchProductShape(ctx, true); })
    .Doc("As BatchMatMul; the axes in front of the last two broadcast.");

// ---- Sums, choices, conversions -------------------------------------------------------

REGISTER_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr(kNumbers)
    .SetIsCommutative()
    .SetShapeFn(MergedShape)
    .Doc("The sum of all inputs, which have one shape.");

REGISTER_OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "The elements of x as another type: numbers are rounded toward zero for "
        "integers, complex numbers lose their imaginary part, and true is what is "
        "not 0.");

bool SizesMayAgree(int64_t x, int64_t y) {
  return x == y || x == PartialShape::kUnknown || y == PartialShape::kUnknown;
}

//   condition  [n], [] or the shape of t
//   t, e       one shape, [n,...] if condition is [n]
void SelectShape(InferenceContext* ctx) {
  const PartialShape& condition = ctx->input(0);
  const PartialShape value = ctx->input(1).MergedWith(ctx->input(2));
  ctx->set_output(0, value);
  if (!condition.has_rank() || !value.has_rank() || condition.rank() == 0) return;
  const bool is_vector = condition.rank() == 1 && value.rank() >= 1;
  const bool fits = is_vector ? SizesMayAgree(condition.dim(0), value.dim(0))
                              : condition.IsCompatibleWith(value);
  Require(fits,
          "condition must be a scalar, a vector of the first size of t, or of the "
          "shape of t; condition is ",
          condition, ", t is ", value);
  if (!is_vector) ctx->set_output(0, value.MergedWith(condition));
}

REGISTER_OP("Select")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(SelectShape)
    .Doc(
        "The elements of t where condition is true, those of e elsewhere. condition "
        "has the shape of t, or is a scalar, or a vector that chooses between rows.");

REGISTER_OP("SelectV2")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->set_output(0, BroadcastShapes(BroadcastShapes(ctx->input(1), ctx->input(2)),
                                         ctx->input(0)));
    })
    .Doc(
        "The elements of t where condition is true, those of e elsewhere; all three "
        "broadcast.");

REGISTER_OP("ClipByValue")
    .Input("t: T")
    .Input("clip_value_min: T")
    .Input("clip_value_max: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, uint32, int32, "
        "uint64, int64}")
    .SetShapeFn(UnchangedShape)
    .Doc(
        "The elements of t, none below clip_value_min and none above "
        "clip_value_max, which are scalars or of the shape of t.");

// ---- The place of the largest and the smallest ----------------------------------------

// Output 0 is input 0 without the axis that input 1 names.
void WithoutAxisShape(InferenceContext* ctx) {
  ctx->WithRank(1, 0, "dimension");
  const PartialShape& input = ctx->input(0);
  if (!input.has_rank()) return ctx->set_output(0, {});
  Require(input.rank() >= 1, "a scalar has no axis to search");
  const Tensor* dimension = ctx->input_value(1);
  if (dimension == nullptr) {
    return ctx->set_output(0, PartialShape::OfRank(input.rank() - 1));
  }
  std::vector<int64_t> sizes(input.sizes().begin(), input.sizes().end());
  sizes.erase(sizes.begin() + NormalizedAxis(IntegersOf(*dimension)[0], input.rank()));
  ctx->set_output(0, PartialShape(sizes));
}

OpDefBuilder ArgOp(std::string_view name, std::string_view which) {
  return OpDefBuilder(name)
      .Input("input: T")
      .Input("dimension: Tidx")
      .Output("output: output_type")
      .Attr(kOrdered)
      .Attr("Tidx: {int32, int64} = int32")
      .Attr("output_type: {int32, int64} = int64")
      .SetShapeFn(WithoutAxisShape)
      .Doc(StrCat("Where along axis `dimension` the ", which,
                  " element stands; the first of several that are equal. The result "
                  "lacks that axis."));
}

const OpRegistrar kArgOps[] = {
    ArgOp("ArgMax", "largest"),
    ArgOp("ArgMin", "smallest"),
};

// ---- Running sums and products --------------------------------------------------------

OpDefBuilder CumulativeOp(std::string_view name, std::string_view what) {
  return OpDefBuilder(name)
      .Input("x: T")
      .Input("axis: Tidx")
      .Output("out: T")
      .Attr("exclusive: bool = false")
      .Attr("reverse: bool = false")
      .Attr(kNumbers)
      .Attr("Tidx: {int32, int64} = int32")
      .SetShapeFn(UnchangedShape)
      .Doc(StrCat("The ", what,
                  " of all elements up to each element along an axis; without that "
                  "element if exclusive, from the end if reverse."));
}

const OpRegistrar kCumulativeOps[] = {
    CumulativeOp("Cumsum", "sum"),
    CumulativeOp("Cumprod", "product"),
};

}  // namespace
}  // namespace minitf
