// Ops that move elements: Roll, and ScatterNd into variables and tensors.
//
// Kernels    minitf/contrib/manip/roll.cc, scatter_nd_variable.cc
// Gradients  minitf/contrib/manip/manip_grad.cc
// Compare    tensorflow/core/ops/manip_ops.cc, state_ops.cc, array_ops.cc
// Read next  minitf/contrib/manip/roll.cc

#include <string>

#include "minitf/contrib/families.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/ops/variable_shape.h"

namespace minitf {
namespace {

const FamilyRegistrar kManipFamily("manip");

// `shift` and `axis` are two scalars, or two vectors of one length.
void RollShape(InferenceContext* ctx) {
  const PartialShape& input = ctx->input(0);
  Require(!input.has_rank() || input.rank() >= 1, "input must be 1-D or higher, got ",
          input);
  const PartialShape& shift = ctx->input(1);
  const PartialShape& axis = ctx->input(2);
  Require(!shift.has_rank() || shift.rank() <= 1,
          "shift must be a scalar or a vector, got shape ", shift);
  Require(!axis.has_rank() || axis.rank() <= 1,
          "axis must be a scalar or a vector, got shape ", axis);
  Require(shift.IsCompatibleWith(axis), "shift and axis must have the same shape, got ",
          shift, " and ", axis);
  if (const auto axes = KnownIntegers(ctx, 2); axes && input.has_rank()) {
    for (const int64_t one : *axes) NormalizedAxis(one, input.rank());
  }
  ctx->set_output(0, input);
}

REGISTER_OP("Roll")
    .Input("input: T")
    .Input("shift: Tshift")
    .Input("axis: Taxis")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshift: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .SetShapeFn(RollShape)
    .Doc(
        "Rolls the elements along `axis` by `shift` places towards larger indices. "
        "Elements that leave one end enter at the other.");

// ---- Parts of variables ---------------------------------------------------------------

// The value of a variable is `ref`; the last axis of `indices` holds one place in it.
void ScatterNdVariableShape(InferenceContext* ctx) {
  CheckScatterNd(VariableShapeOf(ctx), ctx->input(1), ctx->input(2));
}

OpDefBuilder ScatterNdVariableOp(const std::string& name, const std::string& doc) {
  OpDefBuilder builder(name);
  builder.Input("ref: resource")
      .Input("indices: Tindices")
      .Input("updates: T")
      .Attr("T: type")
      .Attr("Tindices: {int32, int64}")
      .Attr("use_locking: bool = true")
      .SetIsStateful()
      .SetReleasesInputs()
      .SetShapeFn(ScatterNdVariableShape)
      .Doc(doc);
  return builder;
}

const OpRegistrar kScatterNdVariableOps[] = {
    ScatterNdVariableOp("ResourceScatterNdUpdate",
                        "The parts of a variable at `indices` become `updates`."),
    ScatterNdVariableOp("ResourceScatterNdAdd",
                        "Adds `updates` to the parts of a variable at `indices`."),
    ScatterNdVariableOp("ResourceScatterNdSub",
                        "Subtracts `updates` from the parts of a variable at `indices`."),
};

// ---- Parts of tensors -----------------------------------------------------------------

OpDefBuilder TensorScatterOp(const std::string& name, const std::string& doc) {
  OpDefBuilder builder(name);
  builder.Input("tensor: T")
      .Input("indices: Tindices")
      .Input("updates: T")
      .Output("output: T")
      .Attr("T: type")
      .Attr("Tindices: {int32, int64}")
      .SetShapeFn([](InferenceContext* ctx) {
        CheckScatterNd(ctx->input(0), ctx->input(1), ctx->input(2));
        ctx->set_output(0, ctx->input(0));
      })
      .Doc(doc);
  return builder;
}

const OpRegistrar kTensorScatterOps[] = {
    TensorScatterOp("TensorScatterUpdate",
                    "A copy of `tensor` whose parts at `indices` are `updates`."),
    TensorScatterOp("TensorScatterAdd",
                    "A copy of `tensor` with `updates` added to its parts at `indices`."),
    TensorScatterOp(
        "TensorScatterSub",
        "A copy of `tensor` with `updates` subtracted from its parts at `indices`."),
};

}  // namespace
}  // namespace minitf
