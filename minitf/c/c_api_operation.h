// Operations of a graph: names, neighbours, attributes.
//
// An operation never changes once it is in a graph. Only the lists of its consumers grow.
// A list function writes at most `max_...` elements and returns how many there are. A
// function without a status returns null, 0, -1 or an empty struct for an operation that
// is null and an index that does not exist.
//
//   threads    any number of threads read
//
// Compare    tensorflow/c/c_api.h
// Read next  minitf/c/c_api_graph_def.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the name. The text is valid as long as the operation.
TF_CAPI_EXPORT extern const char* TF_OperationName(TF_Operation* oper);
/// Returns the name of the op, such as "MatMul".
TF_CAPI_EXPORT extern const char* TF_OperationOpType(TF_Operation* oper);
/// Returns the requested device, or "".
TF_CAPI_EXPORT extern const char* TF_OperationDevice(TF_Operation* oper);

/// Returns the number of outputs.
TF_CAPI_EXPORT extern int TF_OperationNumOutputs(TF_Operation* oper);
/// Returns the element type of an output; 0 if it does not exist.
TF_CAPI_EXPORT extern TF_DataType TF_OperationOutputType(TF_Output oper_out);
/// Returns the number of tensors of the output `arg_name`; -1 with TF_INVALID_ARGUMENT
/// if the op has no such output.
TF_CAPI_EXPORT extern int TF_OperationOutputListLength(TF_Operation* oper,
                                                       const char* arg_name,
                                                       TF_Status* status);

/// Returns the number of inputs, without control inputs.
TF_CAPI_EXPORT extern int TF_OperationNumInputs(TF_Operation* oper);
/// Returns the element type of an input; 0 if it does not exist.
TF_CAPI_EXPORT extern TF_DataType TF_OperationInputType(TF_Input oper_in);
/// Returns the number of tensors of the input `arg_name`; -1 with TF_INVALID_ARGUMENT if
/// the op has no such input.
TF_CAPI_EXPORT extern int TF_OperationInputListLength(TF_Operation* oper,
                                                      const char* arg_name,
                                                      TF_Status* status);

/// Returns the output that an input comes from; {null, -1} if it does not exist.
TF_CAPI_EXPORT extern TF_Output TF_OperationInput(TF_Input oper_in);
/// Writes where the inputs come from.
TF_CAPI_EXPORT extern void TF_OperationAllInputs(TF_Operation* oper, TF_Output* inputs,
                                                 int max_inputs);

/// Returns the number of inputs that come from an output.
TF_CAPI_EXPORT extern int TF_OperationOutputNumConsumers(TF_Output oper_out);
/// Writes the inputs that come from an output.
TF_CAPI_EXPORT extern int TF_OperationOutputConsumers(TF_Output oper_out,
                                                      TF_Input* consumers,
                                                      int max_consumers);

/// Returns the number of operations after which `oper` runs by a control edge.
TF_CAPI_EXPORT extern int TF_OperationNumControlInputs(TF_Operation* oper);
/// Writes these operations.
TF_CAPI_EXPORT extern int TF_OperationGetControlInputs(TF_Operation* oper,
                                                       TF_Operation** control_inputs,
                                                       int max_control_inputs);
/// Returns the number of operations that run after `oper` by a control edge.
TF_CAPI_EXPORT extern int TF_OperationNumControlOutputs(TF_Operation* oper);
/// Writes these operations.
TF_CAPI_EXPORT extern int TF_OperationGetControlOutputs(TF_Operation* oper,
                                                        TF_Operation** control_outputs,
                                                        int max_control_outputs);

// ---- Attributes -----------------------------------------------------------------------
// All of these functions set TF_INVALID_ARGUMENT if the attribute `attr_name` is of
// another kind. For a missing attribute, the functions for an int, float, bool, type,
// shape, list of shapes and tensor set TF_NOT_FOUND. The others set TF_INVALID_ARGUMENT,
// as in TensorFlow.

/// The facts that a reader of an attribute needs.
typedef struct TF_AttrMetadata {
  unsigned char is_list;  ///< 1 for a list, else 0
  int64_t list_size;      ///< the number of elements of a list; -1 for another attribute
  TF_AttrType type;       ///< of the value, or of the elements of the list
  /// The bytes of a string or of all strings of a list. The rank of a shape, which is -1
  /// if unknown. The sum of the known ranks of a list of shapes. -1 for other kinds.
  int64_t total_size;
} TF_AttrMetadata;

/// Returns the kind and the sizes of an attribute.
TF_CAPI_EXPORT extern TF_AttrMetadata TF_OperationGetAttrMetadata(TF_Operation* oper,
                                                                  const char* attr_name,
                                                                  TF_Status* status);

