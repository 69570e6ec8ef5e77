// Ops defined in C: a builder of definitions, and what a shape function sees.
//
//   TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("AddConstant");
//   TF_OpDefinitionBuilderAddAttr(op, "T: {float, int32}");
//   TF_OpDefinitionBuilderAddAttr(op, "constant: int = 1");
//   TF_OpDefinitionBuilderAddInput(op, "x: T");
//   TF_OpDefinitionBuilderAddOutput(op, "y: T");
//   TF_OpDefinitionBuilderSetShapeInferenceFunction(op, &SameShape);
//   TF_RegisterOpDefinition(op, status);
//
// A library that TF_LoadLibrary loads does this in a function with
// __attribute__((constructor)).
//
// Functions of the builder have no status. TF_RegisterOpDefinition reports their errors.
//
// Threads: one thread at a time uses a builder, a handle or a context. A shape function
// may run in several threads at once.
//
// Compare    tensorflow/c/ops.h
// Read next  minitf/c/kernels.h

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "minitf/c/tf_datatype.h"
#include "minitf/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The size of an axis, which may be unknown.
typedef struct TF_DimensionHandle TF_DimensionHandle;
/// A definition that is not registered yet.
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
/// A shape, which may be known in part.
typedef struct TF_ShapeHandle TF_ShapeHandle;
/// The node whose shapes a shape function computes. Valid during the call.
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

// ---- Definitions ----------------------------------------------------------------------

/// Returns a definition of the op `op_name`. Null if there is no memory. The caller
/// passes it to TF_RegisterOpDefinition or to TF_DeleteOpDefinitionBuilder.
TF_CAPI_EXPORT extern TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(
    const char* op_name);

/// Registers the op, and deletes the builder in any case. TF_INVALID_ARGUMENT for a text
/// that does not parse, and for a name that occurs twice. The name of an op begins with a
/// capital letter. TF_ALREADY_EXISTS if there is an op with this name.
/// TF_UNIMPLEMENTED for a property that minitf does not have.
TF_CAPI_EXPORT extern void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder,
                                                   TF_Status* status);

/// Deletes a builder that is not registered.
TF_CAPI_EXPORT extern void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder* builder);

/// Adds an attribute: "name: kind", "name: kind = default", "name: kind >= 1", "name:
/// {half, float} = DT_FLOAT" or "name: {'SAME', 'VALID'}". A kind is bool, int, float,
/// string, type, shape, tensor, numbertype, realnumbertype, or a list of these, such as
/// "list(int)". An attribute that is the length of an input or output has the minimum
/// 1, unless the text gives another.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder* builder,
                                                         const char* attr_spec);

/// Adds an input: "x: float", "x: T", "xs: N * T", or "xs: Ts" with a list of types.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder,
                                                          const char* input_spec);

/// Adds an output. The text has the form of that of an input.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderAddOutput(
    TF_OpDefinitionBuilder* builder, const char* output_spec);

/// Sets whether op(x, y) equals op(y, x).
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsCommutative(
    TF_OpDefinitionBuilder* builder, bool is_commutative);

/// Sets whether the inputs may be added up in any order. minitf has no such property:
/// TF_RegisterOpDefinition returns TF_UNIMPLEMENTED for true.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsAggregate(
    TF_OpDefinitionBuilder* builder, bool is_aggregate);

/// Sets whether the op uses state: then it is never folded, merged or left out.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetIsStateful(
    TF_OpDefinitionBuilder* builder, bool is_stateful);

/// Sets whether inputs may have no value. minitf has no such inputs:
/// TF_RegisterOpDefinition returns TF_UNIMPLEMENTED for true.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetAllowsUninitializedInput(
    TF_OpDefinitionBuilder* builder, bool allows_uninitialized_input);

/// Deprecates the op since `version`. The documentation of the op then says so, with
/// `explanation`.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderDeprecated(
    TF_OpDefinitionBuilder* builder, int version, const char* explanation);

/// Sets the function that computes shapes. It sets its status to an error if the shapes
/// of the inputs do not fit. Without a function all shapes are unknown.
TF_CAPI_EXPORT extern void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder* builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext* ctx, TF_Status* status));

// ---- Shapes ---------------------------------------------------------------------------
// A function without a status stores its error in the context, and the shape function
// fails when it returns.

/// Returns the number of inputs; 0 for null.
TF_CAPI_EXPORT extern int64_t TF_ShapeInferenceContextNumInputs(
    TF_ShapeInferenceContext* ctx);

