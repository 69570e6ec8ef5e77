// Gradients of sparse tensors: what makes them dense has one.
//
// Op         minitf/contrib/sparse/sparse_ops.cc
// Compare    tensorflow/python/ops/sparse_grad.py
// Read next  minitf/contrib/sparse/sparse_tensors.h

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

// The values are where dy is listed, the default is everywhere else.
std::vector<Value> SparseToDenseGrad(const GradientContext& ctx) {
  const Value dy = ctx.dy[0];
  const Value places = ctx.inputs[0];
  const PartialShape shape = ctx.emitter.shape(places);
  const PartialShape values = ctx.emitter.shape(ctx.inputs[2]);
  Require(
      shape.has_rank() && shape.rank() == 2 && values.has_rank(),
      "sparse_indices must be known to be a matrix, and the rank of sparse_values must "
      "be known; their shapes are ",
      shape, " and ", values);
  const Value of_values = ctx.Call("GatherNd", {dy, places});
  const auto sum = [&ctx](Value x) {
    const Value rank = ctx.Call("Rank", {x});
    const Value zero = ctx.emitter.Constant(Tensor::Scalar<int32_t>(0));
    const Value one = ctx.emitter.Constant(Tensor::Scalar<int32_t>(1));
    return ctx.Call("Sum", {x, ctx.Call("Range", {zero, rank, one})});
  };
  const Value of_default = ctx.Call("Sub", {sum(dy), sum(of_values)});
  const bool is_one = values.rank() == 0;
  return {Value::None(), Value::None(), is_one ? sum(of_values) : of_values, of_default};
}
REGISTER_GRADIENT("SparseToDense", SparseToDenseGrad);

const NotDifferentiable kSparseWithoutGradient("AddManySparseToTensorsMap",
                                               "AddSparseToTensorsMap",
                                               "DeserializeManySparse",
                                               "SerializeManySparse", "SerializeSparse",
                                               "TakeManySparseFromTensorsMap");

}  // namespace
}  // namespace minitf
