// Gradients of the array ops.
//
// These ops only move elements, so their gradients move them back: what was joined is cut
// apart, what was cut out is put into zeros, what was repeated is added up. The gradient
// of Reshape is in math_grad.cc.
//
// Ops        minitf/ops/array/array_ops.cc, reshape_ops.cc, join_ops.cc, slice_ops.cc
// Compare    tensorflow/python/ops/array_grad.py
// Read next  minitf/gradients/array/gather_grad.cc

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

// The elements of `value`, if they are known before the graph runs.
std::optional<std::vector<int64_t>> KnownIntegers(const GradientContext& ctx,
                                                  Value value) {
  const std::optional<Tensor> known = ctx.emitter.KnownValue(value);
  if (!known) return std::nullopt;
  return IntegersOf(*known);
}

// The shape of `x` as a vector of the dtype of `like`.
Value ShapeAs(const GradientContext& ctx, Value x, Value like) {
  return ctx.Call("Shape", {x}, {{"out_type", ctx.emitter.dtype(like)}});
}

Value Reshape(const GradientContext& ctx, Value x, const std::vector<int64_t>& sizes) {
  return ctx.Call("Reshape", {x, Ints(ctx, sizes)});
}

// The gradients of all outputs, with zeros where there is none.
std::vector<Value> AllDy(const GradientContext& ctx) {
  std::vector<Value> dys = ctx.dy;
  for (size_t i = 0; i < dys.size(); ++i) {
    if (dys[i].is_none()) dys[i] = ctx.Call("ZerosLike", {ctx.outputs[i]});
  }
  return dys;
}

Value SumOfAll(const GradientContext& ctx, Value x) {
  const PartialShape shape = ctx.emitter.shape(x);
  if (shape.has_rank()) {
    std::vector<int64_t> axes(shape.rank());
    std::iota(axes.begin(), axes.end(), int64_t{0});
    return ctx.Call("Sum", {x, Ints(ctx, axes)});
  }
  return ctx.Call("Sum", {Reshape(ctx, x, {-1}), Ints(ctx, {0})});
}

// ---- Passing on -----------------------------------------------------------------------

std::vector<Value> PassOn(const GradientContext& ctx) {
  std::vector<Value> dx(ctx.inputs.size(), Value::None());
  std::copy(ctx.dy.begin(), ctx.dy.end(), dx.begin());
  return dx;
}
REGISTER_GRADIENT("EnsureShape", PassOn);
REGISTER_GRADIENT("Identity", PassOn);
REGISTER_GRADIENT("IdentityN", PassOn);
REGISTER_GRADIENT("PlaceholderWithDefault", PassOn);
REGISTER_GRADIENT("Snapshot", PassOn);

std::vector<Value> CheckNumericsGrad(const GradientContext& ctx) {
  const std::string message =
      "Not a number (NaN) or infinity (Inf) values detected in gradient.";
  return {ctx.Call("CheckNumerics", {ctx.dy[0]}, {{"message", message}})};
}
REGISTER_GRADIENT("CheckNumerics", CheckNumericsGrad);

std::vector<Value> PreventGradientGrad(const GradientContext& ctx) {
  throw Error(errors::NotFound("Gradient explicitly disabled. Reason: ",
                               ctx.attr<std::string>("message")));
}
REGISTER_GRADIENT("PreventGradient", PreventGradientGrad);

// y is full of the one element of input 1
std::vector<Value> FillGrad(const GradientContext& ctx) {
  return {Value::None(), SumOfAll(ctx, ctx.dy[0])};
}
REGISTER_GRADIENT("Fill", FillGrad);

// ---- Another shape, another order -----------------------------------------------------

std::vector<Value> BackToShapeOfX(const GradientContext& ctx) {
  std::vector<Value> dx(ctx.inputs.size(), Value::None());
  dx[0] = ctx.Call("Reshape", {ctx.dy[0], ShapeOf(ctx, ctx.inputs[0])});
  return dx;
}
REGISTER_GRADIENT("ExpandDims", BackToShapeOfX);
REGISTER_GRADIENT("Squeeze", BackToShapeOfX);

