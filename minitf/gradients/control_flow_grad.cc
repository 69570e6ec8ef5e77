// Gradients of branches and loops: not there yet, and said so rather than left out in
// silence.
//
// Compare    tensorflow/python/ops/control_flow_grad.py
// Read next  minitf/gradients/add_gradients.h

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

std::vector<Value> ControlFlowGrad(const GradientContext& ctx) {
  throw Error(errors::Unimplemented(
      "there is no gradient yet of what passes through tf.cond or tf.while_loop: node '",
      ctx.node_name, "' (", ctx.op.name, ")"));
}
REGISTER_GRADIENT("Switch", ControlFlowGrad);
REGISTER_GRADIENT("Merge", ControlFlowGrad);
REGISTER_GRADIENT("Enter", ControlFlowGrad);
REGISTER_GRADIENT("Exit", ControlFlowGrad);
REGISTER_GRADIENT("NextIteration", ControlFlowGrad);

}  // namespace
}  // namespace minitf
