// Calls that many gradient functions make, in short form.
//
// What is known already becomes a constant, so that a graph of known shapes has no node
// that works a shape out again at every step.
//
// Read next  minitf/gradients/unbroadcast.h

#pragma once

#include <cstdint>
#include <vector>

#include "minitf/framework/gradient.h"

namespace minitf {

inline Value Mul(const GradientContext& ctx, Value a, Value b) {
  return ctx.Call("Mul", {a, b});
}

/// A constant vector of int32.
Value Ints(const GradientContext& ctx, const std::vector<int64_t>& values);

/// A constant scalar of the dtype of `like`.
Value NumberLike(const GradientContext& ctx, Value like, double number);

/// The shape of `x` as a vector of int32: a constant if it is fully known.
Value ShapeOf(const GradientContext& ctx, Value x);

/// The number of axes of `x`, as a scalar of int32: a constant if it is known.
Value RankOf(const GradientContext& ctx, Value x);

/// The gradient of input 0, of which a lookup took the rows at input 1: dy[0], as slices
/// of a gradient of the shape `dense_shape`.
Value TakenRows(const GradientContext& ctx, Value dense_shape);

/// `gradient` in the shape of `x`, which was broadcast to the shape of `gradient`: its
/// sum along the axes along which x was stretched. The axes are worked out by an op.
Value SumToShapeOf(const GradientContext& ctx, Value gradient, Value x);

/// The conjugate of `x`; `x` itself if it is not complex.
Value Conjugate(const GradientContext& ctx, Value x);

/// `x` with 0 for its imaginary part, in the dtype of `x`; `x` itself if it is not
/// complex. That is all that counts of dL/dy if y is always real.
Value WithoutImaginary(const GradientContext& ctx, Value x);

/// The shape of input 0 of a reduction such as Sum, as a vector of int32, with 1 in place
/// of each size along which it reduces: the shape that it gives with keep_dims.
Value ShapeWithReducedAxesKept(const GradientContext& ctx);

/// How many elements of input 0 go into each element of output 0: a scalar of their
/// dtype.
Value NumReducedPerOutput(const GradientContext& ctx);

}  // namespace minitf
