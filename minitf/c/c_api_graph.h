// Graphs, and how operations are added to them.
//
// An operation is built in three steps: TF_NewOperation opens a description, setters fill
// it, TF_FinishOperation checks it and adds the operation. A setter has no status: the
// first error of a setter is what TF_FinishOperation reports.
//
//   TF_OperationDescription* desc = TF_NewOperation(graph, "MatMul", "product");
//   TF_AddInput(desc, a);
//   TF_AddInput(desc, b);
//   TF_Operation* product = TF_FinishOperation(desc, status);
//
//   threads    any number of threads build and read a graph; one uses a description
//   handles    a setter does nothing for a description that is null or was finished
//
// Compare    tensorflow/c/c_api.h
// Read next  minitf/c/c_api_operation.h

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "minitf/c/tf_attrtype.h"
#include "minitf/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Graph TF_Graph;
typedef struct TF_OperationDescription TF_OperationDescription;
/// An operation of a graph. Valid until the graph and all of its sessions are deleted.
typedef struct TF_Operation TF_Operation;

/// Input `index` of an operation.
typedef struct TF_Input {
  TF_Operation* oper;
  int index;
} TF_Input;

/// Output `index` of an operation.
typedef struct TF_Output {
  TF_Operation* oper;
  int index;
} TF_Output;

/// Returns an empty graph. The caller deletes it. Null if there is no memory.
TF_CAPI_EXPORT extern TF_Graph* TF_NewGraph(void);

/// Deletes the handle, and unfinished descriptions of the graph. The graph exists as
/// long as a session uses it. Does nothing for null and for a handle that was deleted.
TF_CAPI_EXPORT extern void TF_DeleteGraph(TF_Graph* g);

/// Merges a shape into what is known of the shape of `output`. A `num_dims` of -1 is an
/// unknown rank, a size of -1 an unknown size. Sets TF_INVALID_ARGUMENT if the shapes
/// contradict each other or `output` is no output of `graph`.
TF_CAPI_EXPORT extern void TF_GraphSetTensorShape(TF_Graph* graph, TF_Output output,
                                                  const int64_t* dims, const int num_dims,
                                                  TF_Status* status);

/// Returns the rank of `output`; -1 if it is unknown. Sets TF_INVALID_ARGUMENT, and
/// returns -1, if `output` is no output of `graph`.
TF_CAPI_EXPORT extern int TF_GraphGetTensorNumDims(TF_Graph* graph, TF_Output output,
                                                   TF_Status* status);

/// Writes the sizes of `output` to dims[0, num_dims), -1 for an unknown size. Writes
/// nothing if the rank is unknown. Sets TF_INVALID_ARGUMENT if it is not `num_dims`.
TF_CAPI_EXPORT extern void TF_GraphGetTensorShape(TF_Graph* graph, TF_Output output,
                                                  int64_t* dims, int num_dims,
                                                  TF_Status* status);

/// Returns a description of an operation that no graph contains yet. TF_FinishOperation
/// deletes it. Returns null if `graph` is null or was deleted.
TF_CAPI_EXPORT extern TF_OperationDescription* TF_NewOperation(TF_Graph* graph,
                                                               const char* op_type,
                                                               const char* oper_name);

/// Does what TF_NewOperation does. Older texts have this name (M222, T19).
TF_CAPI_EXPORT extern TF_OperationDescription* TF_NewNode(TF_Graph* graph,
                                                          const char* op_type,
                                                          const char* oper_name);

/// Requests a device, such as "/device:CPU:0"; "" leaves the choice to the session.
TF_CAPI_EXPORT extern void TF_SetDevice(TF_OperationDescription* desc,
                                        const char* device);

/// Adds the next argument of the op, one tensor (M223). MatMul takes both of its inputs
/// this way.
TF_CAPI_EXPORT extern void TF_AddInput(TF_OperationDescription* desc, TF_Output input);

/// Adds the next argument of the op, a list of tensors, as Concat and AddN have it. A
/// list of one tensor is still a list.
TF_CAPI_EXPORT extern void TF_AddInputList(TF_OperationDescription* desc,
                                           const TF_Output* inputs, int num_inputs);

/// Lets the operation run after `input`.
TF_CAPI_EXPORT extern void TF_AddControlInput(TF_OperationDescription* desc,
                                              TF_Operation* input);

/// Requests the device of `op`.
TF_CAPI_EXPORT extern void TF_ColocateWith(TF_OperationDescription* desc,
                                           TF_Operation* op);

// ---- Attributes -----------------------------------------------------------------------
// All values are copied. A list has `num_values` elements. A later call for the same
// attribute replaces its value.

/// Sets a string of `length` bytes.
TF_CAPI_EXPORT extern void TF_SetAttrString(TF_OperationDescription* desc,
                                            const char* attr_name, const void* value,
                                            size_t length);
