// Kernels written in C: how an op is computed.
//
//   TF_KernelBuilder* kernel =
//       TF_NewKernelBuilder("AddConstant", "CPU", &Create, &Compute, &Delete);
//   TF_KernelBuilder_TypeConstraint(kernel, "T", TF_FLOAT, status);
//   TF_RegisterKernelBuilder("AddConstantFloat", kernel, status);
//
// minitf calls `create_func` for each node, `compute_func` for each step, and
// `delete_func` when the node is deleted.
//
// Threads: two steps may call `compute_func` of one kernel at the same time. A
// construction or context belongs to the call that it was passed to, and is invalid
// afterwards.
//
// Compare    tensorflow/c/kernels.h
// Read next  minitf/c/kernels/kernel_objects.h

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "minitf/c/tf_datatype.h"
#include "minitf/c/tf_status.h"
#include "minitf/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A kernel that is not registered yet.
typedef struct TF_KernelBuilder TF_KernelBuilder;
/// The node whose kernel `create_func` makes.
typedef struct TF_OpKernelConstruction TF_OpKernelConstruction;
/// The tensors of the step in which `compute_func` runs.
typedef struct TF_OpKernelContext TF_OpKernelContext;

/// 0 for false, 1 for true.
typedef unsigned char TF_Bool;

/// `len` bytes at `data`, which end in no NUL. The bytes belong to another object.
typedef struct TF_StringView {
  const char* data;
  size_t len;
} TF_StringView;

/// Selects the memory of a temporary tensor: that of the host if `on_host` is 1. Set
/// `struct_size` to the size of this struct.
typedef struct TF_AllocatorAttributes {
  size_t struct_size;
  unsigned char on_host;
} TF_AllocatorAttributes;

// ---- Registration ---------------------------------------------------------------------

/// Returns a kernel of `op_name` for `device_name`, "CPU" or "GPU". Null if there is no
/// memory. The caller passes it to TF_RegisterKernelBuilder or TF_DeleteKernelBuilder.
///
/// `create_func` may be null; its result is the first argument of the other functions,
/// which is null without it. `delete_func` may be null. It is also called after
/// `create_func` reported a failure. The op need not be registered yet.
TF_CAPI_EXPORT extern TF_KernelBuilder* TF_NewKernelBuilder(
    const char* op_name, const char* device_name,
    void* (*create_func)(TF_OpKernelConstruction* construction),
    void (*compute_func)(void* kernel, TF_OpKernelContext* context),
    void (*delete_func)(void* kernel));

/// Limits the kernel to calls whose attribute `attr_name` is `type`.
TF_CAPI_EXPORT extern void TF_KernelBuilder_TypeConstraint(
    TF_KernelBuilder* kernel_builder, const char* attr_name, TF_DataType type,
    TF_Status* status);

/// Puts the input or output `arg_name` in host memory, on every device.
/// TF_RegisterKernelBuilder reports a wrong name.
TF_CAPI_EXPORT extern void TF_KernelBuilder_HostMemory(TF_KernelBuilder* kernel_builder,
                                                       const char* arg_name);

/// Sets the priority. The kernel of the highest priority runs, of those that fit a call.
TF_CAPI_EXPORT extern void TF_KernelBuilder_Priority(TF_KernelBuilder* kernel_builder,
                                                     int32_t priority_number);

/// Registers the kernel, and deletes the builder in any case. Errors name the kernel
/// `kernel_name`. TF_INVALID_ARGUMENT for a device or an argument that does not exist,
/// or without a `compute_func`. TF_ALREADY_EXISTS if there is a kernel of the same op,
/// device, types and priority.
TF_CAPI_EXPORT extern void TF_RegisterKernelBuilder(const char* kernel_name,
                                                    TF_KernelBuilder* builder,
                                                    TF_Status* status);

/// Deletes a builder that is not registered.
TF_CAPI_EXPORT extern void TF_DeleteKernelBuilder(TF_KernelBuilder* builder);

// ---- Making a kernel ------------------------------------------------------------------

/// Reports that the kernel cannot be made. The first failure counts.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction* ctx,
                                                           TF_Status* status);

/// Returns the name of the node, which is empty in eager mode. Valid during
/// `create_func`.
TF_CAPI_EXPORT extern TF_StringView TF_OpKernelConstruction_GetName(
    TF_OpKernelConstruction* ctx);

/// Returns whether the node has an attribute `attr_name`.
TF_CAPI_EXPORT extern bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction* ctx,
                                                           const char* attr_name,
                                                           TF_Status* status);

/// Sets *list_size to the number of elements of a list, or to -1 for another attribute.
/// Sets *total_size to the number of bytes of a string, or of all strings of a list. For
/// a shape this is the rank (-1 if unknown), and for a list the sum of the known ranks.
/// For other kinds it is -1. A null pointer receives nothing.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrSize(
    TF_OpKernelConstruction* ctx, const char* attr_name, int32_t* list_size,
    int32_t* total_size, TF_Status* status);

/// Copies an attribute to *val. TF_INVALID_ARGUMENT if the node has no such attribute,
/// or if it is of another kind. The functions that follow do the same.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrType(
    TF_OpKernelConstruction* ctx, const char* attr_name, TF_DataType* val,
    TF_Status* status);
/// An integer. TF_INVALID_ARGUMENT if it has more than 32 bits.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt32(
    TF_OpKernelConstruction* ctx, const char* attr_name, int32_t* val, TF_Status* status);
/// An integer.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt64(
    TF_OpKernelConstruction* ctx, const char* attr_name, int64_t* val, TF_Status* status);
