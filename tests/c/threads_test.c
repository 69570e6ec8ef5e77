// Threads that use one graph, one session, one context and the registries at once.
//
// Run under ThreadSanitizer, this test shows races in the C API. Each job counts what went
// right, since the checks of check.h belong to one thread.
//
// Read next  minitf/c/live_objects.h

#include <pthread.h>
#include <stdio.h>

#include "minitf/c/eager/c_api.h"
#include "minitf/c/kernels.h"
#include "minitf/c/ops.h"
#include "tests/c/check.h"
#include "tests/c/graph_helpers.h"

enum { kRounds = 40 };

// What the jobs share.
static TF_Graph* graph;
static TF_Output x;
static TF_Output y;  // -x
static TF_Session* session;
static TFE_Context* context;
static TFE_TensorHandle* two;

// One thread. `run` makes one round and returns whether all of it was right.
typedef struct {
  const char* name;
  int (*run)(int thread, int round, TF_Status* status);
  int thread;
  int num_right;
} Job;

static int IsOk(const TF_Status* status) { return TF_GetCode(status) == TF_OK; }

// ---- Jobs -----------------------------------------------------------------------------

static int AddsOperations(int thread, int round, TF_Status* status) {
  char name[32];
  snprintf(name, sizeof name, "neg_%d_%d", thread, round);
  TF_Operation* oper = Unary(graph, "Neg", x, name, status);
  if (!IsOk(status)) return 0;
  TF_AddControlInput(NULL, oper);  // is ignored
  return TF_GraphOperationByName(graph, name) == oper;
}

static int ReadsGraph(int thread, int round, TF_Status* status) {
  (void)thread, (void)round;
  size_t place = 0;
  int count = 0;
  for (TF_Operation* oper; (oper = TF_GraphNextOperation(graph, &place)) != NULL;) {
    count += TF_OperationNumOutputs(oper) == 1 && TF_OperationName(oper)[0] != '\0';
  }
  TF_Input consumers[4];
  TF_OperationOutputConsumers(x, consumers, 4);
  TF_GraphGetTensorNumDims(graph, y, status);
  TF_Buffer* buffer = TF_NewBuffer();
  TF_GraphToGraphDef(graph, buffer, status);
  const int is_right = IsOk(status) && buffer->length > 0 && count >= 2;
  TF_DeleteBuffer(buffer);
  return is_right;
}

static int RunsSteps(int thread, int round, TF_Status* status) {
  (void)thread;
  TF_Tensor* feed = Scalar((float)round);
  TF_Tensor* result = NULL;
  TF_SessionRun(session, NULL, &x, &feed, 1, &y, &result, 1, NULL, 0, NULL, status);
  TF_DeleteTensor(feed);
  return IsOk(status) && TakeScalar(result) == -(float)round;
}

static int MakesSessions(int thread, int round, TF_Status* status) {
  (void)thread, (void)round;
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* own = TF_NewSession(graph, options, status);
  TF_DeleteSessionOptions(options);
  TF_DeviceList* devices = TF_SessionListDevices(own, status);
  int is_right = IsOk(status) && TF_DeviceListCount(devices) > 0;
  TF_DeleteDeviceList(devices);
  TF_Tensor* feed = Scalar(3);
  TF_Tensor* result = NULL;
  TF_SessionRun(own, NULL, &x, &feed, 1, &y, &result, 1, NULL, 0, NULL, status);
  TF_DeleteTensor(feed);
  is_right = is_right && TakeScalar(result) == -3;
  TF_CloseSession(own, status);
  TF_DeleteSession(own, status);
  return is_right && IsOk(status);
}

static int RunsOpsAtOnce(int thread, int round, TF_Status* status) {
  (void)thread, (void)round;
  TFE_TensorHandle* copy = TFE_TensorHandleCopySharingTensor(two, status);
  TFE_Op* op = TFE_NewOp(context, "AddV2", status);
  TFE_OpAddInput(op, two, status);
  TFE_OpAddInput(op, copy, status);
  TFE_TensorHandle* sum = NULL;
  int count = 1;
  TFE_Execute(op, &sum, &count, status);
  const int is_right =
      IsOk(status) && TakeScalar(TFE_TensorHandleResolve(sum, status)) == 4;
  TFE_DeleteTensorHandle(sum);
  TFE_DeleteTensorHandle(copy);
  TFE_DeleteOp(op);
  return is_right;
}

static int ClearsCaches(int thread, int round, TF_Status* status) {
  (void)thread, (void)round;
  TFE_ContextClearCaches(context);
  TF_DeviceList* devices = TFE_ContextListDevices(context, status);
  const int is_right = IsOk(status) && TF_DeviceListCount(devices) > 0;
  TF_DeleteDeviceList(devices);
  TFE_ContextSetThreadLocalDevicePlacementPolicy(context, TFE_DEVICE_PLACEMENT_SILENT);
  return is_right;
}

static void* MakesNothing(TF_OpKernelConstruction* construction) {
  (void)construction;
  return NULL;
}

static void ComputesNothing(void* kernel, TF_OpKernelContext* ctx) {
  (void)kernel, (void)ctx;
}