// y = x with its axes in the order perm; the way back is the inverse of perm
std::vector<Value> TransposeGrad(const GradientContext& ctx) {
  const Value perm = ctx.inputs[1];
  Value inverse = Value::None();
  if (const auto known = KnownIntegers(ctx, perm)) {
    const auto rank = static_cast<int>(known->size());
    const std::vector<int> order = AsPermutation(*known, rank);
    std::vector<int64_t> back(rank);
    for (int i = 0; i < rank; ++i) back[order[i]] = i;
    inverse = Ints(ctx, back);
  } else {
    inverse = ctx.Call("InvertPermutation", {perm});
  }
  return {ctx.Call(ctx.op.name, {ctx.dy[0], inverse}), Value::None()};
}
REGISTER_GRADIENT("Transpose", TransposeGrad);
REGISTER_GRADIENT("ConjugateTranspose", TransposeGrad);

std::vector<Value> SpaceToDepthGrad(const GradientContext& ctx) {
  const char* back = ctx.op.name == "SpaceToDepth" ? "DepthToSpace" : "SpaceToDepth";
  return {ctx.Call(back, {ctx.dy[0]}, ctx.attrs)};
}
REGISTER_GRADIENT("DepthToSpace", SpaceToDepthGrad);
REGISTER_GRADIENT("SpaceToDepth", SpaceToDepthGrad);

std::vector<Value> SpaceToBatchGrad(const GradientContext& ctx) {
  const std::string back =
      ctx.op.name == "SpaceToBatchND" ? "BatchToSpaceND" : "SpaceToBatchND";
  return {ctx.Call(back, {ctx.dy[0], ctx.inputs[1], ctx.inputs[2]}), Value::None(),
          Value::None()};
}
REGISTER_GRADIENT("BatchToSpaceND", SpaceToBatchGrad);
REGISTER_GRADIENT("SpaceToBatchND", SpaceToBatchGrad);

std::vector<Value> SameOpAgain(const GradientContext& ctx) {
  std::vector<Value> inputs = ctx.inputs;
  inputs[0] = ctx.dy[0];
  std::vector<Value> dx(inputs.size(), Value::None());
  dx[0] = ctx.Call(ctx.op.name, inputs, ctx.attrs);
  return dx;
}
REGISTER_GRADIENT("Reverse", SameOpAgain);
REGISTER_GRADIENT("ReverseSequence", SameOpAgain);
REGISTER_GRADIENT("ReverseV2", SameOpAgain);

// ---- Repeating ------------------------------------------------------------------------

// Axis i of y is multiples[i] copies of axis i of x. With these written as two axes,
// [m0,d0,m1,d1,...], the copies are added up along the even ones.
std::vector<Value> TileGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value multiples = ctx.inputs[1];
  const auto known = KnownIntegers(ctx, multiples);
  const PartialShape shape = ctx.emitter.shape(x);
  Value split = Value::None();
  Value axes = Value::None();
  if (known && shape.IsFullyKnown()) {
    std::vector<int64_t> sizes;
    std::vector<int64_t> even;
    for (int i = 0; i < shape.rank(); ++i) {
      sizes.insert(sizes.end(), {(*known)[i], shape.dim(i)});
      even.push_back(2 * i);
    }
    split = Ints(ctx, sizes);
    axes = Ints(ctx, even);
  } else {
    const Value pairs =
        ctx.Call("Pack", {multiples, ShapeAs(ctx, x, multiples)}, {{"axis", int64_t{1}}});
    split = Reshape(ctx, pairs, {-1});
    axes = ctx.Call("Range",
                    {ctx.emitter.Constant(Tensor::Scalar(0)), ctx.Call("Size", {split}),
                     ctx.emitter.Constant(Tensor::Scalar(2))});
  }
  const Value copies = ctx.Call("Reshape", {ctx.dy[0], split});
  const Value sum = ctx.Call("Sum", {copies, axes});
  return {ctx.Call("Reshape", {sum, ShapeOf(ctx, x)}), Value::None()};
}
REGISTER_GRADIENT("Tile", TileGrad);

std::vector<Value> BroadcastToGrad(const GradientContext& ctx) {
  return {SumToShapeOf(ctx, ctx.dy[0], ctx.inputs[0]), Value::None()};
}
REGISTER_GRADIENT("BroadcastTo", BroadcastToGrad);

// ---- Joining and taking apart ---------------------------------------------------------

// The sizes of `values` on `axis`, if they are known.
std::optional<std::vector<int64_t>> KnownSizes(const GradientContext& ctx,
                                               const std::vector<Value>& values,
                                               Value axis) {
  const auto known_axis = KnownIntegers(ctx, axis);
  if (!known_axis) return std::nullopt;
  std::vector<int64_t> sizes;
  for (const Value value : values) {
    const PartialShape shape = ctx.emitter.shape(value);
    if (!shape.has_rank()) return std::nullopt;
    sizes.push_back(shape.dim(NormalizedAxis((*known_axis)[0], shape.rank())));
    if (sizes.back() == PartialShape::kUnknown) return std::nullopt;
  }
  return sizes;
}