/// Sets strings; string i has lengths[i] bytes.
TF_CAPI_EXPORT extern void TF_SetAttrStringList(TF_OperationDescription* desc,
                                                const char* attr_name,
                                                const void* const* values,
                                                const size_t* lengths, int num_values);
/// Sets an integer.
TF_CAPI_EXPORT extern void TF_SetAttrInt(TF_OperationDescription* desc,
                                         const char* attr_name, int64_t value);
/// Sets integers.
TF_CAPI_EXPORT extern void TF_SetAttrIntList(TF_OperationDescription* desc,
                                             const char* attr_name, const int64_t* values,
                                             int num_values);
/// Sets a number.
TF_CAPI_EXPORT extern void TF_SetAttrFloat(TF_OperationDescription* desc,
                                           const char* attr_name, float value);
/// Sets numbers.
TF_CAPI_EXPORT extern void TF_SetAttrFloatList(TF_OperationDescription* desc,
                                               const char* attr_name, const float* values,
                                               int num_values);
/// Sets a truth value; every number but 0 is true.
TF_CAPI_EXPORT extern void TF_SetAttrBool(TF_OperationDescription* desc,
                                          const char* attr_name, unsigned char value);
/// Sets truth values.
TF_CAPI_EXPORT extern void TF_SetAttrBoolList(TF_OperationDescription* desc,
                                              const char* attr_name,
                                              const unsigned char* values,
                                              int num_values);
/// Sets an element type.
TF_CAPI_EXPORT extern void TF_SetAttrType(TF_OperationDescription* desc,
                                          const char* attr_name, TF_DataType value);
/// Sets element types.
TF_CAPI_EXPORT extern void TF_SetAttrTypeList(TF_OperationDescription* desc,
                                              const char* attr_name,
                                              const TF_DataType* values, int num_values);
/// Sets a shape. A `num_dims` of -1 is an unknown rank, a size of -1 an unknown size.
TF_CAPI_EXPORT extern void TF_SetAttrShape(TF_OperationDescription* desc,
                                           const char* attr_name, const int64_t* dims,
                                           int num_dims);
/// Sets shapes; shape i has the num_dims[i] sizes at dims[i].
TF_CAPI_EXPORT extern void TF_SetAttrShapeList(TF_OperationDescription* desc,
                                               const char* attr_name,
                                               const int64_t* const* dims,
                                               const int* num_dims, int num_shapes);
/// Sets the shape of a serialized TensorShapeProto. Sets TF_INVALID_ARGUMENT for bytes
/// that are no such message, and for an invalid shape.
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProto(TF_OperationDescription* desc,
                                                      const char* attr_name,
                                                      const void* proto, size_t proto_len,
                                                      TF_Status* status);
/// Sets the shapes of serialized messages; message i has proto_lens[i] bytes.
TF_CAPI_EXPORT extern void TF_SetAttrTensorShapeProtoList(
    TF_OperationDescription* desc, const char* attr_name, const void* const* protos,
    const size_t* proto_lens, int num_shapes, TF_Status* status);
/// Sets a tensor. The caller still owns `value`.
TF_CAPI_EXPORT extern void TF_SetAttrTensor(TF_OperationDescription* desc,
                                            const char* attr_name, TF_Tensor* value,
                                            TF_Status* status);
/// Sets the value of a serialized AttrValue. Sets TF_UNIMPLEMENTED for a function.
TF_CAPI_EXPORT extern void TF_SetAttrValueProto(TF_OperationDescription* desc,
                                                const char* attr_name, const void* proto,
                                                size_t proto_len, TF_Status* status);

/// Adds the operation to the graph, and deletes `desc` in any case. On an error, returns
/// null and leaves the graph as it was. The first error of a setter comes first. Sets
/// TF_INVALID_ARGUMENT for an op that is not registered, and for a name that is invalid
/// or taken. Inputs, attributes and shapes must fit the op. An attribute has one value.
/// All operations must be of this graph. `desc` may be neither null nor finished.
TF_CAPI_EXPORT extern TF_Operation* TF_FinishOperation(TF_OperationDescription* desc,
                                                       TF_Status* status);

// ---- Reading a graph ------------------------------------------------------------------

/// Returns the operation `oper_name`; null if the graph has no such operation.
TF_CAPI_EXPORT extern TF_Operation* TF_GraphOperationByName(TF_Graph* graph,
                                                            const char* oper_name);

/// Returns the next operation; null at the end. Start with *pos == 0:
///
///   size_t pos = 0;
///   while ((oper = TF_GraphNextOperation(graph, &pos)) != NULL) { ... }
TF_CAPI_EXPORT extern TF_Operation* TF_GraphNextOperation(TF_Graph* graph, size_t* pos);

/// Lets input `dst` come from `new_src`, an output of the same element type. It is part
/// of c_api.h since TensorFlow 2.0.
TF_CAPI_EXPORT extern void TF_UpdateEdge(TF_Graph* graph, TF_Output new_src, TF_Input dst,
                                         TF_Status* status);

#ifdef __cplusplus
}
#endif