static int Registers(int thread, int round, TF_Status* status) {
  char name[32];
  snprintf(name, sizeof name, "Thread%dOp%d", thread, round);
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_RegisterOpDefinition(op, status);
  if (!IsOk(status)) return 0;
  TF_KernelBuilder* kernel =
      TF_NewKernelBuilder(name, "CPU", &MakesNothing, &ComputesNothing, NULL);
  TF_RegisterKernelBuilder(name, kernel, status);
  if (!IsOk(status)) return 0;
  Unary(graph, name, x, name, status);
  return IsOk(status);
}

static int ReadsRegistries(int thread, int round, TF_Status* status) {
  (void)thread, (void)round;
  TF_Buffer* ops = TF_GetAllOpList();
  TF_Buffer* kernels = TF_GetAllRegisteredKernels(status);
  const int is_right = IsOk(status) && ops->length > 0 && kernels->length > 0;
  TF_DeleteBuffer(kernels);
  TF_DeleteBuffer(ops);
  return is_right;
}

// A graph, a session and a context that another thread deletes meanwhile. Each call is
// right or refused.
static TF_Graph* doomed_graph;
static TF_Session* doomed_session;
static TFE_Context* doomed_context;

static int UsesDoomed(int thread, int round, TF_Status* status) {
  char name[32];
  snprintf(name, sizeof name, "doomed_%d_%d", thread, round);
  Placeholder(doomed_graph, TF_FLOAT, name, status);
  int is_right = IsOk(status) || TF_GetCode(status) == TF_INVALID_ARGUMENT;
  TF_SessionRun(doomed_session, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL,
                status);
  const TF_Code code = TF_GetCode(status);
  is_right = is_right && (code == TF_INVALID_ARGUMENT || code == TF_CANCELLED);
  TFE_Op* op = TFE_NewOp(doomed_context, "AddV2", status);
  is_right = is_right && IsOk(status) == (op != NULL);
  TFE_DeleteOp(op);
  return is_right;
}

static int Deletes(int thread, int round, TF_Status* status) {
  (void)thread;
  if (round == kRounds / 4) TF_DeleteSession(doomed_session, status);
  if (round == kRounds / 2) TF_DeleteGraph(doomed_graph);
  if (round == kRounds / 2) TFE_DeleteContext(doomed_context);
  return IsOk(status);
}

// ---- The test -------------------------------------------------------------------------

static TF_Session* SessionOf(TF_Graph* of, TF_Status* status) {
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* made = TF_NewSession(of, options, status);
  TF_DeleteSessionOptions(options);
  return made;
}

static TFE_Context* NewContext(TF_Status* status) {
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_Context* made = TFE_NewContext(options, status);
  TFE_DeleteContextOptions(options);
  return made;
}

static void* Run(void* argument) {
  Job* job = argument;
  TF_Status* status = TF_NewStatus();
  for (int round = 0; round < kRounds; ++round) {
    TF_SetStatus(status, TF_OK, "");
    job->num_right += job->run(job->thread, round, status);
  }
  TF_DeleteStatus(status);
  return NULL;
}

static void RunAll(void) {
  Job jobs[] = {
      {"AddsOperations", &AddsOperations, 0, 0},
      {"AddsOperations", &AddsOperations, 1, 0},
      {"ReadsGraph", &ReadsGraph, 2, 0},
      {"RunsSteps", &RunsSteps, 3, 0},
      {"RunsSteps", &RunsSteps, 4, 0},
      {"MakesSessions", &MakesSessions, 5, 0},
      {"RunsOpsAtOnce", &RunsOpsAtOnce, 6, 0},
      {"RunsOpsAtOnce", &RunsOpsAtOnce, 7, 0},
      {"ClearsCaches", &ClearsCaches, 8, 0},
      {"Registers", &Registers, 9, 0},
      {"Registers", &Registers, 10, 0},
      {"ReadsRegistries", &ReadsRegistries, 11, 0},
      {"UsesDoomed", &UsesDoomed, 12, 0},
      {"UsesDoomed", &UsesDoomed, 13, 0},
      {"Deletes", &Deletes, 14, 0},
  };
  enum { kJobs = sizeof jobs / sizeof *jobs };
  pthread_t threads[kJobs];
  for (int i = 0; i < kJobs; ++i) {
    CHECK_EQ(pthread_create(&threads[i], NULL, &Run, &jobs[i]), 0);
  }
  for (int i = 0; i < kJobs; ++i) {
    pthread_join(threads[i], NULL);
    if (jobs[i].num_right != kRounds) printf("%s\n", jobs[i].name);
    CHECK_EQ(jobs[i].num_right, kRounds);
  }
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  graph = TF_NewGraph();
  x = Out(Placeholder(graph, TF_FLOAT, "x", status));
  y = Out(Unary(graph, "Neg", x, "y", status));
  session = SessionOf(graph, status);
  context = NewContext(status);
  TF_Tensor* number = Scalar(2);
  two = TFE_NewTensorHandle(number, status);
  TF_DeleteTensor(number);
  doomed_graph = TF_NewGraph();
  doomed_session = SessionOf(doomed_graph, status);
  doomed_context = NewContext(status);
  CHECK_OK(status);
  RunAll();
  TFE_DeleteTensorHandle(two);
  TFE_DeleteContext(context);
  TF_DeleteSession(session, status);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return Failures();
}
