// Gradients of the arithmetic of sparse tensors: for the values, and for dense inputs.
//
// Op         minitf/contrib/sparse/sparse_math_ops.cc
// Compare    tensorflow/python/ops/sparse_grad.py
// Read next  minitf/contrib/sparse/sparse_math.h

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

Value Integer(const GradientContext& ctx, int32_t value) {
  return ctx.emitter.Constant(Tensor::Scalar(value));
}

Value Wide(const GradientContext& ctx, Value integers) {
  return ctx.Call("Cast", {integers}, {{"DstT", DType::kInt64}});
}

// ---- Matrix multiplication ------------------------------------------------------------

// P = op(A) op(B). dL/dA[i,k] is the product of row i of dP and row k of op(B). dL/dB is
// the adjoint of op(A) times dP.
std::vector<Value> SparseMatMulGrad(const GradientContext& ctx) {
  const Value indices = ctx.inputs[0];
  const Value dy = ctx.dy[0];
  const bool adjoint_a = ctx.attr<bool>("adjoint_a");
  const bool adjoint_b = ctx.attr<bool>("adjoint_b");
  const auto adjoint = [&](Value matrix) {
    return ctx.Call("ConjugateTranspose", {matrix, Ints(ctx, {1, 0})});
  };
  const Value product =
      ctx.Call("SparseTensorDenseMatMul", {indices, ctx.inputs[1], ctx.inputs[2], dy},
               {{"adjoint_a", !adjoint_a}});
  const auto column = [&](int32_t i) {
    return ctx.Call("GatherV2", {indices, Integer(ctx, i), Integer(ctx, 1)});
  };
  const Value b = adjoint_b ? adjoint(ctx.inputs[3]) : ctx.inputs[3];
  const Value of_dy = ctx.Call("Gather", {dy, column(adjoint_a ? 1 : 0)});
  const Value of_b = ctx.Call("Gather", {b, column(adjoint_a ? 0 : 1)});
  const Value terms = Mul(ctx, of_dy, Conjugate(ctx, of_b));
  const Value sums = ctx.Call("Sum", {terms, Ints(ctx, {1})});
  return {Value::None(), adjoint_a ? Conjugate(ctx, sums) : sums, Value::None(),
          adjoint_b ? adjoint(product) : product};
}
REGISTER_GRADIENT("SparseTensorDenseMatMul", SparseMatMulGrad);

// ---- Sums -----------------------------------------------------------------------------

std::vector<Value> SparseAddGrad(const GradientContext& ctx) {
  const Value none = Value::None();
  if (ctx.dy[1].is_none()) return {none, none, none, none, none, none, none};
  const std::vector<Value> dx = ctx.emitter.CallAll(
      "SparseAddGrad", {ctx.dy[1], ctx.inputs[0], ctx.inputs[3], ctx.outputs[0]}, {});
  return {none, dx[0], none, none, dx[1], none, none};
}
REGISTER_GRADIENT("SparseAdd", SparseAddGrad);

// Each value of a term has the gradient of its sum, so the second derivative adds up
// what the values of both terms pass back.
std::vector<Value> SparseAddGradGrad(const GradientContext& ctx) {
  const Value none = Value::None();
  Value sum = none;
  for (int i = 0; i < 2; ++i) {
    if (ctx.dy[i].is_none()) continue;
    const Value places = ctx.inputs[i + 1];
    // The gradient that each place of the sum passes on, taken by its own places.
    const Value back = ctx.emitter.CallAll(
        "SparseAddGrad", {ctx.dy[i], ctx.inputs[3], ctx.inputs[3], places}, {})[0];
    sum = sum.is_none() ? back : ctx.Call("AddV2", {sum, back});
  }
  return {sum, none, none, none};
}
REGISTER_GRADIENT("SparseAddGrad", SparseAddGradGrad);

std::vector<Value> SparseTensorDenseAddGrad(const GradientContext& ctx) {
  return {Value::None(), ctx.Call("GatherNd", {ctx.dy[0], ctx.inputs[0]}), Value::None(),
          ctx.dy[0]};
}
REGISTER_GRADIENT("SparseTensorDenseAdd", SparseTensorDenseAddGrad);

// ---- A sparse tensor and a dense one --------------------------------------------------

// The dense input with axes of size 1 in front, up to the rank of the sparse one. Each
// element of the sparse input has a partner in it, at `places`.
struct Partner {
  explicit Partner(const GradientContext& ctx) {
    const Value dense = ctx.inputs[3];
    const Value rank = ctx.Call("Size", {ctx.inputs[2]});
    const Value ahead = ctx.Call("Sub", {rank, ctx.Call("Rank", {dense})});
    const Value ones =
        ctx.Call("Fill", {ctx.Call("Reshape", {ahead, Ints(ctx, {1})}), Integer(ctx, 1)});
    const Value sizes =
        ctx.Call("ConcatV2", {ones, ctx.Call("Shape", {dense}), Integer(ctx, 0)});
    shape = Wide(ctx, sizes);
    const Value last =
        ctx.Call("Sub", {shape, ctx.emitter.Constant(Tensor::Scalar<int64_t>(1))});
    places = ctx.Call("Minimum", {ctx.inputs[0], last});
    values = ctx.Call("GatherNd", {ctx.Call("Reshape", {dense, shape}), places});
  }

