// Times calls of the C API, in minitf's library or in TensorFlow's. A program opens one of
// them and calls NewOperation, EagerAdd and SessionRun. Each function makes `calls` calls
// and returns the seconds of one. An error ends the process.
//
// Read next  tests/bench/binding_worker.py

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "minitf/c/c_api.h"
#include "minitf/c/eager/c_api.h"

static void* library;

static void* Find(const char* name) {
  void* function = dlsym(library, name);
  if (function == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return function;
}

// The function of the library that has this name, with the type that the header declares.
#define CALL(name) ((__typeof__(&(name)))Find(#name))

static TF_Status* status;

static void Check(void) {
  if (CALL(TF_GetCode)(status) == TF_OK) return;
  fprintf(stderr, "%s\n", CALL(TF_Message)(status));
  exit(1);
}

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void NoDeallocation(void* data, size_t length, void* arg) {
  (void)data, (void)length, (void)arg;
}

static TF_Tensor* Scalar(float* value) {
  return CALL(TF_NewTensor)(TF_FLOAT, NULL, 0, value, sizeof *value, NoDeallocation, NULL);
}

static TF_Operation* Placeholder(TF_Graph* graph) {
  TF_OperationDescription* desc = CALL(TF_NewOperation)(graph, "Placeholder", "fed");
  CALL(TF_SetAttrType)(desc, "dtype", TF_FLOAT);
  TF_Operation* operation = CALL(TF_FinishOperation)(desc, status);
  Check();
  return operation;
}

static TF_Operation* Sum(TF_Graph* graph, TF_Operation* input, const char* name) {
  static __typeof__(&TF_NewOperation) new_operation;
  static __typeof__(&TF_AddInput) add_input;
  static __typeof__(&TF_FinishOperation) finish;
  if (new_operation == NULL) {
    new_operation = CALL(TF_NewOperation);
    add_input = CALL(TF_AddInput);
    finish = CALL(TF_FinishOperation);
  }
  const TF_Output output = {input, 0};
  TF_OperationDescription* desc = new_operation(graph, "AddV2", name);
  add_input(desc, output);
  add_input(desc, output);
  return finish(desc, status);
}

// Opens the library. Ends the process if the library or a function is missing.
void Open(const char* path) {
  library = dlopen(path, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  status = CALL(TF_NewStatus)();
}

// An AddV2 of two scalars that is added to a graph.
double NewOperation(int calls) {
  TF_Graph* graph = CALL(TF_NewGraph)();
  TF_Operation* fed = Placeholder(graph);
  char name[32];
  const double begin = Now();
  for (int i = 0; i < calls; ++i) {
    snprintf(name, sizeof name, "sum_%d", i);
    Sum(graph, fed, name);
  }
  const double end = Now();
  Check();
  CALL(TF_DeleteGraph)(graph);
  return (end - begin) / calls;
}

// An AddV2 of two scalars that is computed at once.
double EagerAdd(int calls) {
  static TFE_Context* context;
  if (context == NULL) {
    TFE_ContextOptions* options = CALL(TFE_NewContextOptions)();
    context = CALL(TFE_NewContext)(options, status);
    CALL(TFE_DeleteContextOptions)(options);
    Check();
  }
  const __typeof__(&TFE_NewOp) new_op = CALL(TFE_NewOp);
  const __typeof__(&TFE_OpAddInput) add_input = CALL(TFE_OpAddInput);
  const __typeof__(&TFE_Execute) execute = CALL(TFE_Execute);
  const __typeof__(&TFE_DeleteOp) delete_op = CALL(TFE_DeleteOp);
  const __typeof__(&TFE_DeleteTensorHandle) delete_handle = CALL(TFE_DeleteTensorHandle);
  float number = 2;
  TF_Tensor* tensor = Scalar(&number);
  TFE_TensorHandle* handle = CALL(TFE_NewTensorHandle)(tensor, status);
  Check();
  const double begin = Now();
  for (int i = 0; i < calls; ++i) {
    TFE_Op* op = new_op(context, "AddV2", status);
    add_input(op, handle, status);
    add_input(op, handle, status);
    TFE_TensorHandle* sum = NULL;
    int count = 1;
    execute(op, &sum, &count, status);
    delete_op(op);
    delete_handle(sum);
  }
  const double end = Now();
  Check();
  delete_handle(handle);
  CALL(TF_DeleteTensor)(tensor);
  return (end - begin) / calls;
}

// A step that is fed one scalar and fetches one.
double SessionRun(int calls) {
  TF_Graph* graph = CALL(TF_NewGraph)();
  TF_Operation* fed = Placeholder(graph);
  const TF_Output input = {fed, 0};
  const TF_Output output = {Sum(graph, fed, "sum"), 0};
  TF_SessionOptions* options = CALL(TF_NewSessionOptions)();
  TF_Session* session = CALL(TF_NewSession)(graph, options, status);
  Check();
  const __typeof__(&TF_SessionRun) run = CALL(TF_SessionRun);
  const __typeof__(&TF_DeleteTensor) delete_tensor = CALL(TF_DeleteTensor);
  float number = 2;
  TF_Tensor* tensor = Scalar(&number);
  double begin = 0;
  for (int i = -10; i < calls; ++i) {  // the first ones prepare the step
    if (i == 0) begin = Now();
    TF_Tensor* value = NULL;
    run(session, NULL, &input, &tensor, 1, &output, &value, 1, NULL, 0, NULL, status);
    delete_tensor(value);
  }
  const double end = Now();
  Check();
  delete_tensor(tensor);
  CALL(TF_DeleteSession)(session, status);
  CALL(TF_DeleteSessionOptions)(options);
  CALL(TF_DeleteGraph)(graph);
  return (end - begin) / calls;
}
