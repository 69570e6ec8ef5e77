// [[3, 3]] x [[2], [2]] by the C API, for kernel_walk.py.
//
//   c_calls eager       TFE_Execute runs MatMul
//   c_calls graph       TF_SessionRun runs a graph with a MatMul node
//
// Read next  tests/python/kernel_walk.py

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minitf/c/c_api.h"
#include "minitf/c/eager/c_api.h"

static TF_Tensor* Matrix(int64_t rows, int64_t columns, float value) {
  const int64_t dims[] = {rows, columns};
  TF_Tensor* matrix = TF_AllocateTensor(TF_FLOAT, dims, 2, rows * columns * sizeof value);
  float* elements = TF_TensorData(matrix);
  for (int64_t i = 0; i < rows * columns; ++i) elements[i] = value;
  return matrix;
}

static void ExitIfNotOk(const TF_Status* status) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "c_calls: %s\n", TF_Message(status));
  exit(1);
}

static TF_Tensor* RunEagerly(TF_Tensor* a, TF_Tensor* b, TF_Status* status) {
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_Context* context = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
  TFE_TensorHandle* inputs[] = {TFE_NewTensorHandle(a, status),
                                TFE_NewTensorHandle(b, status)};
  TFE_Op* op = TFE_NewOp(context, "MatMul", status);
  for (int i = 0; i < 2; ++i) TFE_OpAddInput(op, inputs[i], status);
  TFE_TensorHandle* output = NULL;
  int num_outputs = 1;
  TFE_Execute(op, &output, &num_outputs, status);
  ExitIfNotOk(status);
  TF_Tensor* product = TFE_TensorHandleResolve(output, status);
  TFE_DeleteTensorHandle(output);
  for (int i = 0; i < 2; ++i) TFE_DeleteTensorHandle(inputs[i]);
  TFE_DeleteOp(op);
  TFE_DeleteContext(context);
  return product;
}

static TF_Output Placeholder(TF_Graph* graph, const char* name, TF_Status* status) {
  TF_OperationDescription* desc = TF_NewOperation(graph, "Placeholder", name);
  TF_SetAttrType(desc, "dtype", TF_FLOAT);
  const TF_Output output = {TF_FinishOperation(desc, status), 0};
  return output;
}

static TF_Tensor* RunGraph(TF_Tensor* a, TF_Tensor* b, TF_Status* status) {
  TF_Graph* graph = TF_NewGraph();
  const TF_Output feeds[] = {Placeholder(graph, "a", status),
                             Placeholder(graph, "b", status)};
  TF_OperationDescription* desc = TF_NewOperation(graph, "MatMul", "MatMul");
  for (int i = 0; i < 2; ++i) TF_AddInput(desc, feeds[i]);
  const TF_Output fetch = {TF_FinishOperation(desc, status), 0};
  ExitIfNotOk(status);

  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  TF_DeleteSessionOptions(options);
  TF_Tensor* const values[] = {a, b};
  TF_Tensor* product = NULL;
  TF_SessionRun(session, NULL, feeds, values, 2, &fetch, &product, 1, NULL, 0, NULL,
                status);
  ExitIfNotOk(status);
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
  return product;
}

int main(int argc, char** argv) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor *a = Matrix(1, 2, 3), *b = Matrix(2, 1, 2);
  const int is_eager = argc > 1 && strcmp(argv[1], "eager") == 0;
  TF_Tensor* product = is_eager ? RunEagerly(a, b, status) : RunGraph(a, b, status);
  ExitIfNotOk(status);
  printf("PRODUCT %g\n", *(const float*)TF_TensorData(product));
  TF_DeleteTensor(product);
  TF_DeleteTensor(b);
  TF_DeleteTensor(a);
  TF_DeleteStatus(status);
  return 0;
}
