// Gradients of the segment ops: each row gets the gradient of the segment it went into.
//
// Sorted and unsorted ops share their gradients. RowsOf goes from segments back to rows,
// Joined from rows to segments again; rows that an unsorted op left out, because of a
// negative id, get zeros. A segment may have no rows at all, so what is divided by their
// number is divided by DivNoNan.
//
// Ops        minitf/ops/math/segment_ops.cc
// Compare    tensorflow/python/ops/math_grad.py
// Read next  minitf/gradients/state/state_grad.cc

#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

using Values = std::vector<Value>;

bool IsUnsorted(const GradientContext& ctx) {
  return ctx.op.name.starts_with("Unsorted");
}

// For `segments` [segments,...] the row of each id: a tensor of the shape of the data.
Value RowsOf(const GradientContext& ctx, Value segments) {
  const Value data = ctx.inputs[0];
  const Value ids = ctx.inputs[1];
  if (!IsUnsorted(ctx)) return ctx.Call("Gather", {segments, ids});

  const Value flat = ctx.Call("Reshape", {ids, Ints(ctx, {-1})});
  const Value zero = ctx.Call("ZerosLike", {flat});
  const Value rows =
      ctx.Call("Gather", {segments, ctx.Call("Maximum", {flat, zero})});  // [ids,...]
  const Value is_used = ctx.Call("GreaterEqual", {flat, zero});
  const Value used = ctx.Call("Select", {is_used, rows, ctx.Call("ZerosLike", {rows})});
  return ctx.Call("Reshape", {used, ShapeOf(ctx, data)});
}

// `rows`, of the shape of the data, joined into segments by "Sum", "Prod" or the like.
Value Joined(const GradientContext& ctx, const std::string& by, Value rows) {
  Values arguments = ctx.inputs;
  arguments[0] = rows;
  return ctx.Call((IsUnsorted(ctx) ? "UnsortedSegment" : "Segment") + by, arguments);
}

// Only the data has a gradient, not the ids or the number of segments.
Values OfData(const GradientContext& ctx, Value gradient) {
  Values result(ctx.inputs.size(), Value::None());
  result[0] = gradient;
  return result;
}

Value CastLikeDy(const GradientContext& ctx, Value x) {
  return ctx.Call("Cast", {x}, {{"DstT", ctx.emitter.dtype(ctx.dy[0])}});
}

Values SegmentSumGrad(const GradientContext& ctx) {
  return OfData(ctx, RowsOf(ctx, ctx.dy[0]));
}
REGISTER_GRADIENT("SegmentSum", SegmentSumGrad);
REGISTER_GRADIENT("UnsortedSegmentSum", SegmentSumGrad);

Values SegmentMeanGrad(const GradientContext& ctx) {
  const Value ones = ctx.Call("OnesLike", {ctx.inputs[0]});
  const Value count = Joined(ctx, "Sum", ones);
  return OfData(ctx, RowsOf(ctx, ctx.Call("DivNoNan", {ctx.dy[0], count})));
}
REGISTER_GRADIENT("SegmentMean", SegmentMeanGrad);

// Those that equal the result share the gradient evenly.
Values SegmentMaxOrMinGrad(const GradientContext& ctx) {
  const Value data = ctx.inputs[0];
  const Value is_chosen = ctx.Call("Equal", {data, RowsOf(ctx, ctx.outputs[0])});
  const Value count = Joined(ctx, "Sum", CastLikeDy(ctx, is_chosen));
  const Value shares = RowsOf(ctx, ctx.Call("DivNoNan", {ctx.dy[0], count}));
  return OfData(ctx,
                ctx.Call("Select", {is_chosen, shares, ctx.Call("ZerosLike", {shares})}));
}
REGISTER_GRADIENT("SegmentMax", SegmentMaxOrMinGrad);
REGISTER_GRADIENT("SegmentMin", SegmentMaxOrMinGrad);
REGISTER_GRADIENT("UnsortedSegmentMax", SegmentMaxOrMinGrad);
REGISTER_GRADIENT("UnsortedSegmentMin", SegmentMaxOrMinGrad);

// The product of all others is y / x unless x is 0. A 0 that is alone in its segment has
// the product of the rest, found by putting 1 in its place; of several zeros each one
// makes the gradient of the others 0.
Values SegmentProdGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value zeros = ctx.Call("ZerosLike", {x});
  const Value is_zero = ctx.Call("Equal", {x, zeros});
  const Value count =
      Joined(ctx, "Sum", ctx.Call("Cast", {is_zero}, {{"DstT", DType::kInt32}}));
  const Value one = ctx.emitter.Constant(Tensor::Scalar(int32_t{1}));
  const Value has_several = ctx.Call("Greater", {count, one});
  const Value dy =
      ctx.Call("Select", {has_several, ctx.Call("ZerosLike", {ctx.dy[0]}), ctx.dy[0]});

  const Value without_zeros = ctx.Call("Select", {is_zero, ctx.Call("OnesLike", {x}), x});
  const Value rest = RowsOf(ctx, Joined(ctx, "Prod", without_zeros));
  const Value quotient =
      ctx.Call("RealDiv", {RowsOf(ctx, ctx.outputs[0]), without_zeros});
  const Value others = ctx.Call("Select", {is_zero, rest, quotient});
  return OfData(ctx, ctx.Call("Mul", {RowsOf(ctx, dy), Conjugate(ctx, others)}));
}
REGISTER_GRADIENT("SegmentProd", SegmentProdGrad);
REGISTER_GRADIENT("UnsortedSegmentProd", SegmentProdGrad);

}  // namespace
}  // namespace minitf