/// A floating-point number.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrFloat(
    TF_OpKernelConstruction* ctx, const char* attr_name, float* val, TF_Status* status);
/// A bool.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrBool(
    TF_OpKernelConstruction* ctx, const char* attr_name, TF_Bool* val, TF_Status* status);
/// The first `max_length` bytes of a string, without a NUL at the end.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrString(
    TF_OpKernelConstruction* ctx, const char* attr_name, char* val, size_t max_length,
    TF_Status* status);
/// A tensor, which the caller deletes and only reads.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrTensor(
    TF_OpKernelConstruction* ctx, const char* attr_name, TF_Tensor** val,
    TF_Status* status);
/// The first `max_vals` elements of a list. The functions that follow do the same.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrTypeList(
    TF_OpKernelConstruction* ctx, const char* attr_name, TF_DataType* vals, int max_vals,
    TF_Status* status);
/// Integers. TF_INVALID_ARGUMENT if one has more than 32 bits.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt32List(
    TF_OpKernelConstruction* ctx, const char* attr_name, int32_t* vals, int max_vals,
    TF_Status* status);
/// Integers.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt64List(
    TF_OpKernelConstruction* ctx, const char* attr_name, int64_t* vals, int max_vals,
    TF_Status* status);
/// Floating-point numbers.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrFloatList(
    TF_OpKernelConstruction* ctx, const char* attr_name, float* vals, int max_vals,
    TF_Status* status);
/// Bools.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrBoolList(
    TF_OpKernelConstruction* ctx, const char* attr_name, TF_Bool* vals, int max_vals,
    TF_Status* status);
/// Strings. They are copied to the `storage_size` bytes at `storage`; vals[i] points to
/// the `lengths[i]` bytes of string i. TF_INVALID_ARGUMENT if the storage is too small.
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrStringList(
    TF_OpKernelConstruction* ctx, const char* attr_name, char** vals, size_t* lengths,
    int max_values, void* storage, size_t storage_size, TF_Status* status);

// ---- Computing ------------------------------------------------------------------------

/// Returns the name of the node, which is empty in eager mode. Valid while the kernel is.
TF_CAPI_EXPORT extern TF_StringView TF_GetOpKernelName(TF_OpKernelContext* ctx);

/// Returns the number of inputs; 0 for null.
TF_CAPI_EXPORT extern int TF_NumInputs(TF_OpKernelContext* ctx);

/// Returns the number of outputs; 0 for null.
TF_CAPI_EXPORT extern int TF_NumOutputs(TF_OpKernelContext* ctx);

/// Sets *tensor to input i. The caller deletes the tensor, and must not write to it.
/// TF_OUT_OF_RANGE if there is no input i; then *tensor is unchanged.
TF_CAPI_EXPORT extern void TF_GetInput(TF_OpKernelContext* ctx, int i, TF_Tensor** tensor,
                                       TF_Status* status);

/// Sets output i. The caller still deletes `tensor`. TF_OUT_OF_RANGE if there is no
/// output i, TF_INVALID_ARGUMENT if it has another element type.
TF_CAPI_EXPORT extern void TF_SetOutput(TF_OpKernelContext* ctx, int i,
                                        const TF_Tensor* tensor, TF_Status* status);

/// Reports that the step failed. The first failure counts.
TF_CAPI_EXPORT extern void TF_OpKernelContext_Failure(TF_OpKernelContext* ctx,
                                                      TF_Status* status);

/// Returns the element type of output i. If there is no output i, the step fails, and the
/// result is 0.
TF_CAPI_EXPORT extern TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext* ctx,
                                                            int i);

/// Returns a number that no other step has at the same time; 0 in eager mode and where
/// nothing can cancel the step.
TF_CAPI_EXPORT extern int64_t TF_StepId(TF_OpKernelContext* ctx);

/// Makes output `index`, and returns it to be filled. The caller deletes the tensor.
/// Returns null on an error: TF_OUT_OF_RANGE if there is no such output,
/// TF_INVALID_ARGUMENT if the element type or the number of bytes `len` is wrong. Strings
/// are TF_UNIMPLEMENTED: TF_SetOutput takes them.
TF_CAPI_EXPORT extern TF_Tensor* TF_AllocateOutput(TF_OpKernelContext* context, int index,
                                                   TF_DataType dtype, const int64_t* dims,
                                                   int num_dims, size_t len,
                                                   TF_Status* status);

/// Makes output `output_index` in the memory of an input that nothing else uses, or in
/// new memory. The inputs to try are `candidate_input_indices`. *forwarded_input,
/// unless null, becomes the index of the input, or -1. The caller deletes the tensor.
/// Null with an error.
TF_CAPI_EXPORT extern TF_Tensor* TF_ForwardInputOrAllocateOutput(
    TF_OpKernelContext* context, const int* candidate_input_indices,
    int num_candidate_input_indices, int output_index, const int64_t* output_dims,
    int output_num_dims, int* forwarded_input, TF_Status* status);

/// Returns a tensor for this call, in the memory of the device, or of the host if
/// `alloc_attrs` says so; that may be null. The caller deletes the tensor. Null with an
/// error.
TF_CAPI_EXPORT extern TF_Tensor* TF_AllocateTemp(TF_OpKernelContext* context,
                                                 TF_DataType dtype, const int64_t* dims,
                                                 int num_dims,
                                                 TF_AllocatorAttributes* alloc_attrs,
                                                 TF_Status* status);

#ifdef __cplusplus
}  // extern "C"
#endif