  // The gradient of the dense input, of which each partner has `terms`.
  Value Scattered(const GradientContext& ctx, Value terms) const {
    const Value sums = ctx.Call("ScatterNd", {places, terms, shape});
    return ctx.Call("Reshape", {sums, ctx.Call("Shape", {ctx.inputs[3]})});
  }

  Value shape;
  Value places;
  Value values;
};

std::vector<Value> SparseDenseMulGrad(const GradientContext& ctx) {
  const Partner dense(ctx);
  const Value dy = ctx.dy[0];
  const Value terms = Mul(ctx, dy, Conjugate(ctx, ctx.inputs[1]));
  return {Value::None(), Mul(ctx, dy, Conjugate(ctx, dense.values)), Value::None(),
          dense.Scattered(ctx, terms)};
}
REGISTER_GRADIENT("SparseDenseCwiseMul", SparseDenseMulGrad);

// y = x / d, so dL/dx = dy / d and dL/dd = -dy y / d.
std::vector<Value> SparseDenseDivGrad(const GradientContext& ctx) {
  const Partner dense(ctx);
  const Value dx = ctx.Call("Div", {ctx.dy[0], Conjugate(ctx, dense.values)});
  const Value terms = ctx.Call("Neg", {Mul(ctx, dx, Conjugate(ctx, ctx.outputs[0]))});
  return {Value::None(), dx, Value::None(), dense.Scattered(ctx, terms)};
}
REGISTER_GRADIENT("SparseDenseCwiseDiv", SparseDenseDivGrad);

std::vector<Value> SparseDenseAddGrad(const GradientContext& ctx) {
  return {Value::None(), ctx.dy[0], Value::None(),
          Partner(ctx).Scattered(ctx, ctx.dy[0])};
}
REGISTER_GRADIENT("SparseDenseCwiseAdd", SparseDenseAddGrad);

// ---- Reductions -----------------------------------------------------------------------

// The shape of the input with 1 in place of each reduced size, as int64.
Value KeptShape(const GradientContext& ctx, Value sizes, Value axes) {
  const Value flat = ctx.Call("Reshape", {axes, Ints(ctx, {-1})});
  const Value rank = ctx.Call("Size", {sizes});
  const Value places =
      ctx.Call("ExpandDims", {ctx.Call("FloorMod", {flat, rank}), Integer(ctx, 1)});
  const Value count = ctx.Call(
      "ScatterNd", {places, ctx.Call("OnesLike", {flat}), ctx.Call("Shape", {sizes})});
  const Value is_kept = ctx.Call("Equal", {count, Integer(ctx, 0)});
  return ctx.Call("SelectV2",
                  {is_kept, sizes, ctx.emitter.Constant(Tensor::Scalar<int64_t>(1))});
}

// Each value has the gradient of its sum.
std::vector<Value> SparseReduceSumGrad(const GradientContext& ctx) {
  const Value kept = KeptShape(ctx, ctx.inputs[2], ctx.inputs[3]);
  const Value last =
      ctx.Call("Sub", {kept, ctx.emitter.Constant(Tensor::Scalar<int64_t>(1))});
  const Value places = ctx.Call("Minimum", {ctx.inputs[0], last});
  const Value dy = ctx.Call("Reshape", {ctx.dy[0], kept});
  return {Value::None(), ctx.Call("GatherNd", {dy, places}), Value::None(),
          Value::None()};
}
REGISTER_GRADIENT("SparseReduceSum", SparseReduceSumGrad);

// dx = y (dy - sum of y dy in the row)
std::vector<Value> SparseSoftmaxGrad(const GradientContext& ctx) {
  const Value places = ctx.inputs[0];
  const Value shape = ctx.inputs[2];
  const Value y = ctx.outputs[0];
  const Value terms = Mul(ctx, y, ctx.dy[0]);
  const Value sums = ctx.Call("SparseReduceSum", {places, terms, shape, Ints(ctx, {-1})},
                              {{"keep_dims", true}});
  const Value less = ctx.Call("SparseDenseCwiseAdd",
                              {places, ctx.dy[0], shape, ctx.Call("Neg", {sums})});
  return {Value::None(), Mul(ctx, y, less), Value::None()};
}
REGISTER_GRADIENT("SparseSoftmax", SparseSoftmaxGrad);

// ---- Order ----------------------------------------------------------------------------

// The numbers of the elements are reordered too; their inverse puts dy back.
std::vector<Value> SparseReorderGrad(const GradientContext& ctx) {
  if (ctx.dy[1].is_none()) return {Value::None(), Value::None(), Value::None()};
  const Value count = ctx.Call("Size", {ctx.inputs[1]});
  const Value numbers = ctx.Call("Range", {Integer(ctx, 0), count, Integer(ctx, 1)});
  const Value order = ctx.emitter.CallAll("SparseReorder",
                                          {ctx.inputs[0], numbers, ctx.inputs[2]}, {})[1];
  const Value back = ctx.Call("InvertPermutation", {order});
  return {Value::None(), ctx.Call("Gather", {ctx.dy[1], back}), Value::None()};
}
REGISTER_GRADIENT("SparseReorder", SparseReorderGrad);

const NotDifferentiable kSparseMathWithoutGradient("SparseReduceMax",
                                                   "SparseReduceMaxSparse",
                                                   "SparseReduceSumSparse",
                                                   "SparseSparseMaximum",
                                                   "SparseSparseMinimum");

}  // namespace
}  // namespace minitf