/// Returns a handle of an unknown shape. The caller deletes it.
TF_CAPI_EXPORT extern TF_ShapeHandle* TF_NewShapeHandle(void);

/// Copies the shape of input i to `handle`. TF_INVALID_ARGUMENT if there is no input i.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext* ctx,
                                                            int i, TF_ShapeHandle* handle,
                                                            TF_Status* status);

/// Copies `handle` to the shape of output i. TF_INVALID_ARGUMENT if there is no output i.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSetOutput(
    TF_ShapeInferenceContext* ctx, int i, TF_ShapeHandle* handle, TF_Status* status);

/// Returns the shape [size]. The caller deletes the handle. Null if `size` is too large.
TF_CAPI_EXPORT extern TF_ShapeHandle* TF_ShapeInferenceContextVectorFromSize(
    TF_ShapeInferenceContext* ctx, size_t size);

/// Returns a handle of an unknown size. The caller deletes it.
TF_CAPI_EXPORT extern TF_DimensionHandle* TF_NewDimensionHandle(void);

/// Copies the attribute `attr_name` to *val. TF_INVALID_ARGUMENT if it does not exist
/// or is of another kind.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContext_GetAttrType(
    TF_ShapeInferenceContext* ctx, const char* attr_name, TF_DataType* val,
    TF_Status* status);

/// Returns the rank; -1 if it is unknown.
TF_CAPI_EXPORT extern int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext* ctx,
                                                           TF_ShapeHandle* handle);

/// Returns 1 if the rank is known, else 0.
TF_CAPI_EXPORT extern int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext* ctx,
                                                            TF_ShapeHandle* handle);

/// Copies `handle` to `result`. If the rank is unknown, `result` becomes `rank` unknown
/// sizes. TF_INVALID_ARGUMENT if `handle` has another rank.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext* ctx,
                                                            TF_ShapeHandle* handle,
                                                            int64_t rank,
                                                            TF_ShapeHandle* result,
                                                            TF_Status* status);

/// Copies `handle` to `result`. TF_INVALID_ARGUMENT if the rank is known and less than
/// `rank`.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextWithRankAtLeast(
    TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle, int64_t rank,
    TF_ShapeHandle* result, TF_Status* status);

/// Copies `handle` to `result`. TF_INVALID_ARGUMENT if the rank is known and more than
/// `rank`.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextWithRankAtMost(
    TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle, int64_t rank,
    TF_ShapeHandle* result, TF_Status* status);

/// Copies the size of axis i to `result`; a negative i counts from the end. The size is
/// unknown if the rank is.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext* ctx,
                                                       TF_ShapeHandle* shape_handle,
                                                       int64_t i,
                                                       TF_DimensionHandle* result);

/// Copies axes [start, end) to `result`. A negative number counts from the end; a
/// number above the rank stands for the rank. TF_INVALID_ARGUMENT if `start` is above
/// `end`, or a number is below minus the rank. If the rank is unknown, so is the
/// result.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext* ctx,
                                                            TF_ShapeHandle* shape_handle,
                                                            int64_t start, int64_t end,
                                                            TF_ShapeHandle* result,
                                                            TF_Status* status);

/// Makes the shapes of all outputs unknown.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextSetUnknownShape(
    TF_ShapeInferenceContext* ctx, TF_Status* status);

/// Returns 1 if the size is known, else 0.
TF_CAPI_EXPORT extern int TF_DimensionHandleValueKnown(TF_DimensionHandle* dim_handle);

/// Returns the size; -1 if it is unknown.
TF_CAPI_EXPORT extern int64_t TF_DimensionHandleValue(TF_DimensionHandle* dim_handle);

/// Copies the axes of `first`, then those of `second`, to `result`. If a rank is
/// unknown, so is the result.
TF_CAPI_EXPORT extern void TF_ShapeInferenceContextConcatenateShapes(
    TF_ShapeInferenceContext* ctx, TF_ShapeHandle* first, TF_ShapeHandle* second,
    TF_ShapeHandle* result, TF_Status* status);

/// Deletes the handle.
TF_CAPI_EXPORT extern void TF_DeleteShapeHandle(TF_ShapeHandle* handle);

/// Deletes the handle.
TF_CAPI_EXPORT extern void TF_DeleteDimensionHandle(TF_DimensionHandle* handle);

#ifdef __cplusplus
}  // extern "C"
#endif