// The rows of `slices` of dL/dy that lie in each of `values`, which are behind each other
// on axis 0.
std::vector<Value> SortedByPart(const GradientContext& ctx, const IndexedSlices& slices,
                                const std::vector<Value>& values) {
  const DType dtype = ctx.emitter.dtype(slices.indices);
  const auto scalar_of = [&](Value x) {
    return ctx.Call("Cast", {Reshape(ctx, x, {})}, {{"DstT", dtype}});
  };
  Value begin = scalar_of(Ints(ctx, {0}));
  std::vector<Value> parts;
  for (const Value value : values) {
    const Value shape = ShapeOf(ctx, value);
    const Value size = ctx.Call("Slice", {shape, Ints(ctx, {0}), Ints(ctx, {1})});
    const Value end = ctx.Call("AddV2", {begin, scalar_of(size)});
    const Value is_inside =
        ctx.Call("LogicalAnd", {ctx.Call("GreaterEqual", {slices.indices, begin}),
                                ctx.Call("Less", {slices.indices, end})});
    const Value chosen = Reshape(ctx, ctx.Call("Where", {is_inside}), {-1});
    const Value indices = ctx.Call("Gather", {slices.indices, chosen});
    parts.push_back(ctx.emitter.Slices({ctx.Call("Gather", {slices.values, chosen}),
                                        ctx.Call("Sub", {indices, begin}), shape}));
    begin = end;
  }
  return parts;
}

// dL/dvalues for y = all values behind each other along `axis`.
std::vector<Value> CutApart(const GradientContext& ctx, const std::vector<Value>& values,
                            Value axis) {
  const auto known_axis = KnownIntegers(ctx, axis);
  const IndexedSlices* slices = ctx.emitter.FindSlices(ctx.dy[0]);
  if (slices != nullptr && known_axis && (*known_axis)[0] == 0) {
    return SortedByPart(ctx, IndexedSlices(*slices), values);
  }
  const Value axis32 = ctx.emitter.dtype(axis) == DType::kInt32
                           ? axis
                           : ctx.Call("Cast", {axis}, {{"DstT", DType::kInt32}});
  if (const auto sizes = KnownSizes(ctx, values, axis)) {
    return ctx.emitter.CallAll("SplitV", {ctx.dy[0], Ints(ctx, *sizes), axis32},
                               {{"num_split", static_cast<int64_t>(sizes->size())}});
  }
  std::vector<Value> shapes;
  for (const Value value : values) shapes.push_back(ShapeOf(ctx, value));
  std::vector<Value> arguments = shapes;
  arguments.insert(arguments.begin(), axis32);
  const std::vector<Value> offsets = ctx.emitter.CallAll("ConcatOffset", arguments, {});
  std::vector<Value> parts;
  for (size_t i = 0; i < values.size(); ++i) {
    parts.push_back(ctx.Call("Slice", {ctx.dy[0], offsets[i], shapes[i]}));
  }
  return parts;
}

std::vector<Value> ConcatV2Grad(const GradientContext& ctx) {
  const std::vector<Value> values(ctx.inputs.begin(), ctx.inputs.end() - 1);
  std::vector<Value> dx = CutApart(ctx, values, ctx.inputs.back());
  dx.push_back(Value::None());
  return dx;
}
REGISTER_GRADIENT("ConcatV2", ConcatV2Grad);

std::vector<Value> ConcatGrad(const GradientContext& ctx) {
  const std::vector<Value> values(ctx.inputs.begin() + 1, ctx.inputs.end());
  std::vector<Value> dx = CutApart(ctx, values, ctx.inputs[0]);
  dx.insert(dx.begin(), Value::None());
  return dx;
}
REGISTER_GRADIENT("Concat", ConcatGrad);

// dL/dvalue for pieces of it along `axis`.
Value JoinDy(const GradientContext& ctx, Value axis) {
  std::vector<Value> dys = AllDy(ctx);
  if (dys.size() == 1) return dys[0];
  dys.push_back(axis);
  return ctx.Call("ConcatV2", dys);
}

std::vector<Value> SplitGrad(const GradientContext& ctx) {
  return {Value::None(), JoinDy(ctx, ctx.inputs[0])};
}
REGISTER_GRADIENT("Split", SplitGrad);

