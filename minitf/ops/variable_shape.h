// The shape of a variable, for the shape functions of ops that take its handle.
//
// Read next  minitf/ops/cwise/power_difference.h

#pragma once

#include "minitf/framework/shape_inference.h"

namespace minitf {

/// The shape of the variable that an input points to, as far as a graph knows it. Throws
/// InvalidArgument unless the handle is a scalar.
inline PartialShape VariableShapeOf(InferenceContext* ctx, int input = 0) {
  ctx->WithRank(input, 0, "resource");
  // A handle that is at hand has no list of sizes in it.
  return ctx->input_value(input) == nullptr ? ctx->InputAsShape(input) : PartialShape();
}

}  // namespace minitf
