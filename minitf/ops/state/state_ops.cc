// State ops: variables, and what reads and changes them.
//
// A variable is a resource. VarHandleOp gives a handle to it, a tensor that says which
// variable is meant; all other ops take that handle. They are stateful: no two of them
// are merged, and what must come first is said by control dependencies.
//
// Kernels    kernels/cpu/state: state.cc, scatter_update.cc, slice_assign.cc
// Gradients  minitf/gradients/state/state_grad.cc
// Compare    tensorflow/core/ops/resource_variable_ops.cc
// Read next  minitf/ops/state/training_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/framework/shapes/strided_slice.h"
#include "minitf/ops/variable_shape.h"

namespace minitf {
namespace {

REGISTER_OP("VarHandleOp")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .SetIsStateful(StateUse::kNames)
    .SetLendsOutputs()
    .SetShapeFn(ScalarShape)
    .Doc(
        "A handle to the variable called `shared_name` or, if that is empty, like the "
        "node. It has no value before the first AssignVariableOp.");

REGISTER_OP("_FedVariable")
    .Input("value: dtype")
    .Output("resource: resource")
    .Attr("dtype: type")
    .SetIsStateful(StateUse::kNames)
    .SetLendsOutputs()
    .SetShapeFn(ScalarShape)
    .Doc("A handle to the value that a step is fed for a variable. No op can change it.");

REGISTER_OP("ReadVariableOp")
    .Input("resource: resource")
    .Output("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful(StateUse::kReads)
    .SetLendsOutputs()
    .SetShapeFn([](InferenceContext* ctx) { ctx->set_output(0, VariableShapeOf(ctx)); })
    .Doc("The value of a variable, now. What is assigned later does not change it.");

// The handle carries the shape that the variable was declared with. A node whose value
// has another static shape is refused. If _validate_shape is false, any shape is taken;
// tf.assign(validate_shape=False) sets it.
void AssignShape(InferenceContext* ctx) {
  const AttrValue* validates = ctx->attrs().Find("_validate_shape");
  if (validates != nullptr && !std::get<bool>(*validates)) return;
  const PartialShape variable = VariableShapeOf(ctx);
  Require(variable.IsCompatibleWith(ctx->input(1)), "a value of shape ", ctx->input(1),
          " does not fit a variable of shape ", variable);
}

REGISTER_OP("AssignVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetShapeFn(AssignShape)
    .Doc("Gives a variable a new value.");

REGISTER_OP("AssignAddVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetReleasesInputs()
    .SetShapeFn(AssignShape)
    .Doc("Adds `value` to a variable of the same shape.");

REGISTER_OP("AssignSubVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .SetIsStateful()
    .SetReleasesInputs()
    .SetShapeFn(AssignShape)
    .Doc("Subtracts `value` from a variable of the same shape.");

REGISTER_OP("VarIsInitializedOp")
    .Input("resource: resource")
    .Output("is_initialized: bool")
    .SetIsStateful(StateUse::kReads)
    .SetShapeFn(ScalarShape)
    .Doc("Whether a variable has a value.");

REGISTER_OP("VariableShape")
    .Input("input: resource")
    .Output("output: out_type")
    .Attr("out_type: {int32, int64} = int32")
    .SetIsStateful(StateUse::kReads)
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape shape = VariableShapeOf(ctx);
      ctx->set_output(0, {shape.has_rank() ? shape.rank() : PartialShape::kUnknown});
    })
    .Doc("The shape of a variable's value, as a vector.");

REGISTER_OP("DestroyResourceOp")
    .Input("resource: resource")
    .Attr("ignore_lookup_error: bool = true")
    .SetIsStateful()
    .SetShapeFn(NoOutputs)
    .Doc("Takes a variable's value away and frees its memory.");

REGISTER_OP("ResourceCountUpTo")
    .Input("resource: resource")
    .Output("output: T")
    .Attr("limit: int")
    .Attr("T: {int32, int64}")
    .SetIsStateful()
    .SetShapeFn([](InferenceContext* ctx) {
      Require(VariableShapeOf(ctx).IsCompatibleWith(Shape{}), "the variable of ",
              "ResourceCountUpTo must be a scalar, has shape ", VariableShapeOf(ctx));
      ctx->set_output(0, PartialShape(Shape{}));
    })
    .Doc(
        "The value of a scalar variable, which is then one more. OutOfRange once it has "
        "reached `limit`.");

// ---- Parts of a variable --------------------------------------------------------------

REGISTER_OP("ResourceGather")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("batch_dims: int = 0")
    .Attr("validate_indices: bool = true")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .SetIsStateful(StateUse::kReads)
    .SetShapeFn([](InferenceContext* ctx) {
      const int64_t batch_dims = ctx->attr<int64_t>("batch_dims");
      const PartialShape& indices = ctx->input(1);
      const int64_t axis =
          batch_dims < 0 && indices.has_rank() ? batch_dims + indices.rank() : batch_dims;
      ctx->set_output(0, GatheredShape(VariableShapeOf(ctx), indices, axis, batch_dims));
    })
    .Doc("The rows of a variable that `indices` names, read without copying the rest.");

void ScatterShape(InferenceContext* ctx) {
  const PartialShape variable = VariableShapeOf(ctx);
  const PartialShape& indices = ctx->input(1);
  const PartialShape& updates = ctx->input(2);
  // A scalar update serves every element of every row.
  if (!updates.has_rank() || updates.rank() == 0) return;
  const PartialShape expected = GatheredShape(variable, indices, 0, 0);
  Require(expected.IsCompatibleWith(updates), "updates must have shape ", expected,
          ", got ", updates);
}

// One of the ops that change rows of a variable; `doc` says how.
OpDefBuilder ScatterOp(const std::string& name, const std::string& doc) {
  OpDefBuilder builder(name);
  builder.Input("resource: resource")
      .Input("indices: Tindices")
      .Input("updates: dtype")
      .Attr(name == "ResourceScatterUpdate"
                ? "dtype: type"
                : "dtype: {half, bfloat16, float, double, int8, uint8, int16, uint16, "
                  "int32, uint32, int64, uint64, complex64, complex128}")
      .Attr("Tindices: {int32, int64}")
      .SetIsStateful()
      .SetReleasesInputs()
      .SetShapeFn(ScatterShape)
      .Doc(doc);
  return builder;
}

const OpRegistrar kScatterOps[] = {
    ScatterOp("ResourceScatterUpdate",
              "Row indices[i...] of a variable becomes updates[i...]."),
    ScatterOp("ResourceScatterAdd",
              "Adds updates[i...] to row indices[i...] of a variable."),
    ScatterOp("ResourceScatterSub",
              "Subtracts updates[i...] from row indices[i...] of a variable."),
    ScatterOp("ResourceScatterMul",
              "Multiplies row indices[i...] of a variable by updates[i...]."),
    ScatterOp("ResourceScatterDiv",
              "Divides row indices[i...] of a variable by updates[i...]."),
    ScatterOp("ResourceScatterMin",
              "Row indices[i...] of a variable becomes its minimum with updates[i...]."),
    ScatterOp("ResourceScatterMax",
              "Row indices[i...] of a variable becomes its maximum with updates[i...]."),
};

REGISTER_OP("ResourceStridedSliceAssign")
    .Input("ref: resource")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .SetIsStateful()
    .SetReleasesInputs()
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape part = SlicedByInputs(ctx, VariableShapeOf(ctx));
      Require(part.IsCompatibleWith(ctx->input(4)), "value must have shape ", part,
              ", got ", ctx->input(4));
    })
    .Doc(
        "Sets the elements of a variable that StridedSlice would take; `value` has the "
        "shape of what it would give.");

}  // namespace
}  // namespace minitf
