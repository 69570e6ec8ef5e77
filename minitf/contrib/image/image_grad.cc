// Gradients of colours.
//
// With M the largest and m the smallest of red, green and blue, and d = M - m:
//
//   value       V = M                  dV = dM
//   saturation  S = 1 - m / M          dS = m / M^2 dM - 1 / M dm
//   hue         H = (u / d + c) / 6    dH = (du / d - u / d^2 (dM - dm)) / 6
//
// u is the channel after the largest minus the one after that: green - blue if red is the
// largest, in the circle red, green, blue. Of equal channels the first counts as the
// largest and the last as the smallest. What would be divided by 0 is 0.
//
// Op         minitf/contrib/image/image_ops.cc
// Compare    tensorflow/python/ops/image_grad.py
// Read next  minitf/contrib/image/resize_grad.cc

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

// [N,3]: 1 in the column that `index` [N] names, else 0.
Value Marked(const GradientContext& ctx, Value index, Value like) {
  const Value three = ctx.emitter.Constant(Tensor::Scalar<int32_t>(3));
  const Value one = NumberLike(ctx, like, 1);
  return ctx.Call("OneHot", {index, three, one, NumberLike(ctx, like, 0)});
}

// [N,3] for rows x [N,3]: 1 at the largest channel, the first of equal ones.
Value LargestChannel(const GradientContext& ctx, Value x) {
  const Value last = ctx.emitter.Constant(Tensor::Scalar<int32_t>(1));
  return Marked(ctx, ctx.Call("ArgMax", {x, last}), x);
}

// The same for the smallest channel, the last of equal ones.
Value SmallestChannel(const GradientContext& ctx, Value x) {
  const Value backwards = ctx.Call("ReverseV2", {x, Ints(ctx, {1})});
  const Value largest = LargestChannel(ctx, ctx.Call("Neg", {backwards}));
  return ctx.Call("ReverseV2", {largest, Ints(ctx, {1})});
}

// For rows of marks [N,3]: 1 at the channel after the mark, -1 at the one after that.
Value NextMinusLast(const GradientContext& ctx, Value marks) {
  const Value circle = ctx.Call(
      "Pack", {Ints(ctx, {0, 1, -1}), Ints(ctx, {-1, 0, 1}), Ints(ctx, {1, -1, 0})});
  const DType dtype = ctx.emitter.dtype(marks);
  return ctx.Call("MatMul", {marks, ctx.Call("Cast", {circle}, {{"DstT", dtype}})});
}

// The sum of each row of x [N,3], as [N,1].
Value SumOfChannels(const GradientContext& ctx, Value x) {
  return ctx.Call("Sum", {x, Ints(ctx, {1})}, {{"keep_dims", true}});
}

// Column `i` of x [N,3], as [N,1].
Value Channel(const GradientContext& ctx, Value x, int i) {
  return ctx.Call("Slice", {x, Ints(ctx, {0, i}), Ints(ctx, {-1, 1})});
}

// 1 where x is above 0, else 0.
Value IsPositive(const GradientContext& ctx, Value x) {
  const Value is_positive = ctx.Call("Greater", {x, NumberLike(ctx, x, 0)});
  return ctx.Call("Cast", {is_positive}, {{"DstT", ctx.emitter.dtype(x)}});
}

std::vector<Value> RgbToHsvGrad(const GradientContext& ctx) {
  const Value rows = Ints(ctx, {-1, 3});
  const Value rgb = ctx.Call("Reshape", {ctx.inputs[0], rows});  // [N,3]
  const Value dy = ctx.Call("Reshape", {ctx.dy[0], rows});       // [N,3]
  const Value dmost = LargestChannel(ctx, rgb);
  const Value dleast = SmallestChannel(ctx, rgb);
  const Value most = SumOfChannels(ctx, Mul(ctx, dmost, rgb));  // [N,1]
  const Value least = SumOfChannels(ctx, Mul(ctx, dleast, rgb));

  const Value one = NumberLike(ctx, rgb, 1);
  const Value per_most = ctx.Call("DivNoNan", {least, ctx.Call("Square", {most})});
  const Value per_least = ctx.Call("DivNoNan", {one, most});
  const Value ds =
      Mul(ctx, IsPositive(ctx, rgb),
          ctx.Call("Sub", {Mul(ctx, dmost, per_most), Mul(ctx, dleast, per_least)}));

  const Value du = NextMinusLast(ctx, dmost);
  const Value u = SumOfChannels(ctx, Mul(ctx, du, rgb));
  const Value d = ctx.Call("Sub", {most, least});
  const Value by_u = ctx.Call("DivNoNan", {du, d});
  const Value per_d = ctx.Call("DivNoNan", {u, ctx.Call("Square", {d})});
  const Value by_d = Mul(ctx, per_d, ctx.Call("Sub", {dmost, dleast}));
  const Value sixth = Mul(ctx, IsPositive(ctx, most), NumberLike(ctx, rgb, 1.0 / 6));
  const Value dh = Mul(ctx, sixth, ctx.Call("Sub", {by_u, by_d}));

  const Value sum = ctx.Call(
      "AddN", {Mul(ctx, Channel(ctx, dy, 0), dh), Mul(ctx, Channel(ctx, dy, 1), ds),
               Mul(ctx, Channel(ctx, dy, 2), dmost)});
  return {ctx.Call("Reshape", {sum, ShapeOf(ctx, ctx.inputs[0])})};
}
REGISTER_GRADIENT("RGBToHSV", RgbToHsvGrad);

}  // namespace
}  // namespace minitf
