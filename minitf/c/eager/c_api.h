// Eager execution in C: contexts, tensor handles, and ops that run at once.
//
//   TFE_Op* op = TFE_NewOp(context, "MatMul", status);
//   TFE_OpAddInput(op, a, status);
//   TFE_OpAddInput(op, b, status);
//   TFE_Execute(op, &product, &num_products, status);
//
// Names, arguments, ownership and status codes are those of TensorFlow 1.15. All
// functions with a status set it, to TF_OK or to an error. A null pointer is an error
// too. Functions without a status accept null, and then do nothing or return a value
// that is documented.
//
// Setters of attributes have no status. The op stores their first error, and TFE_Execute
// returns that error.
//
// Threads: a context and a handle may be used by any number of threads. One op belongs to
// one thread at a time.
//
// Eager ops run on the CPU, in the thread that calls TFE_Execute. Contexts share the
// variables and the kernels of the process.
//
// Compare    tensorflow/c/eager/c_api.h
// Read next  minitf/c/eager/context.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Options of a context -------------------------------------------------------------

/// What TFE_NewContext reads.
typedef struct TFE_ContextOptions TFE_ContextOptions;

/// Returns new options with the defaults. The caller deletes them.
TF_CAPI_EXPORT extern TFE_ContextOptions* TFE_NewContextOptions(void);

/// Sets the ConfigProto, in `proto_len` bytes. TF_INVALID_ARGUMENT if they are no
/// ConfigProto. TF_UNIMPLEMENTED for numbers of threads and timeouts other than 0: eager
/// ops share the threads of the process.
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetConfig(TFE_ContextOptions* options,
                                                       const void* proto,
                                                       size_t proto_len,
                                                       TF_Status* status);

/// The rule for an input of an op that is on another device. All inputs are on the CPU,
/// so all policies have the same effect.
#ifdef __cplusplus
typedef enum TFE_ContextDevicePlacementPolicy : int {  // C code may pass any number
#else
typedef enum TFE_ContextDevicePlacementPolicy {
#endif
  TFE_DEVICE_PLACEMENT_EXPLICIT = 0,          ///< an error
  TFE_DEVICE_PLACEMENT_WARN = 1,              ///< a copy and a warning
  TFE_DEVICE_PLACEMENT_SILENT = 2,            ///< a copy; the default
  TFE_DEVICE_PLACEMENT_SILENT_FOR_INT32 = 3,  ///< a copy of int32, an error otherwise
} TFE_ContextDevicePlacementPolicy;

/// Selects synchronous (0) or asynchronous execution. minitf has no asynchronous
/// execution: TFE_NewContext returns TF_UNIMPLEMENTED if `enable` is not 0.
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetAsync(TFE_ContextOptions* options,
                                                      unsigned char enable);

/// Sets the policy. TFE_NewContext returns TF_INVALID_ARGUMENT for a value outside of the
/// enumeration.
TF_CAPI_EXPORT extern void TFE_ContextOptionsSetDevicePlacementPolicy(
    TFE_ContextOptions* options, TFE_ContextDevicePlacementPolicy policy);

/// Deletes the options. Contexts that were made with them stay valid.
TF_CAPI_EXPORT extern void TFE_DeleteContextOptions(TFE_ContextOptions* options);

// ---- Contexts -------------------------------------------------------------------------

/// Runs ops. Ops must be deleted before their context.
typedef struct TFE_Context TFE_Context;

/// Returns a new context, or null with an error. The caller deletes the context.
TF_CAPI_EXPORT extern TFE_Context* TFE_NewContext(const TFE_ContextOptions* opts,
                                                  TF_Status* status);

/// Deletes the context. TensorFlow 1.15 has no status here. Handles stay valid.
TF_CAPI_EXPORT extern void TFE_DeleteContext(TFE_Context* ctx);

/// Returns the devices on which eager ops run, or null with an error. The caller deletes
/// the list with TF_DeleteDeviceList.
TF_CAPI_EXPORT extern TF_DeviceList* TFE_ContextListDevices(TFE_Context* ctx,
                                                            TF_Status* status);

/// Deletes the cached kernels of the process. Random ops start their sequences anew.
TF_CAPI_EXPORT extern void TFE_ContextClearCaches(TFE_Context* ctx);

/// Sets the policy for ops that this thread runs. TFE_Execute returns TF_INVALID_ARGUMENT
/// in this thread for a value outside of the enumeration.
TF_CAPI_EXPORT extern void TFE_ContextSetThreadLocalDevicePlacementPolicy(
    TFE_Context* ctx, TFE_ContextDevicePlacementPolicy policy);

/// Returns the policy for ops that this thread runs. For null, the default policy.
TF_CAPI_EXPORT extern TFE_ContextDevicePlacementPolicy
TFE_ContextGetDevicePlacementPolicy(TFE_Context* ctx);

/// Selects synchronous (0) execution for this thread. TF_UNIMPLEMENTED if `enable` is
/// not 0.
TF_CAPI_EXPORT extern void TFE_ContextSetAsyncForThread(TFE_Context* ctx,
                                                        unsigned char enable,
                                                        TF_Status* status);

/// Connects to other processes. Returns TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_ContextSetServerDef(TFE_Context* ctx, int keep_alive_secs,
                                                   const void* proto, size_t proto_len,
                                                   TF_Status* status);

