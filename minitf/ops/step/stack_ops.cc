// Stack ops: what the iterations of a loop leave for those of its gradient.
//
// A stack lives for a part of a step: each run of StackV2 makes a new one, which lives as
// long as a tensor holds a handle to it. What goes in last comes out first, as a loop
// that runs backwards needs it.
//
// Kernels    kernels/cpu/step/stack.cc
// Compare    tensorflow/core/ops/data_flow_ops.cc
// Read next  minitf/graph/gradients/loop_gradient.h

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("StackV2")
    .Input("max_size: int32")
    .Output("handle: resource")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(
        "A new stack of tensors of `elem_type`, of at most the scalar `max_size`; a "
        "negative size is no limit.");
REGISTER_GRADIENT("StackV2", kNotDifferentiable);

void StackPushShape(InferenceContext* ctx) { ctx->set_output(0, ctx->input(1)); }

REGISTER_OP("StackPushV2")
    .Input("handle: resource")
    .Input("elem: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("swap_memory: bool = false")
    .SetIsStateful()
    .SetShapeFn(StackPushShape)
    .Doc(
        "Puts `elem` on top of the stack, and gives it back. `swap_memory` allows to "
        "keep "
        "it in the memory of the CPU, where it is in any case.");
REGISTER_GRADIENT("StackPushV2", kNotDifferentiable);

REGISTER_OP("StackPopV2")
    .Input("handle: resource")
    .Output("elem: elem_type")
    .Attr("elem_type: type")
    .SetIsStateful()
    .SetShapeFn(UnknownShape)
    .Doc("Takes the top element off the stack.");
REGISTER_OP("StackCloseV2")
    .Input("handle: resource")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc("Drops all elements; from then on nothing can be pushed or popped.");
REGISTER_GRADIENT("StackCloseV2", kNotDifferentiable);

}  // namespace
}  // namespace minitf
