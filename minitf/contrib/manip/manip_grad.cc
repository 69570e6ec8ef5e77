// Gradients of Roll and of ScatterNd into tensors.
//
// Ops        minitf/contrib/manip/manip_ops.cc
// Compare    tensorflow/python/ops/manip_grad.py, array_grad.py
// Read next  minitf/contrib/manip/roll.cc

#include <vector>

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

// Rolls dy back. The shift is widened first, since -shift may not fit into int32.
std::vector<Value> RollGrad(const GradientContext& ctx) {
  const Value shift = ctx.Call("Cast", {ctx.inputs[1]}, {{"DstT", DType::kInt64}});
  const Value back = ctx.Call("Neg", {shift});
  return {ctx.Call("Roll", {ctx.dy[0], back, ctx.inputs[2]}), Value::None(),
          Value::None()};
}
REGISTER_GRADIENT("Roll", RollGrad);

// The replaced parts of `tensor` do not count.
std::vector<Value> TensorScatterUpdateGrad(const GradientContext& ctx) {
  const Value dy = ctx.dy[0];
  const Value indices = ctx.inputs[1];
  const Value zeros = ctx.Call("ZerosLike", {ctx.inputs[2]});
  return {ctx.Call("TensorScatterUpdate", {dy, indices, zeros}), Value::None(),
          ctx.Call("GatherNd", {dy, indices})};
}
REGISTER_GRADIENT("TensorScatterUpdate", TensorScatterUpdateGrad);

std::vector<Value> TensorScatterAddGrad(const GradientContext& ctx) {
  return {ctx.dy[0], Value::None(), ctx.Call("GatherNd", {ctx.dy[0], ctx.inputs[1]})};
}
REGISTER_GRADIENT("TensorScatterAdd", TensorScatterAddGrad);

std::vector<Value> TensorScatterSubGrad(const GradientContext& ctx) {
  const Value taken = ctx.Call("GatherNd", {ctx.dy[0], ctx.inputs[1]});
  return {ctx.dy[0], Value::None(), ctx.Call("Neg", {taken})};
}
REGISTER_GRADIENT("TensorScatterSub", TensorScatterSubGrad);

const NotDifferentiable kScatterNdWithoutGradient("ResourceScatterNdAdd",
                                                  "ResourceScatterNdSub",
                                                  "ResourceScatterNdUpdate");

}  // namespace
}  // namespace minitf