/// Waits for asynchronous ops. All ops are synchronous, so this call returns at once.
TF_CAPI_EXPORT extern void TFE_ContextAsyncWait(TFE_Context* ctx, TF_Status* status);

/// Clears the error of asynchronous ops. All ops are synchronous, so there is no error.
TF_CAPI_EXPORT extern void TFE_ContextAsyncClearError(TFE_Context* ctx);

// ---- Tensor handles -------------------------------------------------------------------

/// A tensor on a device.
typedef struct TFE_TensorHandle TFE_TensorHandle;

/// Returns a handle of the value of `t`, or null with an error. The handle may share the
/// memory of `t`; the caller still deletes `t`, and deletes the handle.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_NewTensorHandle(TF_Tensor* t,
                                                            TF_Status* status);

/// Deletes the handle.
TF_CAPI_EXPORT extern void TFE_DeleteTensorHandle(TFE_TensorHandle* h);

/// Returns the element type; 0 for null.
TF_CAPI_EXPORT extern TF_DataType TFE_TensorHandleDataType(TFE_TensorHandle* h);

/// Returns the rank, or -1 with an error.
TF_CAPI_EXPORT extern int TFE_TensorHandleNumDims(TFE_TensorHandle* h, TF_Status* status);

/// Returns the number of elements, or -1 with an error.
TF_CAPI_EXPORT extern int64_t TFE_TensorHandleNumElements(TFE_TensorHandle* h,
                                                          TF_Status* status);

/// Returns the size of axis `dim_index`, or -1 with an error. TF_INVALID_ARGUMENT if
/// `dim_index` is not in [0, rank).
TF_CAPI_EXPORT extern int64_t TFE_TensorHandleDim(TFE_TensorHandle* h, int dim_index,
                                                  TF_Status* status);

/// Returns the device of the op that made the value, or null with an error. The text is
/// valid until the handle is deleted.
TF_CAPI_EXPORT extern const char* TFE_TensorHandleDeviceName(TFE_TensorHandle* h,
                                                             TF_Status* status);

/// Returns the device whose memory holds the value, or null with an error. The text is
/// valid until the handle is deleted.
TF_CAPI_EXPORT extern const char* TFE_TensorHandleBackingDeviceName(TFE_TensorHandle* h,
                                                                    TF_Status* status);

/// Returns another handle of the same value, or null with an error. The handles share
/// memory.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_TensorHandleCopySharingTensor(
    TFE_TensorHandle* h, TF_Status* status);

/// Returns the value as a tensor on the host, or null with an error. The caller deletes
/// the tensor. The tensor may share memory with the handle, so the caller must not
/// write to it.
TF_CAPI_EXPORT extern TF_Tensor* TFE_TensorHandleResolve(TFE_TensorHandle* h,
                                                         TF_Status* status);

/// Returns a handle of the same value on device `device_name`, or null with an error.
/// The handles share memory if the device is the same. TF_INVALID_ARGUMENT if the name
/// does not parse or no eager op runs on the device.
TF_CAPI_EXPORT extern TFE_TensorHandle* TFE_TensorHandleCopyToDevice(
    TFE_TensorHandle* h, TFE_Context* ctx, const char* device_name, TF_Status* status);

/// The shape of a value in the memory of its device.
typedef struct TFE_TensorDebugInfo TFE_TensorDebugInfo;

/// Returns the debug information of a handle, or null with an error. The caller deletes
/// it.
TF_CAPI_EXPORT extern TFE_TensorDebugInfo* TFE_TensorHandleTensorDebugInfo(
    TFE_TensorHandle* h, TF_Status* status);

/// Deletes the debug information.
TF_CAPI_EXPORT extern void TFE_DeleteTensorDebugInfo(TFE_TensorDebugInfo* debug_info);

/// Returns the rank in device memory; -1 for null. It equals the rank of the handle.
TF_CAPI_EXPORT extern int TFE_TensorDebugInfoOnDeviceNumDims(
    TFE_TensorDebugInfo* debug_info);

/// Returns the size of an axis in device memory; -1 for null or a wrong index.
TF_CAPI_EXPORT extern int64_t TFE_TensorDebugInfoOnDeviceDim(
    TFE_TensorDebugInfo* debug_info, int dim_index);

