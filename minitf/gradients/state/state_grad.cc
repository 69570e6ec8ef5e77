// Gradients of the state ops: reading a variable passes dL/dvalue to its handle.
//
// A handle is not a number, and yet it has a gradient, that of the value behind it. So a
// variable may be read many times, and all that comes back adds up at its handle.
//
// Ops        minitf/ops/state/state_ops.cc, minitf/ops/state/training_ops.cc
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
  return {TakenRows(ctx, ctx.Call("VariableShape", {ctx.inputs[0]})), Value::None()};
}
REGISTER_GRADIENT("ResourceGather", ResourceGatherGrad);

const NotDifferentiable kStateWithoutGradient(
    "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "DestroyResourceOp",
    "ResourceApplyAdadelta", "ResourceApplyAdagrad", "ResourceApplyAdam",
    "ResourceApplyCenteredRMSProp", "ResourceApplyFtrl", "ResourceApplyFtrlV2",
    "ResourceApplyGradientDescent", "ResourceApplyMomentum",
    "ResourceApplyProximalAdagrad", "ResourceApplyProximalGradientDescent",
    "ResourceApplyRMSProp", "ResourceCountUpTo", "ResourceScatterAdd",
    "ResourceScatterDiv", "ResourceScatterMax", "ResourceScatterMin",
    "ResourceScatterMul", "ResourceScatterSub", "ResourceScatterUpdate",
    "ResourceSparseApplyAdadelta", "ResourceSparseApplyAdagrad",
    "ResourceSparseApplyCenteredRMSProp", "ResourceSparseApplyFtrl",
    "ResourceSparseApplyFtrlV2", "ResourceSparseApplyMomentum",
    "ResourceSparseApplyProximalAdagrad", "ResourceSparseApplyProximalGradientDescent",
    "ResourceSparseApplyRMSProp", "ResourceStridedSliceAssign", "VarHandleOp",
    "VarIsInitializedOp", "VariableShape", "_FedVariable");

}  // namespace
}  // namespace minitf
