// Which way a broadcast is undone: now, or when the graph runs.

#include "minitf/gradients/unbroadcast.h"

#include "minitf/framework/shape_inference.h"
#include "minitf/gradients/emit.h"

namespace minitf {

Value SumToShapeOfInput(const GradientContext& ctx, Value gradient, int i) {
  const PartialShape x_shape = ctx.emitter.shape(ctx.inputs[0]);
  const PartialShape y_shape = ctx.emitter.shape(ctx.inputs[1]);
  if (!x_shape.IsFullyKnown() || !y_shape.IsFullyKnown()) {
    return SumToShapeOf(ctx, gradient, ctx.inputs[i]);  // an op finds the axes
  }
  if (x_shape == y_shape) return gradient;
  return SumTo(ctx, gradient, BroadcastShapes(x_shape.ToShape(), y_shape.ToShape()),
               (i == 0 ? x_shape : y_shape).ToShape());
}

}  // namespace minitf