// ---- Ops ------------------------------------------------------------------------------

/// One call of an op: its name, its inputs and its attributes.
typedef struct TFE_Op TFE_Op;

/// Returns a call of the op `op_or_function_name` without inputs, or null with an error.
/// TF_NOT_FOUND if the op is not registered. The caller deletes the call.
TF_CAPI_EXPORT extern TFE_Op* TFE_NewOp(TFE_Context* ctx, const char* op_or_function_name,
                                        TF_Status* status);

/// Deletes the call. The handles of inputs and outputs stay valid.
TF_CAPI_EXPORT extern void TFE_DeleteOp(TFE_Op* op);

/// Selects the device, in full or in part. TF_INVALID_ARGUMENT if the name does not
/// parse or no eager op runs on such a device. The empty name selects the default
/// device.
TF_CAPI_EXPORT extern void TFE_OpSetDevice(TFE_Op* op, const char* device_name,
                                           TF_Status* status);

/// Returns the name that TFE_OpSetDevice was given, in canonical form, or null with an
/// error. The text is valid until the next TFE_OpSetDevice or TFE_DeleteOp.
TF_CAPI_EXPORT extern const char* TFE_OpGetDevice(TFE_Op* op, TF_Status* status);

/// Selects compilation by XLA. minitf has no XLA: if `enable` is not 0, TFE_Execute
/// returns TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_OpSetXLACompilation(TFE_Op* op, unsigned char enable);

/// Appends one tensor to the inputs. The caller may delete the handle afterwards.
TF_CAPI_EXPORT extern void TFE_OpAddInput(TFE_Op* op, TFE_TensorHandle* input,
                                          TF_Status* status);

/// Appends the tensors of one list input. The length of the list need not be set as an
/// attribute. TF_INVALID_ARGUMENT if the next input of the op is not a list.
TF_CAPI_EXPORT extern void TFE_OpAddInputList(TFE_Op* op, TFE_TensorHandle** inputs,
                                              int num_inputs, TF_Status* status);

/// Returns the kind of an attribute, and in *is_list whether it is a list. TF_ATTR_INT
/// with TF_INVALID_ARGUMENT if the op has no such attribute.
TF_CAPI_EXPORT extern TF_AttrType TFE_OpGetAttrType(TFE_Op* op, const char* attr_name,
                                                    unsigned char* is_list,
                                                    TF_Status* status);

/// Like TFE_OpGetAttrType, for the op with a name. TF_NOT_FOUND if it is not registered.
TF_CAPI_EXPORT extern TF_AttrType TFE_OpNameGetAttrType(TFE_Context* ctx,
                                                        const char* op_or_function_name,
                                                        const char* attr_name,
                                                        unsigned char* is_list,
                                                        TF_Status* status);

/// Sets an attribute to the `length` bytes at `value`. This function and the other
/// setters copy their values. TFE_Execute returns TF_INVALID_ARGUMENT if the attribute
/// is unknown, is of another kind, or if a pointer is null.
TF_CAPI_EXPORT extern void TFE_OpSetAttrString(TFE_Op* op, const char* attr_name,
                                               const void* value, size_t length);
/// Sets an integer.
TF_CAPI_EXPORT extern void TFE_OpSetAttrInt(TFE_Op* op, const char* attr_name,
                                            int64_t value);
/// Sets a floating-point number.
TF_CAPI_EXPORT extern void TFE_OpSetAttrFloat(TFE_Op* op, const char* attr_name,
                                              float value);
/// Sets a bool: false for 0, true for all other values.
TF_CAPI_EXPORT extern void TFE_OpSetAttrBool(TFE_Op* op, const char* attr_name,
                                             unsigned char value);
/// Sets an element type.
TF_CAPI_EXPORT extern void TFE_OpSetAttrType(TFE_Op* op, const char* attr_name,
                                             TF_DataType value);
/// Sets a shape of `num_dims` axes. An unknown rank is -1, and then `dims` may be null.
/// An unknown size is -1. TF_INVALID_ARGUMENT for other negative numbers.
TF_CAPI_EXPORT extern void TFE_OpSetAttrShape(TFE_Op* op, const char* attr_name,
                                              const int64_t* dims, int num_dims,
                                              TF_Status* out_status);
/// Sets a tensor. The op may share the memory of `tensor`.
TF_CAPI_EXPORT extern void TFE_OpSetAttrTensor(TFE_Op* op, const char* attr_name,
                                               TF_Tensor* tensor, TF_Status* status);
/// Sets a function. minitf has no functions: TFE_Execute returns TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_OpSetAttrFunction(TFE_Op* op, const char* attr_name,
                                                 const TFE_Op* value);
