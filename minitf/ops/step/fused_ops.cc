// Ops that no user writes: several ops in one, put into a step's graph by the passes.
//
// They come after gradients have been made, so they have none.
//
// Kernels    kernels/cpu/math/fused_matmul.cc, kernels/cpu/conv/conv2d.cc,
//            kernels/cpu/cwise/fused_elementwise.cc
// Compare    tensorflow/core/ops/math_ops.cc, tensorflow/core/ops/nn_ops.cc
// Read next  minitf/passes/fusion.cc

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("_FusedMatMul")
    .Input("a: T")
    .Input("b: T")
    .Input("args: num_args * T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {float, double}")
    .Attr("num_args: int >= 0")
    .Attr("fused_ops: list(string) = []")
    .Attr("epsilon: float = 0.0001")
    .SetHasFreshOutputs()
    .SetShapeFn([](InferenceContext* ctx) { FindOp("MatMul").shape_fn(ctx); })
    .Doc(
        "The product [m,n] of a [m,k] and b [k,n], followed by what fused_ops names: "
        "BiasAdd, whose bias [n] is in args, and then an activation.");
REGISTER_GRADIENT("_FusedMatMul", kNotDifferentiable);

REGISTER_OP("_FusedConv2D")
    .Input("input: T")
    .Input("filter: T")
    .Input("args: num_args * T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Attr("num_args: int >= 0")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("fused_ops: list(string) = []")
    .Attr("epsilon: float = 0.0001")
    .SetHasFreshOutputs()
    .SetShapeFn([](InferenceContext* ctx) { FindOp("Conv2D").shape_fn(ctx); })
    .Doc(
        "Correlates images [N,H,W,C] with filters [R,S,C,K] to [N,P,Q,K], followed by "
        "what fused_ops names: BiasAdd, whose bias [K] is in args, and then an "
        "activation.");
REGISTER_GRADIENT("_FusedConv2D", kNotDifferentiable);

void BroadcastOfAll(InferenceContext* ctx) {
  PartialShape shape = ctx->input(0);
  for (int i = 1; i < ctx->num_inputs(); ++i) {
    shape = BroadcastShapes(shape, ctx->input(i));
  }
  ctx->set_output(0, shape);
}

REGISTER_OP("_FusedElementwise")
    .Input("inputs: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Attr("ops: list(string) >= 1")
    .Attr("arguments: list(int)")
    .SetForwardsInputs(3)
    .SetShapeFn(BroadcastOfAll)
    .Doc(
        "Several element-wise ops, one after another, on inputs that broadcast. Step i "
        "is ops[i] of arguments 2 i and 2 i + 1: a number below N is an input, N + j "
        "the result of step j, and -1 stands for no second argument. The output is the "
        "result of the last step.");
REGISTER_GRADIENT("_FusedElementwise", kNotDifferentiable);

}  // namespace
}  // namespace minitf