/// Writes the first `max_length` bytes of a string.
TF_CAPI_EXPORT extern void TF_OperationGetAttrString(TF_Operation* oper,
                                                     const char* attr_name, void* value,
                                                     size_t max_length,
                                                     TF_Status* status);
/// Writes at most `max_values` strings: values[i] points into `storage`, to lengths[i]
/// bytes. Sets TF_INVALID_ARGUMENT if they need more than `storage_size` bytes.
TF_CAPI_EXPORT extern void TF_OperationGetAttrStringList(
    TF_Operation* oper, const char* attr_name, void** values, size_t* lengths,
    int max_values, void* storage, size_t storage_size, TF_Status* status);
/// Writes an integer.
TF_CAPI_EXPORT extern void TF_OperationGetAttrInt(TF_Operation* oper,
                                                  const char* attr_name, int64_t* value,
                                                  TF_Status* status);
/// Writes at most `max_values` integers.
TF_CAPI_EXPORT extern void TF_OperationGetAttrIntList(TF_Operation* oper,
                                                      const char* attr_name,
                                                      int64_t* values, int max_values,
                                                      TF_Status* status);
/// Writes a number.
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloat(TF_Operation* oper,
                                                    const char* attr_name, float* value,
                                                    TF_Status* status);
/// Writes at most `max_values` numbers.
TF_CAPI_EXPORT extern void TF_OperationGetAttrFloatList(TF_Operation* oper,
                                                        const char* attr_name,
                                                        float* values, int max_values,
                                                        TF_Status* status);
/// Writes 0 or 1.
TF_CAPI_EXPORT extern void TF_OperationGetAttrBool(TF_Operation* oper,
                                                   const char* attr_name,
                                                   unsigned char* value,
                                                   TF_Status* status);
/// Writes at most `max_values` truth values.
TF_CAPI_EXPORT extern void TF_OperationGetAttrBoolList(TF_Operation* oper,
                                                       const char* attr_name,
                                                       unsigned char* values,
                                                       int max_values, TF_Status* status);
/// Writes an element type.
TF_CAPI_EXPORT extern void TF_OperationGetAttrType(TF_Operation* oper,
                                                   const char* attr_name,
                                                   TF_DataType* value, TF_Status* status);
/// Writes at most `max_values` element types.
TF_CAPI_EXPORT extern void TF_OperationGetAttrTypeList(TF_Operation* oper,
                                                       const char* attr_name,
                                                       TF_DataType* values,
                                                       int max_values, TF_Status* status);
/// Writes the first `num_dims` sizes of a shape, -1 for an unknown size. Writes nothing
/// if the rank is unknown.
TF_CAPI_EXPORT extern void TF_OperationGetAttrShape(TF_Operation* oper,
                                                    const char* attr_name, int64_t* value,
                                                    int num_dims, TF_Status* status);
/// Writes at most `num_shapes` shapes: num_dims[i] is the rank or -1, and dims[i] points
/// into `storage`. Sets TF_INVALID_ARGUMENT if they have more than `storage_size` sizes.
TF_CAPI_EXPORT extern void TF_OperationGetAttrShapeList(
    TF_Operation* oper, const char* attr_name, int64_t** dims, int* num_dims,
    int num_shapes, int64_t* storage, int storage_size, TF_Status* status);
/// Fills `value` with a shape as a serialized TensorShapeProto.
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorShapeProto(TF_Operation* oper,
                                                               const char* attr_name,
                                                               TF_Buffer* value,
                                                               TF_Status* status);
/// Writes at most `max_values` new buffers with such messages. The caller deletes them.
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensorShapeProtoList(TF_Operation* oper,
                                                                   const char* attr_name,
                                                                   TF_Buffer** values,
                                                                   int max_values,
                                                                   TF_Status* status);
/// Writes a new tensor with the value. The caller deletes it. Null on an error.
TF_CAPI_EXPORT extern void TF_OperationGetAttrTensor(TF_Operation* oper,
                                                     const char* attr_name,
                                                     TF_Tensor** value,
                                                     TF_Status* status);
/// Fills `output_attr_value` with any attribute as a serialized AttrValue.
TF_CAPI_EXPORT extern void TF_OperationGetAttrValueProto(TF_Operation* oper,
                                                         const char* attr_name,
                                                         TF_Buffer* output_attr_value,
                                                         TF_Status* status);

/// Fills `output_node_def` with the operation as a serialized NodeDef.
TF_CAPI_EXPORT extern void TF_OperationToNodeDef(TF_Operation* oper,
                                                 TF_Buffer* output_node_def,
                                                 TF_Status* status);

#ifdef __cplusplus
}
#endif
