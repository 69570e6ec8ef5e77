// AddGradients: dL/dx of any program, by the chain rule in reverse order.
//
// A program is a list of calls in an order in which they can run: the nodes of a graph
// between xs and ys, or what a tape has recorded. The sweep goes through it backwards, so
// that all of dL/d(output) is there when it comes to a call; the call's gradient function
// makes dL/d(input) of them, and contributions to one value are added up.
//
// The new calls go through an Emitter, which makes nodes of them or runs them at once. So
// this one sweep is tf.gradients and tf.GradientTape both.
//
// Compare    tensorflow/python/ops/gradients_util.py, tensorflow/c/eager/tape.h: there
//            the two modes have a sweep each
// Read next  minitf/graph/graph.h

#pragma once

#include <string_view>
#include <vector>

#include "minitf/framework/gradient.h"

namespace minitf {

/// One call of a program. The pointers stay good while the program is differentiated.
struct OpRecord {
  const OpDef* op = nullptr;
  const Attrs* attrs = nullptr;
  std::vector<Value> inputs;
  std::vector<Value> outputs;
  std::string_view node_name;  ///< for messages; may be empty
  /// How it is differentiated, if it is not one call but many, such as a whole loop; null
  /// for what is registered for the op.
  const GradientFn* gradient = nullptr;
};

struct GradientRequest {
  std::vector<Value> ys;  ///< L is the sum of all elements of all ys, each times its dys
  std::vector<Value> xs;
  std::vector<Value> dys;             ///< one for each y; a none stands for ones
  std::vector<Value> stop_gradients;  ///< values that are taken as constants
};

/// Whether values of `dtype` have gradients: floating and complex ones, and resources,
/// whose gradient is that of the variable they point to.
bool IsDifferentiable(DType dtype);

/// Returns dL/dx for every x of request.xs: a value of x's shape, or none where L does
/// not depend on x. Requires: in `program`, a value is an output before it is an input.
///
/// Throws NotFound when L depends on some x through an op that has no registered
/// gradient; the message names the op, the node and the ops that have one with a similar
/// name. Throws InvalidArgument when request.dys are not as many as request.ys.
std::vector<Value> AddGradients(const std::vector<OpRecord>& program,
                                const GradientRequest& request, Emitter& emitter);

}  // namespace minitf
