// Graphs, and the operations in them.
%{
#include "minitf/c/c_api.h"
%}

// A message of Protocol Buffers is a bytes object.
%typemap(in) (const void* proto, size_t proto_len) {
  char* data = nullptr;
  Py_ssize_t length = 0;
  if (PyBytes_AsStringAndSize($input, &data, &length) != 0) SWIG_fail;
  $1 = data;
  $2 = length;
}

typedef struct TF_Graph TF_Graph;
typedef struct TF_Operation TF_Operation;
typedef struct TF_OperationDescription TF_OperationDescription;

const char* TF_Version();

TF_Graph* TF_NewGraph();
void TF_DeleteGraph(TF_Graph* g);

TF_OperationDescription* TF_NewOperation(TF_Graph* graph, const char* op_type,
                                         const char* oper_name);
void TF_SetDevice(TF_OperationDescription* desc, const char* device);
void TF_SetAttrType(TF_OperationDescription* desc, const char* attr_name,
                    TF_DataType value);
void TF_SetAttrBool(TF_OperationDescription* desc, const char* attr_name,
                    unsigned char value);
void TF_SetAttrInt(TF_OperationDescription* desc, const char* attr_name, long value);
void TF_SetAttrFloat(TF_OperationDescription* desc, const char* attr_name, float value);
void TF_SetAttrValueProto(TF_OperationDescription* desc, const char* attr_name,
                          const void* proto, size_t proto_len, TF_Status* status);
void TF_AddControlInput(TF_OperationDescription* desc, TF_Operation* input);
TF_Operation* TF_FinishOperation(TF_OperationDescription* desc, TF_Status* status);

TF_Operation* TF_GraphOperationByName(TF_Graph* graph, const char* oper_name);
const char* TF_OperationName(TF_Operation* oper);
const char* TF_OperationOpType(TF_Operation* oper);
const char* TF_OperationDevice(TF_Operation* oper);
int TF_OperationNumOutputs(TF_Operation* oper);
int TF_OperationNumInputs(TF_Operation* oper);
