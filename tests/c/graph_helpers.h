// Short ways to build graphs in tests in C.
//
// Read next  tests/c/graph_test.c

#pragma once

#include <stdlib.h>
#include <string.h>

#include "minitf/c/c_api.h"

/// A tensor of TF_FLOAT with a copy of `values`.
static inline TF_Tensor* Floats(const int64_t* dims, int num_dims, const float* values) {
  size_t size = sizeof(float);
  for (int i = 0; i < num_dims; ++i) size *= (size_t)dims[i];
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, dims, num_dims, size);
  if (size > 0) memcpy(TF_TensorData(tensor), values, size);
  return tensor;
}

static inline TF_Tensor* Scalar(float value) { return Floats(NULL, 0, &value); }

/// The element of a scalar, which is deleted; -1 for null.
static inline float TakeScalar(TF_Tensor* tensor) {
  if (tensor == NULL) return -1;
  const float value = *(const float*)TF_TensorData(tensor);
  TF_DeleteTensor(tensor);
  return value;
}

/// Adds a constant. `value` is deleted.
static inline TF_Operation* Const(TF_Graph* graph, TF_Tensor* value, const char* name,
                                  TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, "Const", name);
  TF_SetAttrType(desc, "dtype", TF_TensorType(value));
  TF_SetAttrTensor(desc, "value", value, status);
  TF_DeleteTensor(value);
  return TF_FinishOperation(desc, status);
}

static inline TF_Operation* Placeholder(TF_Graph* graph, TF_DataType dtype,
                                        const char* name, TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(desc, "dtype", dtype);
  return TF_FinishOperation(desc, status);
}

static inline TF_Output Out(TF_Operation* oper) {
  const TF_Output output = {oper, 0};
  return output;
}

static inline TF_Operation* Unary(TF_Graph* graph, const char* type, TF_Output x,
                                  const char* name, TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, type, name);
  TF_AddInput(desc, x);
  return TF_FinishOperation(desc, status);
}

static inline TF_Operation* Binary(TF_Graph* graph, const char* type, TF_Output x,
                                   TF_Output y, const char* name, TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, type, name);
  TF_AddInput(desc, x);
  TF_AddInput(desc, y);
  return TF_FinishOperation(desc, status);
}

/// Runs one output without feeds in a session of its own. Null on an error.
static inline TF_Tensor* RunOnce(TF_Graph* graph, TF_Output output, TF_Status* status) {
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  TF_DeleteSessionOptions(options);
  if (session == NULL) return NULL;
  TF_Tensor* result = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &output, &result, 1, NULL, 0, NULL, status);
  TF_Status* ignored = TF_NewStatus();
  TF_DeleteSession(session, ignored);
  TF_DeleteStatus(ignored);
  return result;
}
