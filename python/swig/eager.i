// Eager execution: an op runs at once.
%{
#include "minitf/c/eager/c_api.h"
// Room for the outputs of an op. TFE_Execute refuses an op with more.
struct Handles {
  TFE_TensorHandle* handles[64];
  int count = 64;
};
%}

// A parameter takes all that numpy can make an array of. The handle shares the tensor.
%typemap(in) TF_Tensor* shared {
  $1 = minitf::swig::TensorFromArray($input);
  if ($1 == nullptr) SWIG_fail;
}
%typemap(freearg) TF_Tensor* shared { TF_DeleteTensor($1); }

// The outputs of an op are a list of handles, which the caller deletes.
%typemap(in, numinputs=0) (TFE_TensorHandle** retvals, int* num_retvals, TF_Status* status)
    (Handles outputs) {
  $1 = outputs.handles;
  $2 = &outputs.count;
  $3 = minitf::swig::StatusOfThread();
}
%typemap(argout) (TFE_TensorHandle** retvals, int* num_retvals, TF_Status* status) {
  Py_CLEAR($result);
  if (!minitf::swig::RaiseIfNotOk($3)) SWIG_fail;
  $result = PyList_New(*$2);
  if ($result == nullptr) SWIG_fail;
  for (int i = 0; i < *$2; ++i) {
    PyObject* handle = SWIG_NewPointerObj($1[i], SWIGTYPE_p_TFE_TensorHandle, 0);
    PyList_SET_ITEM($result, i, handle);
  }
}

typedef struct TFE_ContextOptions TFE_ContextOptions;
typedef struct TFE_Context TFE_Context;
typedef struct TFE_TensorHandle TFE_TensorHandle;
typedef struct TFE_Op TFE_Op;

TFE_ContextOptions* TFE_NewContextOptions();
void TFE_DeleteContextOptions(TFE_ContextOptions* options);
TFE_Context* TFE_NewContext(const TFE_ContextOptions* opts, TF_Status* status);
void TFE_DeleteContext(TFE_Context* ctx);

TFE_TensorHandle* TFE_NewTensorHandle(TF_Tensor* shared, TF_Status* status);
TF_Tensor* TFE_TensorHandleResolve(TFE_TensorHandle* h, TF_Status* status);
void TFE_DeleteTensorHandle(TFE_TensorHandle* h);

TFE_Op* TFE_NewOp(TFE_Context* ctx, const char* op_or_function_name, TF_Status* status);
void TFE_OpSetAttrType(TFE_Op* op, const char* attr_name, TF_DataType value);
void TFE_OpSetAttrInt(TFE_Op* op, const char* attr_name, long value);
void TFE_OpAddInput(TFE_Op* op, TFE_TensorHandle* input, TF_Status* status);
void TFE_Execute(TFE_Op* op, TFE_TensorHandle** retvals, int* num_retvals,
                 TF_Status* status);
void TFE_DeleteOp(TFE_Op* op);
