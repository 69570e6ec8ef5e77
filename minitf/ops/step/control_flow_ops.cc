// Branches and loops, as nodes. How they are run, minitf/runtime/executor/propagator.h
// tells.
//
// Compare    tensorflow/core/ops/control_flow_ops.cc
// Read next  kernels/cpu/step/control_flow.cc

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

void SwitchShape(InferenceContext* ctx) {
  ctx->WithRank(1, 0, "pred");
  ctx->set_output(0, ctx->input(0));
  ctx->set_output(1, ctx->input(0));
}

REGISTER_OP("Switch")
    .Input("data: T")
    .Input("pred: bool")
    .Output("output_false: T")
    .Output("output_true: T")
    .Attr("T: type")
    .SetRole(OpRole::kSwitch)
    .SetShapeFn(SwitchShape)
    .Doc(
        "Puts `data` on output_true if the scalar `pred` is true, else on output_false. "
        "The other output is dead: nothing that needs it is run.");

// What all inputs that are known to have agree on: axes of different sizes are unknown.
void MergeShape(InferenceContext* ctx) {
  ctx->set_output(1, Shape{});
  PartialShape common = ctx->input(0);
  for (int i = 1; i < ctx->num_inputs(); ++i) {
    const PartialShape& other = ctx->input(i);
    if (!common.has_rank()) return;
    if (!other.has_rank() || other.rank() != common.rank()) return;
    std::vector<int64_t> sizes(common.sizes().begin(), common.sizes().end());
    for (int axis = 0; axis < common.rank(); ++axis) {
      if (sizes[axis] != other.sizes()[axis]) sizes[axis] = PartialShape::kUnknown;
    }
    common = PartialShape(sizes);
  }
  ctx->set_output(0, common);
}

REGISTER_OP("Merge")
    .Input("inputs: N * T")
    .Output("output: T")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .SetRole(OpRole::kMerge)
    .SetShapeFn(MergeShape)
    .Doc(
        "The first of `inputs` that is there and not dead, and its number. Runs as soon "
        "as there is one.");

// The shape of a variable of the loop is not known: each iteration may change it.
void EnterShape(InferenceContext* ctx) {
  if (ctx->attr<bool>("is_constant")) ctx->set_output(0, ctx->input(0));
}

REGISTER_OP("Enter")
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("frame_name: string")
    .Attr("is_constant: bool = false")
    .Attr("parallel_iterations: int = 10")
    .SetRole(OpRole::kEnter)
    .SetShapeFn(EnterShape)
    .Doc(
        "Brings `data` into the loop `frame_name`: to its first iteration, or to every "
        "iteration if `is_constant`. At most `parallel_iterations` iterations run at "
        "once.");

REGISTER_OP("Exit")
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .SetRole(OpRole::kExit)
    .SetShapeFn(UnchangedShape)
    .Doc("Brings `data` out of the loop, from the iteration in which it is not dead.");

REGISTER_OP("NextIteration")
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .SetRole(OpRole::kNextIteration)
    .SetShapeFn(UnchangedShape)
    .Doc("Brings `data` to the next iteration of the loop.");

void LoopCondShape(InferenceContext* ctx) {
  ctx->set_output(0, ctx->WithRank(0, 0, "input"));
}

REGISTER_OP("LoopCond")
    .Input("input: bool")
    .Output("output: bool")
    .SetRole(OpRole::kLoopCond)
    .SetShapeFn(LoopCondShape)
    .Doc("The scalar `input`, which says whether the loop goes on.");
REGISTER_GRADIENT("LoopCond", kNotDifferentiable);

REGISTER_OP("ControlTrigger")
    .SetRole(OpRole::kControlTrigger)
    .SetShapeFn(NoOutputs)
    .Doc("Does nothing. Runs, for its control edges, also where they are dead.");
REGISTER_GRADIENT("ControlTrigger", kNotDifferentiable);

REGISTER_OP("Abort")
    .Attr("error_msg: string = ''")
    .Attr("exit_without_error: bool = false")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc(
        "Fails the step with `error_msg`. The process goes on, unlike TensorFlow's, and "
        "`exit_without_error` changes nothing.");
REGISTER_GRADIENT("Abort", kNotDifferentiable);

}  // namespace
}  // namespace minitf