std::vector<Value> SplitVGrad(const GradientContext& ctx) {
  return {JoinDy(ctx, ctx.inputs[2]), Value::None(), Value::None()};
}
REGISTER_GRADIENT("SplitV", SplitVGrad);

std::vector<Value> PackGrad(const GradientContext& ctx) {
  return ctx.emitter.CallAll("Unpack", {ctx.dy[0]},
                             {{"num", static_cast<int64_t>(ctx.inputs.size())},
                              {"axis", ctx.attr<int64_t>("axis")}});
}
REGISTER_GRADIENT("Pack", PackGrad);

std::vector<Value> UnpackGrad(const GradientContext& ctx) {
  return {ctx.Call("Pack", AllDy(ctx), {{"axis", ctx.attr<int64_t>("axis")}})};
}
REGISTER_GRADIENT("Unpack", UnpackGrad);

// ---- Parts ----------------------------------------------------------------------------

// y is a part of x from begin on; dx is dy with zeros where the rest of x was.
std::vector<Value> SliceGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value begin = ctx.inputs[1];
  const Value dy = ctx.dy[0];
  const Value rest =
      ctx.Call("Sub", {ShapeAs(ctx, x, begin), ShapeAs(ctx, ctx.outputs[0], begin)});
  const Value after = ctx.Call("Sub", {rest, begin});
  const Value paddings = ctx.Call("Pack", {begin, after}, {{"axis", int64_t{1}}});
  return {ctx.Call("Pad", {dy, paddings}), Value::None(), Value::None()};
}
REGISTER_GRADIENT("Slice", SliceGrad);

std::vector<Value> StridedSliceGrad(const GradientContext& ctx) {
  const auto& in = ctx.inputs;  // x, begin, end, strides
  return {
      ctx.Call("StridedSliceGrad",
               {ShapeAs(ctx, in[0], in[1]), in[1], in[2], in[3], ctx.dy[0]}, ctx.attrs),
      Value::None(), Value::None(), Value::None()};
}
REGISTER_GRADIENT("StridedSlice", StridedSliceGrad);

std::vector<Value> StridedSliceGradGrad(const GradientContext& ctx) {
  const auto& in = ctx.inputs;  // shape, begin, end, strides, dy
  std::vector<Value> dx(5, Value::None());
  dx[4] = ctx.Call("StridedSlice", {ctx.dy[0], in[1], in[2], in[3]}, ctx.attrs);
  return dx;
}
REGISTER_GRADIENT("StridedSliceGrad", StridedSliceGradGrad);

// dx is the middle of dy; the value that was padded with gets all the rest.
std::vector<Value> PadGrad(const GradientContext& ctx) {
  const Value x = ctx.inputs[0];
  const Value paddings = ctx.inputs[1];  // [rank,2]
  const Value first_column =
      ctx.Call("Slice", {paddings, Ints(ctx, {0, 0}), Ints(ctx, {-1, 1})});
  const Value begin = Reshape(ctx, first_column, {-1});
  const Value dx = ctx.Call("Slice", {ctx.dy[0], begin, ShapeAs(ctx, x, paddings)});
  if (ctx.inputs.size() == 2) return {dx, Value::None()};
  const Value dvalue = ctx.Call("Sub", {SumOfAll(ctx, ctx.dy[0]), SumOfAll(ctx, dx)});
  return {dx, Value::None(), dvalue};
}
REGISTER_GRADIENT("Pad", PadGrad);
REGISTER_GRADIENT("PadV2", PadGrad);

std::vector<Value> MirrorPadGrad(const GradientContext& ctx) {
  const std::string back = ctx.op.name == "MirrorPad" ? "MirrorPadGrad" : "MirrorPad";
  return {ctx.Call(back, {ctx.dy[0], ctx.inputs[1]},
                   {{"mode", ctx.attr<std::string>("mode")}}),
          Value::None()};
}
REGISTER_GRADIENT("MirrorPad", MirrorPadGrad);
REGISTER_GRADIENT("MirrorPadGrad", MirrorPadGrad);

// ---- No gradient ----------------------------------------------------------------------

const NotDifferentiable kArrayWithoutGradient("ConcatOffset", "Const",
                                              "InvertPermutation", "LinSpace", "NoOp",
                                              "OneHot", "OnesLike", "Placeholder",
                                              "Range", "Rank", "Shape", "ShapeN", "Size",
                                              "StopGradient", "ZerosLike");

}  // namespace
}  // namespace minitf