/// Sets a function by name. minitf has no functions: TFE_Execute returns
/// TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_OpSetAttrFunctionName(TFE_Op* op, const char* attr_name,
                                                     const char* data, size_t length);
/// Sets a list of strings. `lengths[i]` is the number of bytes at `values[i]`.
TF_CAPI_EXPORT extern void TFE_OpSetAttrStringList(TFE_Op* op, const char* attr_name,
                                                   const void* const* values,
                                                   const size_t* lengths, int num_values);
/// Sets a list of integers.
TF_CAPI_EXPORT extern void TFE_OpSetAttrIntList(TFE_Op* op, const char* attr_name,
                                                const int64_t* values, int num_values);
/// Sets a list of floating-point numbers.
TF_CAPI_EXPORT extern void TFE_OpSetAttrFloatList(TFE_Op* op, const char* attr_name,
                                                  const float* values, int num_values);
/// Sets a list of bools.
TF_CAPI_EXPORT extern void TFE_OpSetAttrBoolList(TFE_Op* op, const char* attr_name,
                                                 const unsigned char* values,
                                                 int num_values);
/// Sets a list of element types.
TF_CAPI_EXPORT extern void TFE_OpSetAttrTypeList(TFE_Op* op, const char* attr_name,
                                                 const TF_DataType* values,
                                                 int num_values);
/// Sets a list of shapes. `dims[i]` and `num_dims[i]` are as in TFE_OpSetAttrShape.
TF_CAPI_EXPORT extern void TFE_OpSetAttrShapeList(TFE_Op* op, const char* attr_name,
                                                  const int64_t** dims,
                                                  const int* num_dims, int num_values,
                                                  TF_Status* out_status);
/// Sets a list of functions. minitf has no functions: TFE_Execute returns
/// TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_OpSetAttrFunctionList(TFE_Op* op, const char* attr_name,
                                                     const TFE_Op** value,
                                                     int num_values);

/// Returns the number of tensors of the input `input_name`, or -1 with an error. Inputs
/// and attributes must be complete.
TF_CAPI_EXPORT extern int TFE_OpGetInputLength(TFE_Op* op, const char* input_name,
                                               TF_Status* status);

/// Returns the number of tensors of the output `output_name`, or -1 with an error. Inputs
/// and attributes must be complete.
TF_CAPI_EXPORT extern int TFE_OpGetOutputLength(TFE_Op* op, const char* output_name,
                                                TF_Status* status);

/// Runs the op. `retvals` has room for *num_retvals handles; *num_retvals becomes the
/// number of outputs. The caller deletes the handles. TF_INVALID_ARGUMENT if there are
/// more outputs than room, and then the op does not run. After an error the handles are
/// unchanged.
TF_CAPI_EXPORT extern void TFE_Execute(TFE_Op* op, TFE_TensorHandle** retvals,
                                       int* num_retvals, TF_Status* status);

// ---- Functions ------------------------------------------------------------------------
// minitf has no functions.

/// Adds a FunctionDef. Returns TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_ContextAddFunctionDef(TFE_Context* ctx,
                                                     const char* serialized_function_def,
                                                     size_t size, TF_Status* status);

/// Adds a function. Returns TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_ContextAddFunction(TFE_Context* ctx, TF_Function* function,
                                                  TF_Status* status);

/// Removes a function. Returns TF_UNIMPLEMENTED.
TF_CAPI_EXPORT extern void TFE_ContextRemoveFunction(TFE_Context* ctx, const char* name,
                                                     TF_Status* status);

/// Returns 0: a context has no functions.
TF_CAPI_EXPORT extern unsigned char TFE_ContextHasFunction(TFE_Context* ctx,
                                                           const char* name);

// ---- Run metadata and steps -----------------------------------------------------------

/// Records all ops from now on: device, start, duration in nanoseconds, outputs.
TF_CAPI_EXPORT extern void TFE_ContextEnableRunMetadata(TFE_Context* ctx);

/// Stops the recording. Keeps the records.
TF_CAPI_EXPORT extern void TFE_ContextDisableRunMetadata(TFE_Context* ctx);

/// Replaces the content of `buf` by the records, as a RunMetadata message, and deletes
/// the records.
TF_CAPI_EXPORT extern void TFE_ContextExportRunMetadata(TFE_Context* ctx, TF_Buffer* buf,
                                                        TF_Status* status);

/// Begins a step. State of a step, such as a stack, belongs to its op in minitf, so steps
/// have no effect.
TF_CAPI_EXPORT extern void TFE_ContextStartStep(TFE_Context* ctx);

/// Ends a step.
TF_CAPI_EXPORT extern void TFE_ContextEndStep(TFE_Context* ctx);

#ifdef __cplusplus
}  // extern "C"
#endif
