// Undoing a broadcast: the gradient of an input that was stretched.
//
// If x [3] is added to y [2,3], every element of x is used twice, once for each row. Its
// gradient is the sum over these uses, so dL/dz [2,3] must be summed over axis 0.
//
// Compare    tensorflow/python/ops/math_grad.py, SmartBroadcastGradientArgs
// Read next  minitf/gradients/add_gradients.h

#pragma once

#include "minitf/framework/gradient.h"

namespace minitf {

/// For an op z = f(x, y) whose inputs broadcast: `gradient`, of the shape of z, summed
/// along the axes along which input `i` (0 for x, 1 for y) was stretched, in the shape of
/// that input.
Value SumToShapeOfInput(const GradientContext& ctx, Value gradient, int i);

/// `gradient` of shape `from`, summed along the axes along which a tensor of shape `to`
/// was stretched to `from`; in the shape `to`. Requires: `to` broadcasts to `from`.
Value SumTo(const GradientContext& ctx, Value gradient, const Shape& from,
            const Shape& to);

}  // namespace minitf
