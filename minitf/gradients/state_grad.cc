// Gradients of the state ops: reading a variable passes dL/dvalue to its handle.
//
// A handle is not a number, and yet it has a gradient, that of the value behind it. So a
// variable may be read many times, and all that comes back adds up at its handle.
//
// Ops        minitf/ops/state_ops.cc, minitf/ops/training_ops.cc
// Compare    tensorflow/python/ops/resource_variable_ops.py
// Read next  minitf/gradients/add_gradients.cc

#include <vector>

#include "minitf/framework/gradient.h"
#include "minitf/gradients/emit.h"

namespace minitf {
namespace {

std::vector<Value> ReadVariableOpGrad(const GradientContext& ctx) { return {ctx.dy[0]}; }
REGISTER_GRADIENT("ReadVariableOp", ReadVariableOpGrad);

std::vector<Value> ResourceGatherGrad(const GradientContext& ctx) {
  if (ctx.attr<int64_t>("batch_dims") != 0) {
    throw Error(errors::Unimplemented("no gradient of ResourceGather with batch_dims"));
  }
  const Value shape = ctx.Call("VariableShape", {ctx.inputs[0]});
  const Value rows =
      ctx.Call("StridedSlice", {shape, Ints(ctx, {0}), Ints(ctx, {1}), Ints(ctx, {1})},
               {{"shrink_axis_mask", int64_t{1}}});
  return {ctx.Call("UnsortedSegmentSum", {ctx.dy[0], ctx.inputs[1], rows}),
          Value::None()};
}
REGISTER_GRADIENT("ResourceGather", ResourceGatherGrad);

const GradientRegistrar kStateWithoutGradient[] = {
    {"AssignAddVariableOp", kNotDifferentiable},
    {"AssignSubVariableOp", kNotDifferentiable},
    {"AssignVariableOp", kNotDifferentiable},
    {"DestroyResourceOp", kNotDifferentiable},
    {"ResourceApplyAdadelta", kNotDifferentiable},
    {"ResourceApplyAdagrad", kNotDifferentiable},
    {"ResourceApplyAdam", kNotDifferentiable},
    {"ResourceApplyCenteredRMSProp", kNotDifferentiable},
    {"ResourceApplyFtrl", kNotDifferentiable},
    {"ResourceApplyGradientDescent", kNotDifferentiable},
    {"ResourceApplyMomentum", kNotDifferentiable},
    {"ResourceApplyRMSProp", kNotDifferentiable},
    {"ResourceCountUpTo", kNotDifferentiable},
    {"ResourceScatterAdd", kNotDifferentiable},
    {"ResourceScatterDiv", kNotDifferentiable},
    {"ResourceScatterMax", kNotDifferentiable},
    {"ResourceScatterMin", kNotDifferentiable},
    {"ResourceScatterMul", kNotDifferentiable},
    {"ResourceScatterSub", kNotDifferentiable},
    {"ResourceScatterUpdate", kNotDifferentiable},
    {"VarHandleOp", kNotDifferentiable},
    {"VarIsInitializedOp", kNotDifferentiable},
    {"VariableShape", kNotDifferentiable},
};

}  // namespace
}  // namespace minitf
