// GradientOfLoop: a loop is differentiated by a loop that runs backwards.
//
//   forward     v = v0                                 for every variable v of the loop
//               for each iteration:  v = body(v, c)    c comes from outside of the loop
//
//   backward    dv = dL/d(v after the loop);  dc = 0
//               for each iteration, last one first:
//                 dc += dL/dc of this iteration
//                 dv  = dL/dv of this iteration, by a sweep through the body
//               dL/dv0 = dv;  dL/dc = dc
//
// The sweep through the body is the same as that through a graph: what the variables are
// at the end of the iteration are its ys, what they were at its beginning, and the
// constants, are its xs. What it takes of the forward iteration it gets from stacks
// (backward_flow.h).
//
// The loop may itself be the gradient of another, and pop what that one has pushed. Then
// its gradient pushes dL/d(popped) on a stack of gradients, from which the gradient of
// the other takes them for dL/d(pushed): a stack is differentiated by a stack.
//
// Compare    tensorflow/python/ops/control_flow_state.py, control_flow_grad.py
//            Yu et al., Dynamic Control Flow in Large-Scale Machine Learning, 2018
// Read next  minitf/graph/step_graph.h

#pragma once

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/graph/gradient_program.h"

namespace minitf {

/// dL/d(what enters), for every Enter of `call`; ctx.dy is that of its exits, and for its
/// pushes stacks of dL/d(what is pushed).
std::vector<Value> GradientOfLoop(const LoopCall& call, const GradientContext& ctx,
                                  GraphEmitter* emitter);

}  // namespace minitf
