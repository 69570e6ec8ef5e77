// PowerDifference: (x - y)^pow, an op whose three parts are short enough to be read
// together.
//
//   what it is       minitf/ops/cwise/power_difference.cc: inputs, types, the shape
//   how it is done   kernels/cpu/cwise/power_difference_kernel.cc
//   its gradient     minitf/gradients/cwise/cwise_binary_grad.cc
//
// x and y broadcast; pow is a scalar. A number to the power 0 is 1, also 0 itself.
//
// Read next  minitf/ops/data/example_shapes.h

#pragma once

#include "minitf/framework/op.h"

namespace minitf {

/// Its definition: inputs x, y and pow, output z, all of type T, which is float, double,
/// int32 or int64.
OpDefBuilder DefinePowerDifference();

}  // namespace minitf
