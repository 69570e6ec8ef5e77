// Short forms for tests of eager ops: contexts, handles and calls.
//
// Read next  tests/c/eager_op_test.c

#pragma once

#include <string.h>

#include "minitf/c/eager/c_api.h"
#include "tests/c/check.h"

/// Returns a context with default options.
static inline TFE_Context* NewContext(void) {
  TF_Status* status = TF_NewStatus();
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_Context* context = TFE_NewContext(options, status);
  CHECK_OK(status);
  TFE_DeleteContextOptions(options);
  TF_DeleteStatus(status);
  return context;
}

/// Returns a tensor with a copy of the elements.
static inline TF_Tensor* TensorOf(TF_DataType dtype, int rank, const int64_t* dims,
                                  const void* elements) {
  size_t size = TF_DataTypeSize(dtype);
  for (int i = 0; i < rank; ++i) size *= (size_t)dims[i];
  TF_Tensor* tensor = TF_AllocateTensor(dtype, dims, rank, size);
  if (size > 0) memcpy(TF_TensorData(tensor), elements, size);
  return tensor;
}

/// Returns a handle with a copy of the elements.
static inline TFE_TensorHandle* HandleOf(TF_DataType dtype, int rank, const int64_t* dims,
                                         const void* elements) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* tensor = TensorOf(dtype, rank, dims, elements);
  TFE_TensorHandle* handle = TFE_NewTensorHandle(tensor, status);
  CHECK_OK(status);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  return handle;
}

/// Returns a vector of floats.
static inline TFE_TensorHandle* Floats(int64_t count, const float* elements) {
  return HandleOf(TF_FLOAT, 1, &count, elements);
}

/// Returns a scalar.
static inline TFE_TensorHandle* Float(float value) {
  return HandleOf(TF_FLOAT, 0, NULL, &value);
}

/// Returns a call of an op with `count` inputs.
static inline TFE_Op* NewCall(TFE_Context* context, const char* name, int count,
                              TFE_TensorHandle** inputs) {
  TF_Status* status = TF_NewStatus();
  TFE_Op* op = TFE_NewOp(context, name, status);
  CHECK_OK(status);
  for (int i = 0; i < count; ++i) {
    TFE_OpAddInput(op, inputs[i], status);
    CHECK_OK(status);
  }
  TF_DeleteStatus(status);
  return op;
}

/// Runs a call with one output, and deletes the call. Null with an error.
static inline TFE_TensorHandle* RunCall(TFE_Op* op, TF_Status* status) {
  TFE_TensorHandle* result = NULL;
  int num_results = 1;
  TFE_Execute(op, &result, &num_results, status);
  TFE_DeleteOp(op);
  return result;
}

/// Checks that a handle has these elements.
static inline void CheckElements(TFE_TensorHandle* handle, const void* elements,
                                 size_t size) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* tensor = TFE_TensorHandleResolve(handle, status);
  CHECK_OK(status);
  CHECK_EQ(TF_TensorByteSize(tensor), size);
  if (TF_TensorByteSize(tensor) == size && size > 0) {
    CHECK(memcmp(TF_TensorData(tensor), elements, size) == 0);
  }
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
}
